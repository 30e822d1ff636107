// The map's shading: predictive standard deviation on a grid, coarse at once, then finer while idle.

import { contextOf } from "../kit/dom.js";
import { mix } from "../kit/theme.js";

/** @import { View } from "../kit/plane.js" */
/** @import { Theme } from "../kit/theme.js" */
/** @import { Slice } from "./model.js" */

const COARSE_CELL = 22; // CSS pixels
const FINE_CELL = 6;
const REFERENCE = 24; // cells a side of the grid that light and shadow are fitted to
const SLICE_MS = 7; // work per frame, so that hovering stays smooth

/** What is to be shaded. @typedef {{ slice: Slice<any>, view: View, theme: Theme, width: number, height: number }} Ask */
/**
 * A grid of variances in the making; row: the next one.
 * @typedef {Ask & {
 *   columns: number, rows: number, us: Float64Array, left: number, top: number, du: number, dv: number,
 *   row: number, tables: any, values: Float64Array }} Grid
 */

export class Shading {
  /** onChange() is called whenever a better picture is ready. @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    /** In latent units. @type {{ canvas: HTMLCanvasElement, left: number, right: number, bottom: number, top: number } | null} */
    this.picture = null;
    this.frame = 0;
    this.range = [1, 1];
    /** What is being computed. @type {Grid | null} */
    this.job = null;
    /** Cells of the grids that are still to come. @type {number[]} */
    this.sizes = [];
  }

  /**
   * Start over for a plane and a view; what was drawn stays until the coarse grid is there.
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
    for (let i = 0; i < values.length; i++) {
      const colour = mix(theme.known, theme.unknown, this.level(values[i]));
      image.data.set([colour[0], colour[1], colour[2], 255], 4 * i);
    }
    context.putImageData(image, 0, 0);
    this.picture = { canvas, left, top, right: left + columns * du, bottom: top - rows * dv };
  }

  /**
   * Fit light and shadow to what occurs on a plane in a view: standard deviations [least, most].
   * They stay while zooming and while sliders move, so that brightness keeps its meaning.
   * @param {Slice<any>} slice
   * @param {View} view
   */
  calibrate(slice, view) {
    const values = new Float64Array(REFERENCE * REFERENCE);
    const along = (/** @type {number} */ centre, /** @type {number} */ half) => Float64Array.from({ length: REFERENCE }, (_, i) => centre + half * ((2 * i + 1) / REFERENCE - 1));
    const us = along(view.u, view.su);
    const tables = slice.columns(us);
    along(view.v, view.sv).forEach((v, row) => slice.variances(us, tables, v, values, row * REFERENCE));
    const sorted = values.map(Math.sqrt).sort();
    const most = sorted[sorted.length - 1];
    this.range = [Math.max(sorted[0], 1e-3 * most, 1e-12), most];
  }

  /**
   * 0 in the light (certain) to 1 in the shadow, by factors; nothing to tell apart: all light.
   * @param {number} variance
   */
  level(variance) {
    const [least, most] = this.range;
    if (most < 1.02 * least) return 0;
    return Math.min(Math.max(Math.log(Math.sqrt(variance) / least) / Math.log(most / least), 0), 1);
  }

  stop() {
    cancelAnimationFrame(this.frame);
  }
}

/**
 * A new grid of cells of so many CSS pixels.
 * @param {Ask} ask
 * @param {number} cell
 * @returns {Grid}
 */
function gridOf({ slice, view, theme, width, height }, cell) {
  // One cell more on every side: smoothing at the rim then has something to smooth with.
  const columns = Math.ceil(width / cell) + 2;
  const rows = Math.ceil(height / cell) + 2;
  const [du, dv] = [(2 * view.su) / (columns - 2), (2 * view.sv) / (rows - 2)];
  const left = view.u - view.su - du;
  const top = view.v + view.sv + dv;
  const us = Float64Array.from({ length: columns }, (_, i) => left + (i + 0.5) * du);
  const values = new Float64Array(columns * rows);
  const tables = slice.columns(us);
  return { slice, view, theme, width, height, columns, rows, us, left, top, du, dv, row: 0, tables, values };
}
