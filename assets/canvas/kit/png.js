// PNG pictures of drawings, sharper than on the screen, with the page's background.

import { contextOf, element } from "./dom.js";

const LEAST_SIDE = 1024; // pixels of the longer side

/**
 * Return what `draw` draws in a box of CSS pixels, as the bytes of a PNG.
 * @param {number} width
 * @param {number} height
 * @param {string} background
 * @param {(context: CanvasRenderingContext2D) => void} draw
 * @returns {Promise<Uint8Array>}
 */
export async function pngOf(width, height, background, draw) {
  const scale = Math.max(2, LEAST_SIDE / Math.max(width, height));
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  const canvas = element("canvas", { width: w, height: h });
  const context = contextOf(canvas);
  context.setTransform(w / width, 0, 0, h / height, 0, 0);
  draw(context);
  context.globalCompositeOperation = "destination-over";
  context.fillStyle = background;
  context.fillRect(0, 0, width, height);
  const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ done) => canvas.toBlob(done, "image/png"));
  if (!blob) throw new Error(`The browser could not make a picture of ${w} × ${h} pixels.`);
  return new Uint8Array(await blob.arrayBuffer());
}
