// Magnification (how fast the output changes with the place) and its contour lines.

import { contour, levelsBetween, smoothGrid } from "./contours.js";
import { sampledSlice } from "./slice.js";

/** @import { View } from "../kit/plane.js" */
/** @import { Piece } from "./contours.js" */
/** @import { OutputMetric } from "./metric.js" */
/** @import { Slice } from "./slice.js" */

const CELL = 9; // CSS pixels between the places at which lines are computed
const SURE = 0.25; // fraction of the prior variance below which the model counts as sure
const FACTOR = 4; // ratio of the levels of neighbouring lines
const SMOOTHED = 16; // number of smoothing steps (about 25 pixels), so that lines summarise regions
const LEAST_LINE = 1e-3; // lowest level, as a fraction of the maximum; smaller changes are invisible

/**
 * Return the magnification on the map's plane: √det of the metric between the plane's tangents. Hidden
 * dimensions that follow the data are functions of the shown dimensions, so the tangents include hidden
 * dimensions.
 * @param {OutputMetric} metric
 * @param {(u: number, v: number) => Float64Array} place in all dimensions
 * @param {[number, number]} steps across and up
 * @returns {Slice<null>} squared, like variances
 */
export function magnificationSlice(metric, place, [du, dv]) {
  return sampledSlice((u, v) => metric.magnification(...tangents(place, u, v, [du, dv])) ** 2);
}

/**
 * Return a place of a plane, and its derivatives with respect to the two shown dimensions.
 * @param {(u: number, v: number) => Float64Array} place
 * @param {number} u
 * @param {number} v
 * @param {[number, number]} steps
 * @returns {[Float64Array, Float64Array, Float64Array]}
 */
function tangents(place, u, v, [du, dv]) {
  const x = place(u, v);
  return [x, place(u + du, v).map((value, q) => (value - x[q]) / du), place(u, v + dv).map((value, q) => (value - x[q]) / dv)];
}

/**
 * Compute contour lines of the mean's magnification where the model is sure.
 * @param {OutputMetric} metric
 * @param {(u: number, v: number) => Float64Array} place in all dimensions
 * @param {[number, number]} steps across and up
 * @param {View} view
 * @param {number} width of the map in CSS pixels
 * @param {number} height
 * @returns {Generator<void, Piece[]>} in latent units
 */
export function* magnificationLines(metric, place, steps, { u, v, su, sv }, width, height) {
  const { model } = metric;
  const [columns, rows] = [width, height].map((size) => Math.ceil(size / CELL) + 1);
  const [du, dv] = [(2 * su) / (columns - 1), (2 * sv) / (rows - 1)];
  const values = new Float64Array(columns * rows);
  for (let j = 0, at = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++, at++) {
      const [x, across, up] = tangents(place, u - su + i * du, v + sv - j * dv, steps);
      const sure = model.variance(x) < SURE * model.kernelDiagonal(x);
      values[at] = sure ? metric.meanMagnification(x, across, up) : NaN;
    }
    yield;
  }
  const most = values.reduce((highest, value) => (value > highest ? value : highest), 0);
  // Smooth the logarithms, so that low values count as much as high values.
  const smooth = smoothGrid(values.map((value) => Math.log(Math.max(value, LEAST_LINE * most))), columns, SMOOTHED).map(Math.exp);
  return levelsBetween(smooth, FACTOR).flatMap((level) => contour(smooth, columns, level))
    .map(([x0, y0, x1, y1]) => [u - su + x0 * du, v + sv - y0 * dv, u - su + x1 * du, v + sv - y1 * dv]);
}
