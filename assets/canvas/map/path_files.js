// The outputs along a path as files: an animated GIF, or a ZIP of PNG pictures.

import { GifFile } from "../kit/gif.js";
import { OutputPicture } from "../kit/output_picture.js";
import { countColours, paletteOf } from "../kit/palette.js";
import { css } from "../kit/theme.js";
import { zipFile } from "../kit/zip.js";

/** @typedef {(done: number, all: number) => void} Progress called with the number of finished pictures and of all pictures */

/** pose: a dragged body that is drawn instead of the mean. @typedef {{ place: Float64Array, pose: Float64Array | null }} PathFrame */

/** Outputs that are drawn with the size, colours and turn of a picture on the page. */
class Frames {
  /** @param {OutputPicture} picture on the page @param {PathFrame[]} frames */
  constructor(picture, frames) {
    this.frames = frames;
    this.theme = picture.state.theme;
    this.own = new OutputPicture(document.createElement("canvas"), picture.model, picture.state, () => {});
    this.own.size = picture.size;
    /** The drawing on the page's background. */
    this.canvas = document.createElement("canvas");
    [this.canvas.width, this.canvas.height] = [picture.canvas.width, picture.canvas.height];
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d", { willReadFrequently: true }));
  }

  /** @param {number} i */
  draw(i) {
    const { canvas, context, own } = this;
    const { place, pose } = this.frames[i];
    own.posed = () => pose;
    own.draw(place);
    context.fillStyle = css(this.theme.background);
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(own.canvas, 0, 0, canvas.width, canvas.height);
    return canvas;
  }

  /** @param {number} i */
  pixels(i) {
    this.draw(i);
    return this.context.getImageData(0, 0, this.canvas.width, this.canvas.height).data;
  }
}

/**
 * Make a GIF of the outputs along a path, in steps.
 * @param {OutputPicture} picture
 * @param {PathFrame[]} path
 * @param {number} delay in hundredths of a second
 * @param {Progress} report
 * @returns {Generator<void, Uint8Array>}
 */
export function* pathGif(picture, path, delay, report) {
  const frames = new Frames(picture, path);
  const count = path.length;
  // Every frame is drawn twice, since storing all frames would need much memory.
  const counts = new Map();
  for (let i = 0; i < count; i++) {
    countColours(frames.pixels(i), counts);
    report(i, 2 * count);
    yield;
  }
  const file = new GifFile(frames.canvas.width, frames.canvas.height, paletteOf(counts), delay);
  for (let i = 0; i < count; i++) {
    file.add(frames.pixels(i));
    report(count + i, 2 * count);
    yield;
  }
  return file.finished();
}

/**
 * Make a ZIP of numbered PNG pictures of the outputs along a path, in steps.
 * @param {OutputPicture} picture
 * @param {PathFrame[]} path
 * @param {Progress} report
 * @returns {Generator<void, Uint8Array>}
 */
export function* pathZip(picture, path, report) {
  const frames = new Frames(picture, path);
  const entries = [];
  for (let i = 0; i < path.length; i++) {
    const [, base64] = frames.draw(i).toDataURL("image/png").split(",");
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    entries.push({ name: `${String(i + 1).padStart(4, "0")}.png`, bytes });
    report(i, path.length);
    yield;
  }
  return zipFile(entries);
}
