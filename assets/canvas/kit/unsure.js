// Pixels that may be off: blurred or faded, the more the less they are known.

import { contextOf } from "./dom.js";
import { imageBox } from "./geometry.js";
import { css } from "./theme.js";

/** @import { Drawing } from "./geometry.js" */
/** @import { Theme } from "./theme.js" */

/**
 * cells: variances on a square grid of so many cells a side, as shares of the data's own; from, to:
 * the deviations where the effect begins and where it is whole.
 * @typedef {{ how: "blur" | "fade", cells: ArrayLike<number>, side: number, from: number, to: number }} UnsurePixels
 */

const COARSE = 14; // pixels of a blurred picture along its width
const FADED = 0.9; // of a pixel's colour, at most

/** Canvases that are used again and again. @type {{ mask?: HTMLCanvasElement, coarse?: HTMLCanvasElement, layer?: HTMLCanvasElement }} */
const sheets = {};

/**
 * Over an image that was drawn.
 * @param {CanvasRenderingContext2D} context
 * @param {Drawing} drawing
 * @param {[number, number]} size in CSS pixels
 * @param {UnsurePixels} unsure
 * @param {Theme} theme
 */
export function drawUnsure(context, drawing, size, { how, cells, side, from, to }, theme) {
  const mask = (sheets.mask ??= document.createElement("canvas"));
  [mask.width, mask.height] = [side, side];
  const image = contextOf(mask).createImageData(side, side);
  let most = 0;
  for (let i = 0; i < side * side; i++) {
    const share = Math.min(Math.max((Math.sqrt(around(cells, i, side)) - from) / (to - from), 0), 1);
    image.data[4 * i + 3] = 255 * share;
    most = Math.max(most, share);
  }
  if (most === 0) return;
  contextOf(mask).putImageData(image, 0, 0);
  const { x, y, fit } = imageBox(drawing, ...size);
  const [w, h] = [drawing.shape[1] * fit, drawing.shape[0] * fit];
  const layer = (sheets.layer ??= document.createElement("canvas"));
  [layer.width, layer.height] = [Math.max(Math.round(w), 1), Math.max(Math.round(h), 1)];
  const over = contextOf(layer);
  over.imageSmoothingQuality = "high";
  if (how === "fade") {
    over.globalAlpha = FADED;
    over.fillStyle = css(theme.background);
    over.fillRect(0, 0, layer.width, layer.height);
    over.globalAlpha = 1;
  } else {
    const coarse = (sheets.coarse ??= document.createElement("canvas"));
    [coarse.width, coarse.height] = [COARSE, Math.max(Math.round((COARSE * h) / w), 1)];
    const small = contextOf(coarse);
    small.imageSmoothingQuality = "high";
    const ratio = context.canvas.width / size[0];
    small.drawImage(context.canvas, x * ratio, y * ratio, w * ratio, h * ratio, 0, 0, coarse.width, coarse.height);
    over.drawImage(coarse, 0, 0, layer.width, layer.height);
  }
  over.globalCompositeOperation = "destination-in";
  over.drawImage(mask, 0, 0, layer.width, layer.height);
  context.drawImage(layer, x, y, w, h);
}

/** The mean of a cell and its neighbours: a single pixel says little of its surroundings. @param {ArrayLike<number>} cells @param {number} i @param {number} side */
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
