// One row of data as a picture: image, stick figure, curve, bars, or the card of a table with words. The same code draws the live
// output, the samples, the uncertainty and the thumbnails. NaN is a missing value: pixels are
// hatched, joints and their bones omitted, bars replaced by a band, curves interrupted.

import { element, fitCanvas } from "./dom.js";
import { drawImage } from "./image.js";
import { drawSkeleton } from "./skeleton.js";
import { cardHeight, drawTable } from "./table_card.js";
import { css } from "./theme.js";
import { START_TURN } from "./turn.js";
import { drawVector } from "./vector.js";

/** @import { Drawing, Turn } from "./geometry.js" */
/** @import { Theme } from "./theme.js" */
/** @import { Output } from "../geometry/model.js" */

/**
 * @typedef {object} DrawOptions
 * @property {Theme} theme
 * @property {Turn} turn
 * @property {boolean} [small] whether to omit the axes
 * @property {ArrayLike<number> | null} [spread] standard deviations to show around the values (skeleton, curve, bars)
 * @property {[number, number] | null} [heat] the values are standard deviations between these limits (images have separate colours)
 */

/**
 * Return the height of the drawing for a width, by the kind of data.
 * @param {Drawing} drawing
 * @param {number} width
 * @param {boolean} [small]
 */
export function outputHeight(drawing, width, small = false) {
  if (drawing.kind === "image") return (width * drawing.shape[0]) / drawing.shape[1];
  if (drawing.kind === "skeleton") return width;
  if (drawing.kind === "table") return cardHeight(drawing, width, small);
  return width * (small ? 0.85 : 0.7);
}

/**
 * Draw `values` into the box (0, 0, width, height) of a context.
 * @param {CanvasRenderingContext2D} context
 * @param {Drawing} drawing
 * @param {ArrayLike<number>} values
 * @param {number} width
 * @param {number} height
 * @param {DrawOptions} options
 */
export function drawOutput(context, drawing, values, width, height, options) {
  context.clearRect(0, 0, width, height);
  const draw = { image: drawImage, skeleton: drawSkeleton, curve: drawVector, bars: drawVector, table: drawTable }[drawing.kind];
  draw(context, drawing, values, width, height, options);
}

/**
 * Draw an output in small. The canvas gets its height, which is at most `tallest` times the width.
 * @param {HTMLCanvasElement} canvas
 * @param {Drawing} drawing
 * @param {ArrayLike<number>} values
 * @param {number} width
 * @param {DrawOptions & { tallest?: number }} options
 */
export function drawSmall(canvas, drawing, values, width, { tallest = 1.2, ...options }) {
  const height = Math.min(outputHeight(drawing, width, true), tallest * width);
  canvas.style.height = `${height}px`;
  drawOutput(fitCanvas(canvas, width, height), drawing, values, width, height, { ...options, small: true });
}

/**
 * Return a small picture of an output, for the inside of a button with a name.
 * @param {Drawing} drawing
 * @param {ArrayLike<number>} values
 * @param {number} width
 * @param {DrawOptions & { tallest?: number }} options
 */
export function smallPicture(drawing, values, width, options) {
  const canvas = element("canvas", { style: `width:${width}px`, "aria-hidden": "true" });
  drawSmall(canvas, drawing, values, width, options);
  return canvas;
}

/**
 * Draw a training item on a separate canvas, for the map.
 * @param {Output} model
 * @param {number} n
 * @param {number} size
 * @param {Theme} theme
 */
export function thumbnailPicture(model, n, size, theme) {
  const canvas = document.createElement("canvas");
  const context = fitCanvas(canvas, size, size);
  const drawing = { ...model.drawing, shape: model.header.item_shape };
  const picture = document.createElement("canvas");
  const inner = fitCanvas(picture, size, size);
  const range = model.header.item_range ?? drawing.range;
  drawOutput(inner, { ...drawing, range }, model.item(n), size, size, { theme, turn: START_TURN, small: true });
  context.fillStyle = css(theme.background, 0.92);
  context.fillRect(0, 0, size, size);
  context.drawImage(picture, 0, 0, size, size);
  return canvas;
}
