// The picture of an explorer, on which visitors can paint: while the brush moves, a picture appears that fits the painted
// values. sketch.js finds this picture, and grey_brush.js moves the brush. A stroke is one step of undo.

import { imageBox } from "../kit/geometry.js";
import { inSlices } from "../kit/slices.js";
import { css } from "../kit/theme.js";
import { cellsFor } from "../painter/cells.js";
import { Grasp } from "./grasp.js";
import { GreyBrush } from "./grey_brush.js";
import { MOST_KINDS } from "./painted.js";
import { PaintTools } from "./paint_tools.js";
import { Sketch } from "./sketch.js";
import { canPull } from "./solver.js";

/** @import { OutputPicture } from "../kit/output_picture.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Doubt } from "../geometry/doubt.js" */
/** @import { Explorer } from "../map/explorer.js" */
/** @import { Explanation } from "./drag.js" */
/** @import { Tool } from "./paint_tools.js" */

const MOST_STROKES = 60; // stored for undo and redo
const RESTS_AFTER_MS = 450; // pause after the last key before the stroke ends
const TONE_STEP = 0.3; // step of the tools darker and lighter, as a fraction of the range
const PAINT_KEYS = "Arrow keys move the brush, Space paints or erases, brackets change the brush's size, A shows another picture, Escape removes all paint.";

export class Painting extends Grasp {
  /** @param {Explorer<LatentModel>} explorer @param {OutputPicture} picture of an image */
  constructor(explorer, picture) {
    super(explorer, picture, "Another picture with this paint");
    /** @type {Sketch | null} */
    this.drag = null;
    /** The painted values at kept places, for undo and redo. @type {Map<string, Float64Array>} */
    this.strokes = new Map();
    /** The picture when the stroke began, relative to which the tools darker and lighter paint. @type {Float64Array} */
    this.base = picture.values;
    /** The pixels of the present stroke. @type {Set<number>} */
    this.touched = new Set();
    this.pressed = false;
    /** Whether a stroke has ended, but its search still runs. */
    this.ending = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.cells = cellsFor(this.drawing, explorer.model.nOutputs);
    this.channels = this.drawing.shape[2] ?? 1;
    this.tools = new PaintTools(this);
    this.brush = new GreyBrush(this);
    this.canvas.after(this.tools.hint);
    explorer.parts.inspector.querySelector(".facts")?.after(this.tools.host);
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "picture to paint on");
    this.canvas.classList.add("paints");
    explorer.root.dataset.painting = "small";
    picture.over = (context) => this.drawOver(context);
    picture.keys = PAINT_KEYS;
    this.on("pointerenter", () => this.wake());
    this.on("focus", () => this.wake());
  }

  /** Whether the picture is changing. @override */
  get busy() {
    return this.pressed || this.ending || (this.drag !== null && !this.drag.still);
  }

  /** Prepare the search, so that the first touch does not wait. */
  wake() {
    if (this.drag) return this.drag;
    this.drag = new Sketch(this.explorer.model);
    this.cease = inSlices(this.drag.seeds.prepare(), () => {});
    return this.drag;
  }

  /** Whether the picture shows the painted values. */
  get shown() {
    const { state } = this.explorer;
    return this.drag !== null && this.at !== null && String(state.point) === this.at && state.hover === null && state.hovered < 0;
  }

  /** Return the position of the picture on its canvas. */
  frame() {
    const { size, values } = this.picture;
    return { width: size?.[0] ?? 1, height: size?.[1] ?? 1, values, turn: this.explorer.state.turn };
  }

  /** Return whether a pixel is painted. @param {number} cell */
  painted(cell) {
    return this.drag !== null && this.at !== null && !Number.isNaN(this.drag.pull.targets[cell * this.channels]);
  }

  // --- a stroke -------------------------------------------------------------------------------

  /** Start a stroke at the shown place. */
  begin() {
    const { explorer } = this;
    const drag = this.wake();
    if (this.ending) this.keep();
    clearTimeout(this.timer);
    const point = explorer.shownPoint();
    const here = this.at !== null && String(point) === this.at;
    explorer.state.leave();
    if (!here) {
      drag.free();
      this.explanations.forget();
      if (explorer.paths?.place()) explorer.paths.clear();
    }
    drag.begin(point);
    this.goTo(point);
    this.base = drag.pose.slice();
    this.touched.clear();
    this.pressed = true;
    this.tools.hint.hidden = true;
  }

  /** Paint pixels with the chosen tool. @param {number[]} cells @param {boolean} [erases] */
  paint(cells, erases = false) {
    const drag = this.wake();
    for (const cell of cells) {
      if (this.touched.has(cell)) continue;
      this.touched.add(cell);
      for (let c = 0; c < this.channels; c++) {
        const d = cell * this.channels + c;
        drag.paint(d, erases ? NaN : this.target(this.tools.tool, d));
      }
    }
    this.explorer.paint();
  }

  /** Return the value that a tool gives to an output. @param {Tool} tool @param {number} d */
  target(tool, d) {
    const [low, high] = this.drawing.range;
    if (tool === "erase") return NaN;
    if (tool === "grey") return low + this.tools.grey * (high - low);
    const step = (tool === "darker" ? -TONE_STEP : TONE_STEP) * (high - low);
    return Math.min(Math.max(this.base[d] + step, low), high);
  }

  /** End the stroke of the keys after a pause. */
  settle() {
    this.explorer.paint();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), RESTS_AFTER_MS);
  }

  /** Follow the brush by one frame; called before the explorer draws. @param {number} now in milliseconds */
  step(now) {
    const { drag, explorer } = this;
    if (!drag) return;
    if (this.at !== null && String(explorer.state.point) !== this.at) this.left();
    if (this.ending || !drag.step()) return;
    this.goTo(drag.point);
    this.trace(now);
    explorer.paint();
  }

  /** End the stroke: search everywhere, then keep the place as one step of undo. */
  end() {
    const { drag, explorer } = this;
    clearTimeout(this.timer);
    this.pressed = false;
    if (!drag || this.at === null) return;
    drag.challenge = null;
    drag.still = true;
    this.cease();
    if (!drag.holds) {
      this.keep();
      this.explanations.forget();
      return;
    }
    this.ending = true;
    this.cease = inSlices(drag.settle(), (others) => {
      this.keep();
      this.explanations.put(others);
    });
    explorer.paint();
  }

  /** Keep the place that fits the painted values. */
  keep() {
    const { drag, explorer } = this;
    if (!drag) return;
    this.cease();
    this.ending = false;
    this.goTo(drag.point);
    explorer.keep();
    if (!explorer.map.follows()) explorer.map.refresh();
    this.at = String(explorer.state.point);
    this.strokes.delete(this.at);
    this.strokes.set(this.at, drag.pull.targets.slice());
    if (this.strokes.size > MOST_STROKES) this.strokes.delete(this.strokes.keys().next().value ?? "");
    this.tools.show();
    explorer.paint();
  }

  /** @override */
  chosen() {
    this.keep();
  }

  /** Remove all paint; the picture does not change. */
  letGo() {
    this.drag?.free();
    this.forget();
    this.say("Nothing is painted");
    if (this.at !== null) this.strokes.delete(this.at);
    this.tools.show();
    this.explorer.paint();
  }

  /** Remove the paint, because the visitor went to another place. */
  left() {
    const { explorer } = this;
    this.forget();
    this.drag?.free();
    const here = String(explorer.state.point);
    const painted = this.strokes.get(here);
    this.at = painted ? here : null;
    if (painted && this.drag) {
      this.drag.begin(explorer.state.point);
      this.drag.restore(painted);
    }
    this.tools.show();
  }

  forget() {
    this.cease();
    clearTimeout(this.timer);
    this.pressed = false;
    this.ending = false;
    this.explanations.forget();
  }

  // --- drawing --------------------------------------------------------------------------------

  /** Return how wrong pixels may be, given the painted values; null at another place. @param {ArrayLike<number>} point @param {Doubt} doubt */
  freedom(point, doubt) {
    if (!this.drag?.holds || !this.shown || String(point) !== this.at) return null;
    this.drag.point.set(point);
    return this.drag.freedom(doubt);
  }

  /** Draw the painted pixels and the brush over the picture. @param {CanvasRenderingContext2D} context */
  drawOver(context) {
    const { picture: { size }, channels, drawing: { range: [low, high], shape: [rows, columns] } } = this;
    if (!size) return;
    const { x, y, fit } = imageBox(this.drawing, ...size);
    const { theme } = this.explorer.state;
    if (this.shown && this.drag?.holds) {
      const { targets } = this.drag.pull;
      const has = (/** @type {number} */ r, /** @type {number} */ c) => r >= 0 && c >= 0 && r < rows && c < columns && !Number.isNaN(targets[(r * columns + c) * channels]);
      for (let r = 0; r < rows; r++) {
        for (let c = 0; c < columns; c++) {
          if (!has(r, c)) continue;
          const [left, top] = [x + c * fit, y + r * fit];
          if (this.pressed && this.touched.has(r * columns + c)) {
            const grey = Math.round((255 * (targets[(r * columns + c) * channels] - low)) / (high - low));
            context.fillStyle = `rgba(${grey},${grey},${grey},0.45)`;
            context.fillRect(left, top, fit, fit);
          }
          context.fillStyle = css(theme.accent);
          if (!has(r - 1, c)) context.fillRect(left, top - 0.75, fit, 1.5);
          if (!has(r + 1, c)) context.fillRect(left, top + fit - 0.75, fit, 1.5);
          if (!has(r, c - 1)) context.fillRect(left - 0.75, top, 1.5, fit);
          if (!has(r, c + 1)) context.fillRect(left + fit - 0.75, top, 1.5, fit);
        }
      }
    }
    this.brush.draw(context, css(theme.accent));
  }

  /** @override */
  stop() {
    clearTimeout(this.timer);
    super.stop();
  }
}

/** Return why the page cannot find a model's places from its outputs; "" if it can. @param {LatentModel} model */
export function cannotPull(model) {
  const { drawing: { kind }, outputs } = model;
  const what = kind === "image" ? "paint on the picture" : "drag the body";
  if (!canPull(model)) return `You cannot ${what}, because this page cannot differentiate the model's kernel.`;
  if (kind === "image" && outputs.groups > MOST_KINDS) return `You cannot ${what}, because the pixels have ${outputs.groups} noise levels; this page supports ${MOST_KINDS}.`;
  return "";
}
