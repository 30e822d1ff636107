// A model's output at a point, on a separate canvas; a stick figure can be turned.

import { fitCanvas } from "./dom.js";
import { formatNumber } from "./format.js";
import { drawOutput, outputHeight } from "./output.js";
import { drawUnsure } from "./unsure.js";
import { turnBy, turnable } from "./turn.js";

/** @import { Turn } from "./geometry.js" */
/** @import { Theme } from "./theme.js" */
/** @import { UnsurePixels } from "./unsure.js" */
/** @import { Output } from "../geometry/model.js" */

export class OutputPicture {
  /**
   * model: predicts, and describes the drawing of its outputs; state: has theme and turn; turned(): called
   * after a turn; title: the name of this output if there are several.
   * @param {HTMLCanvasElement} canvas
   * @param {Output} model
   * @param {{ theme: Theme, turn: Turn }} state
   * @param {() => void} turned
   * @param {string | null} [title]
   */
  constructor(canvas, model, state, turned, title = null) {
    this.canvas = canvas;
    this.model = model;
    this.state = state;
    this.title = title;
    /** Width and height in CSS pixels. @type {[number, number] | null} */
    this.size = null;
    /** The text beside the title. @type {HTMLElement | null} */
    this.caption = null;
    /** Whether there is no space for axes. */
    this.small = false;
    /** Whether the outputs are classes. */
    this.labels = false;
    this.values = new Float64Array(model.nOutputs);
    /** Whether the pointer and the keys are in use for something other than turning the figure. */
    this.held = () => false;
    /** Returns a pose that is drawn instead of the mean at a point, or null. @type {(point: ArrayLike<number>) => ArrayLike<number> | null} */
    this.posed = () => null;
    /** Returns the standard deviations around a pose, or null. @type {() => ArrayLike<number> | null} */
    this.around = () => null;
    /** Draws over the output. @type {(context: CanvasRenderingContext2D) => void} */
    this.over = () => {};
    /** The description of the keys, for screen readers. */
    this.keys = "";
    if (model.drawing.kind !== "skeleton") return;
    canvas.classList.add("turns");
    canvas.tabIndex = 0;
    turnable(canvas, () => !this.held(), (yaw, pitch) => {
      turnBy(state.turn, yaw, pitch);
      turned();
    });
  }

  /** Fit to the available width, with a limited height; return whether the size changed. @param {number} most */
  fit(most) {
    const width = this.canvas.clientWidth;
    /** @type {[number, number]} */
    const size = [width, Math.min(outputHeight(this.model.drawing, width), most)];
    if (String(size) === String(this.size)) return false;
    this.size = size;
    this.canvas.style.height = `${size[1]}px`;
    return true;
  }

  /**
   * Draw the output at a latent point; return the variance there, in internal units.
   * @param {ArrayLike<number>} point
   * @param {UnsurePixels | null} [unsure] how to show an image's unsure pixels
   */
  draw(point, unsure = null) {
    const { model, state, values } = this;
    const variance = model.predict(point, values);
    const pose = this.posed(point);
    if (pose) values.set(pose);
    if (!this.size?.[0]) return variance;
    const context = fitCanvas(this.canvas, ...this.size);
    const spread = ["curve", "bars"].includes(model.drawing.kind) ? model.deviations(point) : this.around();
    drawOutput(context, model.drawing, values, ...this.size, { theme: state.theme, turn: state.turn, spread, small: this.small });
    this.over(context);
    if (unsure) drawUnsure(context, model.drawing, values, this.size, unsure, state.theme);
    return variance;
  }

  /** @param {string} words */
  describe(words) {
    const { kind } = this.model.drawing;
    const what = `Generated ${{ skeleton: "stick figure", table: "row" }[/** @type {string} */ (kind)] ?? kind}`;
    this.canvas.setAttribute("aria-label", [this.title, what, words, this.keys].filter(Boolean).join("; "));
  }

  /** Describe the uncertainty of this output, or its most probable class. @param {ArrayLike<number>} point */
  sureness(point) {
    const { model, values, title } = this;
    const variance = model.predict(point, values);
    const words = this.labels ? this.className() : model.words ? model.words(point) : `standard deviation ${formatNumber(model.deviation(variance))}`;
    return title ? `${title}: ${words}.` : `${words[0].toUpperCase()}${words.slice(1)}.`;
  }

  /** Return the most probable class. */
  className() {
    return this.model.drawing.columns?.[this.values.indexOf(Math.max(...this.values))] ?? "";
  }
}
