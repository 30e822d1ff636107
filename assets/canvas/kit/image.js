// A row of data as an image; missing pixels are hatched.

import { contextOf } from "./dom.js";
import { imageBox } from "./geometry.js";
import { css, heatColour } from "./theme.js";

/** @import { Drawing } from "./geometry.js" */
/** @import { DrawOptions } from "./output.js" */
/** @import { Colour, Theme } from "./theme.js" */

/** Canvases that are reused. @type {{ source?: HTMLCanvasElement, middle?: HTMLCanvasElement }} */
const canvases = {};

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Drawing} drawing
 * @param {ArrayLike<number>} values
 * @param {number} width
 * @param {number} height
 * @param {DrawOptions} options
 */
export function drawImage(context, drawing, values, width, height, { theme, heat = null }) {
  const [rows, columns, channels = 1] = drawing.shape;
  const source = (canvases.source ??= document.createElement("canvas"));
  [source.width, source.height] = [columns, rows];
  const pixels = contextOf(source);
  const image = pixels.createImageData(columns, rows);
  const [low, high] = heat ?? drawing.range;
  const scale = 255 / (high - low);
  let gaps = false;
  for (let i = 0; i < rows * columns; i++) {
    let value = 0;
    for (let c = 0; c < channels; c++) value += values[i * channels + c] / channels;
    if (Number.isNaN(value)) {
      gaps = true; // the pixel stays transparent
      continue;
    }
    if (heat) {
      image.data.set(heatColour((value - low) / (high - low)), 4 * i);
    } else {
      for (let c = 0; c < 3; c++) image.data[4 * i + c] = (values[i * channels + (channels === 3 ? c : 0)] - low) * scale;
    }
    image.data[4 * i + 3] = 255;
  }
  pixels.putImageData(image, 0, 0);
  // A coarse image shows its pixels, slightly softened; a fine image is smoothed.
  const { x, y, fit } = imageBox(drawing, width, height);
  const [w, h] = [columns * fit, rows * fit];
  if (gaps) drawHatching(context, x, y, w, h, theme);
  context.imageSmoothingQuality = "high";
  if (Math.max(rows, columns) > 24) {
    context.imageSmoothingEnabled = true;
    context.drawImage(source, x, y, w, h);
    return;
  }
  const middle = (canvases.middle ??= document.createElement("canvas"));
  [middle.width, middle.height] = [columns * 6, rows * 6];
  const soft = contextOf(middle);
  soft.imageSmoothingEnabled = false;
  soft.drawImage(source, 0, 0, middle.width, middle.height);
  context.imageSmoothingEnabled = true;
  context.drawImage(middle, x, y, w, h);
}

/**
 * Draw diagonal lines over missing pixels.
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {Theme} theme
 */
export function drawHatching(context, x, y, width, height, theme) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = css(theme.muted, 0.55);
  context.lineWidth = 1;
  context.beginPath();
  for (let at = -height; at < width; at += 5) {
    context.moveTo(x + at, y + height);
    context.lineTo(x + at + height, y);
  }
  context.stroke();
  context.restore();
}

/**
 * Draw pixels in arbitrary colours; colourOf(cell) returns [r, g, b], or null for no colour.
 * @param {CanvasRenderingContext2D} context
 * @param {Drawing} drawing
 * @param {number} width
 * @param {number} height
 * @param {(cell: number) => Colour | null} colourOf
 */
export function drawPixels(context, drawing, width, height, colourOf) {
  const [rows, columns] = drawing.shape;
  const source = (canvases.source ??= document.createElement("canvas"));
  [source.width, source.height] = [columns, rows];
  const pixels = contextOf(source);
  const image = pixels.createImageData(columns, rows);
  for (let i = 0; i < rows * columns; i++) {
    const colour = colourOf(i);
    if (colour) image.data.set([...colour, 255], 4 * i);
  }
  pixels.putImageData(image, 0, 0);
  const { x, y, fit } = imageBox(drawing, width, height);
  context.imageSmoothingEnabled = false;
  context.drawImage(source, x, y, columns * fit, rows * fit);
}
