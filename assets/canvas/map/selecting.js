// The selection of rows by drawing around their dots, its comparison with the rest, and its export; without a
// selection, the comparison of labels.

import { element, pushButton } from "../kit/dom.js";
import { counted } from "../kit/format.js";
import { csvText } from "../kit/numbers.js";
import { thumbnailPicture } from "../kit/output.js";
import { united } from "../geometry/lasso.js";
import { RowDifference } from "./difference.js";
import { LassoLine } from "./lasso_line.js";
import { OWN } from "./switches.js";

/** @import { Groups } from "./difference.js" */
/** @import { Explorer } from "./explorer.js" */

const MOST_PICTURES = 24;
const SMALL = 44; // size of a small picture in CSS pixels

export class Selecting {
  /**
   * The line is drawn on a separate canvas above the map. This canvas is visible while the visitor selects rows.
   * @param {Explorer<any>} explorer
   */
  constructor(explorer) {
    this.explorer = explorer;
    const { lasso, select, selection } = explorer.parts;
    /** @type {HTMLCanvasElement} */
    this.canvas = lasso;
    /** @type {HTMLButtonElement} */
    this.button = select;
    /** @type {HTMLElement} */
    this.section = selection;
    this.difference = new RowDifference(explorer);
    this.differs = element("div");
    /** @type {Groups | null} */
    this.groups = null;
    /** The width that the section had when it was last filled. */
    this.width = 0;
    this.button.addEventListener("click", () => this.turn(!this.on));
    explorer.root.addEventListener("keydown", (event) => event.key === "Escape" && this.turn(false));
    new LassoLine(this.canvas, () => explorer.map, (rows, add) => this.take(add ? united(explorer.state.rows, rows) : rows));
  }

  get on() {
    return !this.canvas.hidden;
  }

  /** Set whether dragging draws a line instead of moving the map. @param {boolean} on */
  turn(on) {
    this.canvas.hidden = !on;
    this.button.setAttribute("aria-pressed", String(on));
    this.explorer.controls.showHint(on ? "Draw around dots to select their rows; hold Shift to add rows. Enter on the map takes the nearest row" : null);
  }

  /** Let clicks reach the map below while the visitor chooses the end of a path. @param {boolean} on */
  letThrough(on) {
    this.canvas.style.pointerEvents = on ? "none" : "";
  }

  /** Select a row, or let go of it. @param {number} row */
  toggle(row) {
    const { rows } = this.explorer.state;
    const others = Array.from(rows).filter((n) => n !== row);
    this.take(others.length < rows.length ? others : united(rows, [row]));
  }

  /** Select these rows. @param {ArrayLike<number>} rows in order */
  take(rows) {
    this.explorer.dispatch({ type: "set", name: "rows", value: rows });
  }

  /** Return the groups that highlighted labels compare: one label with the rest, or two with each other. @returns {Groups | null} */
  labelled() {
    const { state: { selected, factor }, model, ownLabels } = this.explorer;
    // A label that was just kept is compared until the visitor highlights others.
    const chosen = factor >= 0 ? [] : selected.size ? Array.from(selected) : factor === OWN && ownLabels ? [ownLabels.last()] : [];
    if (!chosen.length) return null;
    const rowsOf = (/** @type {number[]} */ labels) => Uint32Array.from({ length: model.nRows }, (_, n) => n).filter((n) => labels.includes(model.label(n)));
    const [first, second] = chosen.map((label) => String(model.header.label_names[label] ?? label));
    if (chosen.length === 2) return { rows: rowsOf([chosen[0]]), others: rowsOf([chosen[1]]), names: [first, second], words: [`“${first}”`, `“${second}”`] };
    const [name, words] = chosen.length === 1 ? [first, `“${first}”`] : ["Chosen", `${chosen.length} labels`];
    return { rows: rowsOf(chosen), others: null, names: [name, "Rest"], words: [words, "the rest"] };
  }

  /** Show what distinguishes the rows of labels. */
  showLabelled() {
    const { explorer: { state, model }, groups } = this;
    this.section.hidden = !groups;
    if (!groups) return this.section.replaceChildren();
    this.width = this.section.clientWidth;
    const { rows, others, words: [first, second] } = groups;
    const count = others ? `${first} (${counted(rows.length, "row")}) and ${second} (${counted(others.length, "row")})` : `${first}: ${counted(rows.length, "row")}`;
    const all = pushButton(() => this.explorer.dispatch({ type: "set", name: "labels", value: [] }), { title: "Highlight no label" }, "Clear");
    this.compare();
    this.section.replaceChildren(element("h2", {}, element("span", { role: "status" }, count), ...(state.selected.size ? [all] : [])), this.differs,
      ...(model.presentLabels().length > 1 && !others ? [element("p", {}, "Press two labels above the map to compare them.")] : []));
  }

  /** Show the number of selected rows, their difference from the rest, and small pictures. */
  show() {
    const { state: { rows, theme }, model } = this.explorer;
    this.groups = rows.length ? { rows, others: null, names: ["Chosen", "Rest"], words: ["the selected rows", "the rest"] } : this.labelled();
    if (!rows.length) return this.showLabelled();
    this.section.hidden = false;
    this.width = this.section.clientWidth;
    // Rows with pictures come first.
    const shown = Array.from({ length: Math.min(rows.length, MOST_PICTURES) }, (_, i) => rows[i]).filter((n) => n < model.nPoints);
    const pictures = shown.map((n) => {
      const words = model.name(n);
      const picture = thumbnailPicture(model.pictured[0], n, SMALL, theme);
      picture.style.width = picture.style.height = `${SMALL}px`;
      return pushButton(() => this.explorer.arrive(model.position(n)), { title: words, "aria-label": `Go to ${words}` }, picture);
    });
    const more = rows.length - pictures.length;
    const save = pushButton(() => this.explorer.taking?.save("rows", "csv", this.table()), { "aria-label": "Export the selected rows as CSV", title: "A CSV file with ids, values and positions" }, "Export");
    const none = pushButton(() => this.take([]), {}, "Clear");
    const count = `${counted(rows.length, "row")} selected`;
    this.compare();
    this.section.replaceChildren(
      element("h2", {}, element("span", { role: "status" }, count), ...(this.explorer.ownLabels ? [this.explorer.ownLabels.form()] : []), save, none),
      this.differs,
      element("div", { class: "these" }, ...pictures, ...(more > 0 ? [`and ${more.toLocaleString("en")} more`] : [])),
    );
  }

  /** Show how the two groups differ. */
  compare() {
    if (this.groups) this.differs.replaceChildren(...this.difference.elements(this.groups));
  }

  /** Draw again after a change of the inspector's width. */
  resized() {
    if (!this.section.hidden && this.section.clientWidth !== this.width) this.show();
  }

  /** Draw again after a turn of the stick figures. */
  turned() {
    if (!this.section.hidden && this.explorer.model.drawing.kind === "skeleton") this.compare();
  }

  /**
   * Return a table of the rows: ids, labels, positions in the units of the dimensions, their variances, and columns of values. For
   * rows beyond the sample, only the shown dimensions are known; the others stay empty.
   */
  table() {
    const { state, map, model } = this.explorer;
    const { header: { axes, n_latent: count }, latent, latentVariance, nLatent } = model;
    const dimensions = axes.slice(0, count);
    const inUnit = (/** @type {number} */ x, /** @type {number} */ q) => model.unit(q)[0] + model.unit(q)[1] * x;
    const named = Array.isArray(model.header.row_names);
    const head = ["row", ...(named ? ["id"] : []), "label", ...dimensions.map((/** @type {string} */ axis) => `${axis} mean`), ...dimensions.map((/** @type {string} */ axis) => `${axis} variance`), ...(model.coloured ?? [])];
    const rows = Array.from(state.rows);
    if (model.crowd) rows.sort((m, n) => model.rowNumber(m) - model.rowNumber(n));
    const lines = rows.map((n) => {
      const at = n * nLatent;
      const begun = [model.rowNumber(n), ...(named ? [model.id(n) ?? ""] : []), model.labelName(n) ?? ""];
      if (n >= model.nPoints) {
        const known = dimensions.map((/** @type {string} */ _, /** @type {number} */ q) => map.model.crowd?.columns.get(`${q}`)?.[n] ?? NaN).map((/** @type {number} */ x, /** @type {number} */ q) => (Number.isNaN(x) ? "" : inUnit(x, q)));
        return [...begun, ...known, ...new Array(count).fill("")];
      }
      const variances = latentVariance ? Array.from(latentVariance.subarray(at, at + count)) : new Array(count).fill(0);
      const values = model.coloured?.length ? Array.from(model.item(n), (value, d) => (Number.isNaN(value) ? "" : (model.drawing.table?.[d].words?.[value] ?? value))) : [];
      return [...begun, ...Array.from(latent.subarray(at, at + count), inUnit), ...variances.map((x, q) => x * model.unit(q)[1] ** 2), ...values];
    });
    return csvText([head, ...lines]);
  }
}
