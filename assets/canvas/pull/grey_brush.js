// The brush on an explorer's picture; the mouse, fingers and keys move the brush.

import { inkDisc } from "../kit/ink.js";
import { Brush } from "../painter/brush.js";

/** @import { Painting } from "./painting.js" */

export class GreyBrush extends Brush {
  /** @param {Painting} painting */
  constructor(painting) {
    const { canvas, tools, cells, explorer, drawing } = painting;
    const row = { drawing, text: () => "" };
    super(canvas, tools.size, {
      frame: () => painting.frame(), cells: () => cells, row: () => row, stroke: () => painting.begin(), done: () => painting.end(),
      settle: () => painting.settle(), paint: () => explorer.paint(), say: (/** @type {string} */ words) => painting.say(words),
    });
    this.painting = painting;
    // A finger on the picture paints; beside the picture it scrolls the page. This event follows pointerdown.
    canvas.addEventListener("touchstart", (event) => this.stroke && event.preventDefault(), { passive: false });
  }

  /** @override @param {number} cell */
  marked(cell) {
    return this.painting.painted(cell);
  }

  /** @override @param {number} cell */
  wordsOf(cell) {
    return this.marked(cell) ? "painted" : "free";
  }

  /** @override @param {number[]} cells @param {number} value 0 erases */
  apply(cells, value) {
    this.painting.paint(cells, !value);
  }

  /** @override @param {PointerEvent} event */
  down(event) {
    if (!this.stroke && this.under(this.at(event)).length) super.down(event);
  }

  /** @override @param {KeyboardEvent} event */
  key(event) {
    const { painting } = this;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "a" && painting.drag?.holds) painting.explanations.another();
    else if (event.key === "Escape" && painting.drag?.holds) painting.letGo();
    else {
      super.key(event);
      return;
    }
    event.preventDefault();
  }

  /** Draw the outline of the brush. @param {CanvasRenderingContext2D} context @param {string} colour */
  draw(context, colour) {
    const mark = this.shown();
    if (!mark?.radius || !mark.cells.length) return;
    inkDisc(context, ...mark.place, mark.radius, { line: "rgba(255,255,255,0.9)", width: 3 }, { line: colour, width: 1.5 });
  }
}
