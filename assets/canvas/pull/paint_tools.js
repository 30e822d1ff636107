// The row of tools below a picture: the brush's tool, grey value and size.

import { element, pushButton } from "../kit/dom.js";
import { PaintSource } from "./paint_source.js";

/** @import { Painting } from "./painting.js" */

/** @typedef {"grey" | "darker" | "lighter" | "copy" | "erase"} Tool */
/** @type {[Tool, string, string][]} */
const TOOLS = [
  ["grey", "Grey", "Paint this grey value"],
  ["darker", "Darker", "Paint darker than the picture"],
  ["lighter", "Lighter", "Paint lighter than the picture"],
  ["copy", "Copy", "Paint with the pixels of another picture"],
  ["erase", "Erase", "Free painted pixels"],
];
const PAINT_HINT = "Paint here, and the rest follows.";

export class PaintTools {
  /** @param {Painting} painting */
  constructor(painting) {
    this.painting = painting;
    /** @type {Tool} */
    this.tool = "grey";
    const { least, most, first } = /** @type {{ least: number, most: number, first: number }} */ (painting.cells.brushes);
    this.size = element("input", { type: "range", min: least, max: most, value: first, "aria-label": "Size of the brush" });
    this.shade = element("input", { type: "range", class: "greys", min: 0, max: 100, value: 100, "aria-label": "Grey value, 0 is black" });
    this.shade.addEventListener("input", () => this.choose("grey"));
    this.buttons = TOOLS.map(([tool, words, title]) => pushButton(() => this.choose(tool), { "data-tool": tool, title }, words));
    this.clear = pushButton(() => painting.letGo(), { title: "Remove all paint (Escape)" }, "Let go");
    this.words = element("span");
    this.source = new PaintSource(painting);
    // On a phone, the picture beside the map is small until this button enlarges it.
    this.large = pushButton(() => this.enlarge(), { class: "paint-large", "aria-pressed": "false" }, "Paint");
    this.hint = element("p", { class: "paint-hint" }, PAINT_HINT);
    this.host = element("div", { class: "paint-tools", role: "group", "aria-label": "Brush" }, this.large,
      element("span", { class: "segments" }, ...this.buttons), this.shade,
      element("label", { class: "field" }, element("span", {}, "Size"), this.size), this.source.host, element("div", { class: "painted", hidden: "" }, this.clear, this.words, painting.explanations.small));
    this.show();
  }

  /** The grey value, from 0 to 1. */
  get grey() {
    return Number(this.shade.value) / 100;
  }

  /** @param {Tool} tool */
  choose(tool) {
    this.tool = tool;
    this.show();
  }

  /** Make the picture large for painting, or small again. */
  enlarge() {
    const { dataset } = this.painting.host;
    dataset.painting = dataset.painting === "large" ? "small" : "large";
    this.large.setAttribute("aria-pressed", String(dataset.painting === "large"));
  }

  show() {
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.tool === this.tool));
    this.source.host.hidden = this.tool !== "copy";
    const count = (this.painting.drag?.pull.count ?? 0) / this.painting.channels;
    /** @type {HTMLElement} */ (this.words.parentElement).hidden = !count;
    this.hint.hidden = count > 0;
    const { explorer, model } = this.painting;
    const still = explorer.whyStill(model);
    this.words.textContent = count ? `${count} ${count === 1 ? "pixel" : "pixels"} painted${still && `. ${still}`}` : "";
  }
}
