// The picture from which the brush copies: a training row that is searched, or the picture that is shown.

import { element, pushButton } from "../kit/dom.js";
import { drawSmall } from "../kit/output.js";
import { findRows } from "../map/search.js";

/** @import { Painting } from "./painting.js" */

const SOURCE_SIZE = 48; // CSS pixels
const NO_SOURCE = "Which picture?";

export class PaintSource {
  /** @param {Painting} painting */
  constructor(painting) {
    this.painting = painting;
    /** The model's picture to copy from. @type {Float64Array | null} */
    this.values = null;
    /** The rows that match the search, and the number of the chosen one. @type {number[]} */
    this.rows = [];
    this.next = 0;
    this.sought = "";
    this.small = element("canvas", { "aria-hidden": "true", hidden: "" });
    this.field = element("input", { type: "search", placeholder: "Row, name, label", "aria-label": "Picture to copy from: row, name or label" });
    this.field.addEventListener("keydown", (event) => event.key === "Enter" && this.find());
    this.field.addEventListener("change", () => this.field.value !== this.sought && this.find());
    this.here = pushButton(() => this.take(painting.explorer.shownPoint(), "The shown picture"), { title: "Copy from the picture that is shown now" }, "This picture");
    this.words = element("span", { role: "status" }, NO_SOURCE);
    this.host = element("div", { class: "paint-source", hidden: "" }, this.small, this.field, this.here, this.words);
  }

  /** Take the row that the field names; Enter again takes the next one that matches. */
  find() {
    const { field, painting: { explorer: { model } } } = this;
    if (field.value !== this.sought) {
      const { rows, message } = findRows(model, field.value);
      [this.rows, this.next, this.sought] = [field.value.trim() ? rows : [], 0, field.value];
      if (!this.rows.length) {
        this.words.textContent = field.value.trim() ? message : NO_SOURCE;
        return;
      }
    }
    const { rows } = this;
    if (!rows.length) return;
    const at = this.next++ % rows.length;
    this.take(model.position(rows[at]), `${model.name(rows[at])}${rows.length > 1 ? ` (${at + 1} of ${rows.length}, Enter: next)` : ""}`);
  }

  /** Copy from the model's picture at a place. @param {ArrayLike<number>} point @param {string} name */
  take(point, name) {
    const { model } = this.painting;
    this.values = new Float64Array(model.nOutputs);
    model.predict(point, this.values);
    this.words.textContent = name;
    this.show();
  }

  /** Say that there is nothing to copy from. */
  ask() {
    this.words.textContent = NO_SOURCE;
    this.painting.say(NO_SOURCE);
    this.field.focus({ preventScroll: true });
  }

  /** Draw the picture in small. */
  show() {
    const { values, small, painting: { drawing, explorer: { state: { theme, turn } } } } = this;
    small.hidden = !values;
    if (!values) return;
    small.style.width = `${SOURCE_SIZE}px`;
    drawSmall(small, drawing, values, SOURCE_SIZE, { theme, turn, tallest: 1.3 });
  }
}
