// A map's shading: variances on a grid of a plane, and their brightness.

/** @import { View } from "../kit/plane.js" */
/** @import { Theme } from "../kit/theme.js" */
/** @import { Slice } from "./slice.js" */

const REFERENCE = 24; // cells per side of the grid that determines the range

/** The input of the shading. @typedef {{ slice: Slice<any>, view: View, theme: Theme, width: number, height: number }} Ask */
/**
 * A grid of variances that is being computed; row: the next row.
 * @typedef {Ask & {
 *   columns: number, rows: number, us: Float64Array, left: number, top: number, du: number, dv: number,
 *   row: number, tables: any, values: Float64Array }} Grid
 */

/**
 * Return the least and the greatest standard deviation on a plane in a view.
 * @param {Slice<any>} slice
 * @param {View} view
 * @returns {[number, number]}
 */
export function deviationRange(slice, view) {
  const values = new Float64Array(REFERENCE * REFERENCE);
  const along = (/** @type {number} */ centre, /** @type {number} */ half) => Float64Array.from({ length: REFERENCE }, (_, i) => centre + half * ((2 * i + 1) / REFERENCE - 1));
  const us = along(view.u, view.su);
  const tables = slice.columns(us);
  along(view.v, view.sv).forEach((v, row) => slice.variances(us, tables, v, values, row * REFERENCE));
  const sorted = values.map(Math.sqrt).sort();
  const most = sorted[sorted.length - 1];
  return [Math.max(sorted[0], 1e-3 * most, 1e-12), most];
}

/**
 * Return the brightness of a variance on a logarithmic scale, from 0 (light, certain) to 1 (dark); 0 for an empty range.
 * @param {number} variance
 * @param {[number, number]} range of standard deviations
 */
export function shadow(variance, [least, most]) {
  if (most < 1.02 * least) return 0;
  return Math.min(Math.max(Math.log(Math.sqrt(variance) / least) / Math.log(most / least), 0), 1);
}

/**
 * Return a new grid; cell: the size of a cell in CSS pixels.
 * @param {Ask} ask
 * @param {number} cell
 * @returns {Grid}
 */
export function gridOf({ slice, view, theme, width, height }, cell) {
  // The grid has one more cell on every side, so that smoothing works at the edge.
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
