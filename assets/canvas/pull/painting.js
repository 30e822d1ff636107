// The picture of an explorer, on which visitors can paint. While the brush moves, the picture changes to one that
// fits the painted values. sketch.js finds this picture, and grey_brush.js moves the brush. A stroke is one step of
// undo.

import { imageBox } from "../kit/geometry.js";
import { css } from "../kit/theme.js";
import { cellsFor } from "../painter/cells.js";
import { FitGrasp } from "./fit_grasp.js";
import { GreyBrush } from "./grey_brush.js";
import { PaintTools } from "./paint_tools.js";
import { Sketch } from "./sketch.js";

/** @import { OutputPicture } from "../kit/output_picture.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Doubt } from "../geometry/doubt.js" */
/** @import { Explorer } from "../map/explorer.js" */
/** @import { Tool } from "./paint_tools.js" */

const TONE_STEP = 0.3; // of darker and lighter, as a fraction of the range
const PAINT_KEYS = "Arrow keys move the brush, Space paints or erases, brackets change its size, A shows another picture, Escape removes all paint.";

/** @extends {FitGrasp<Sketch>} */
export class Painting extends FitGrasp {
  /** @param {Explorer<any>} explorer @param {OutputPicture} picture of an image @param {LatentModel} model */
  constructor(explorer, picture, model) {
    super(explorer, picture, model, "Another picture for this paint (A)", (own, points) => new Sketch(own, points));
    /** The shown picture when the stroke began, which darker and lighter refer to. @type {Float64Array} */
    this.base = picture.values;
    /** The pixels of the present stroke. @type {Set<number>} */
    this.touched = new Set();
    this.cells = cellsFor(this.drawing, model.nOutputs);
    this.channels = this.drawing.shape[2] ?? 1;
    this.tools = new PaintTools(this);
    this.brush = new GreyBrush(this);
    this.canvas.after(this.tools.hint);
    explorer.putTools(picture, this.tools.host);
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "picture to paint on");
    this.canvas.classList.add("paints");
    this.host.dataset.painting = "small";
    picture.over = (context) => this.drawOver(context);
    picture.keys = PAINT_KEYS;
    this.on("pointerenter", () => this.wake());
    this.on("focus", () => this.wake());
  }

  /** The position of the picture on its canvas. */
  frame() {
    const { size, values } = this.picture;
    return { width: size?.[0] ?? 1, height: size?.[1] ?? 1, values, turn: this.explorer.state.turn };
  }

  /** Return whether a pixel is painted. @param {number} cell */
  painted(cell) {
    return this.drag !== null && this.at !== null && !Number.isNaN(this.drag.targets[cell * this.channels]);
  }

  // --- a stroke -------------------------------------------------------------------------------

  /** A stroke begins. @override */
  begin() {
    super.begin();
    this.base = this.wake().pose.slice();
    this.touched.clear();
    this.tools.hint.hidden = true;
  }

  /** Paint pixels with the chosen tool. @param {number[]} cells @param {boolean} [erases] */
  paint(cells, erases = false) {
    const drag = this.wake();
    const { tools } = this;
    if (tools.tool === "copy" && !erases && !tools.source.values) {
      tools.source.ask();
      return;
    }
    for (const cell of cells) {
      if (this.touched.has(cell)) continue;
      this.touched.add(cell);
      for (let c = 0; c < this.channels; c++) {
        const d = cell * this.channels + c;
        drag.hold(d, erases ? NaN : this.target(tools.tool, d));
      }
    }
    this.explorer.paint();
  }

  /** Return the value that a tool gives to an output. @param {Tool} tool @param {number} d */
  target(tool, d) {
    const [low, high] = this.drawing.range;
    if (tool === "erase") return NaN;
    if (tool === "copy") return this.tools.source.values?.[d] ?? NaN;
    if (tool === "grey") return low + this.tools.grey * (high - low);
    const step = (tool === "darker" ? -TONE_STEP : TONE_STEP) * (high - low);
    return Math.min(Math.max(this.base[d] + step, low), high);
  }

  /** @override */
  show() {
    this.tools.show();
  }

  /** @override */
  redraw() {
    super.redraw();
    this.tools.source.show();
  }

  /** Remove all paint; the picture does not change. */
  letGo() {
    this.letAllGo("Nothing is painted");
  }

  // --- drawing --------------------------------------------------------------------------------

  /** Return how wrong pixels may be, given the painted values; null at other latent points. @param {ArrayLike<number>} point @param {Doubt} doubt */
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
      const { targets } = this.drag;
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
}
