// Blurs or fades uncertain pixels according to their uncertainty.

import { contextOf } from "./dom.js";
import { imageBox } from "./geometry.js";

/** @import { Drawing } from "./geometry.js" */
/** @import { Theme } from "./theme.js" */

/**
 * cells: variances on a square grid, relative to the variance of the data; side: the number of cells per side;
 * from, to: the deviations at which the effect begins and at which it is complete.
 * @typedef {{ how: "blur" | "fade", cells: ArrayLike<number>, side: number, from: number, to: number }} UnsurePixels
 */

const FADED = 0.9; // largest fraction of a pixel's colour that fades

/** A canvas that is reused. @type {{ layer?: HTMLCanvasElement }} */
const unsureSheet = {};

/**
 * Draw one pixel per cell over an image; these pixels are scaled to the image and smoothed.
 * @param {CanvasRenderingContext2D} context
 * @param {Drawing} drawing
 * @param {ArrayLike<number>} values the values of the image
 * @param {[number, number]} size the size in CSS pixels
 * @param {UnsurePixels} unsure
 * @param {Theme} theme
 */
export function drawUnsure(context, drawing, values, size, { how, cells, side, from, to }, theme) {
  const layer = (unsureSheet.layer ??= document.createElement("canvas"));
  [layer.width, layer.height] = [side, side];
  const image = contextOf(layer).createImageData(side, side);
  let most = 0;
  for (let i = 0; i < side * side; i++) {
    const share = Math.min(Math.max((Math.sqrt(around(cells, i, side)) - from) / (to - from), 0), 1);
    most = Math.max(most, share);
    image.data.set(how === "fade" ? theme.background : meanColour(drawing, values, i, side), 4 * i);
    image.data[4 * i + 3] = 255 * share * (how === "fade" ? FADED : 1);
  }
  if (most === 0) return;
  contextOf(layer).putImageData(image, 0, 0);
  const { x, y, fit } = imageBox(drawing, ...size);
  context.imageSmoothingEnabled = true;
  context.drawImage(layer, x, y, drawing.shape[1] * fit, drawing.shape[0] * fit);
}

/** Return the mean colour of the pixels in a cell. @param {Drawing} drawing @param {ArrayLike<number>} values @param {number} i @param {number} side */
function meanColour({ shape: [rows, columns, channels = 1], range: [low, high] }, values, i, side) {
  const [row, column] = [Math.floor(i / side), i % side];
  const begin = (/** @type {number} */ at, /** @type {number} */ length) => Math.floor((at * length) / side);
  const end = (/** @type {number} */ at, /** @type {number} */ length) => Math.max(Math.ceil(((at + 1) * length) / side), begin(at, length) + 1);
  const colour = [0, 0, 0];
  let count = 0;
  for (let r = begin(row, rows); r < end(row, rows); r++) {
    for (let c = begin(column, columns); c < end(column, columns); c++) {
      const at = (r * columns + c) * channels;
      for (let k = 0; k < 3; k++) colour[k] += values[at + (channels === 3 ? k : 0)];
      count += 1;
    }
  }
  return colour.map((sum) => (255 * (sum / count - low)) / (high - low));
}

/** Return the mean of a cell and its neighbours, because a single pixel represents its surroundings poorly. @param {ArrayLike<number>} cells @param {number} i @param {number} side */
function around(cells, i, side) {
  const [row, column] = [Math.floor(i / side), i % side];
  let [sum, count] = [0, 0];
  for (let r = Math.max(row - 1, 0); r <= Math.min(row + 1, side - 1); r++) {
    for (let c = Math.max(column - 1, 0); c <= Math.min(column + 1, side - 1); c++) {
      sum += cells[r * side + c];
      count += 1;
    }
  }
  return sum / count;
}
