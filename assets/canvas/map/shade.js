// The map's shading: the predictive standard deviation on a grid, first coarse, then finer while the page is idle.

import { deviationRange, gridOf, shadow } from "../geometry/shading.js";
import { contextOf } from "../kit/dom.js";
import { mix } from "../kit/theme.js";

/** @import { Grid } from "../geometry/shading.js" */
/** @import { View } from "../kit/plane.js" */
/** @import { Colour, Theme } from "../kit/theme.js" */
/** @import { Slice } from "../geometry/slice.js" */

const COARSE_CELL = 22; // CSS pixels
const FINE_CELL = 6;
const SLICE_MS = 7; // the longest work per frame, so that hovering stays smooth

/** A colour scale: the colours at its ends, and the position of a value between them. @typedef {{ ends: (theme: Theme) => [Colour, Colour], share: (value: number, range: [number, number]) => number }} Tone */
/** @type {Tone} */
export const UNCERTAINTY = { ends: ({ known, unknown }) => [known, unknown], share: shadow };

export class Shading {
  /** onChange() is called whenever a better picture is ready. @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    /** The drawing, placed in latent units. @type {{ canvas: HTMLCanvasElement, left: number, right: number, bottom: number, top: number } | null} */
    this.picture = null;
    this.frame = 0;
    /** The range of standard deviations from light to dark. @type {[number, number]} */
    this.range = [1, 1];
    /** The colour scale; null for the uncertainty. @type {Tone | null} */
    this.tone = null;
    /** The grid that is being computed. @type {Grid | null} */
    this.job = null;
    /** The cell sizes of the grids that are not computed yet. @type {number[]} */
    this.sizes = [];
  }

  /**
   * Compute the shading of a plane and a view; the old drawing stays until the coarse grid is ready.
   * @param {Slice<any>} slice
   * @param {View} view
   * @param {number} width
   * @param {number} height
   * @param {Theme} theme
   */
  request(slice, view, width, height, theme) {
    cancelAnimationFrame(this.frame);
    this.sizes = [COARSE_CELL / 2, FINE_CELL];
    this.job = gridOf({ slice, view: { ...view }, theme, width, height }, COARSE_CELL);
    this.frame = requestAnimationFrame(() => this.work());
  }

  work() {
    const { job } = this;
    if (!job) return;
    const end = performance.now() + SLICE_MS;
    while (job.row < job.rows && performance.now() < end) {
      const v = job.top - (job.row + 0.5) * job.dv;
      job.slice.variances(job.us, job.tables, v, job.values, job.row * job.columns);
      job.row += 1;
    }
    if (job.row === job.rows) {
      this.paint(job);
      this.onChange();
      const next = this.sizes.shift();
      if (!next) return;
      this.job = gridOf(job, next);
    }
    this.frame = requestAnimationFrame(() => this.work());
  }

  /** @param {Grid} grid */
  paint({ columns, rows, values, theme, left, top, du, dv }) {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [columns, rows];
    const context = contextOf(canvas);
    const image = context.createImageData(columns, rows);
    const { ends, share } = this.tone ?? UNCERTAINTY;
    const [low, high] = ends(theme);
    for (let i = 0; i < values.length; i++) {
      const colour = mix(low, high, share(values[i], this.range));
      image.data.set([colour[0], colour[1], colour[2], 255], 4 * i);
    }
    context.putImageData(image, 0, 0);
    this.picture = { canvas, left, top, right: left + columns * du, bottom: top - rows * dv };
  }

  /**
   * Fit the range of the colours to the values on a plane in a view. The range is fixed while the visitor
   * zooms or moves sliders, so that brightness keeps its meaning.
   * @param {Slice<any>} slice
   * @param {View} view
   */
  calibrate(slice, view) {
    this.range = deviationRange(slice, view);
  }

  stop() {
    cancelAnimationFrame(this.frame);
  }
}
