// The density of very many points as a picture.

import { Density } from "../geometry/density.js";
import { contextOf } from "../kit/dom.js";

/** @import { Kind } from "../geometry/density.js" */
/** @import { Box, PointGrid } from "../geometry/grid.js" */

const SPOT = 1.5; // size of a spot in CSS pixels

export class DensityPicture {
  constructor() {
    this.density = new Density();
    /** @type {{ canvas: HTMLCanvasElement, image: ImageData } | null} */
    this.bitmap = null;
  }

  /** Return a bitmap with `columns` × `rows` spots. @param {number} columns @param {number} rows */
  sized(columns, rows) {
    const { bitmap } = this;
    if (bitmap && bitmap.image.width === columns && bitmap.image.height === rows) return bitmap;
    const canvas = bitmap?.canvas ?? document.createElement("canvas");
    [canvas.width, canvas.height] = [columns, rows];
    this.bitmap = { canvas, image: contextOf(canvas).createImageData(columns, rows) };
    return this.bitmap;
  }

  /**
   * Draw the points of a view that fills the context's picture.
   * @param {CanvasRenderingContext2D} context
   * @param {PointGrid} grid
   * @param {Uint8Array} kinds
   * @param {Kind[]} look
   * @param {Box} box
   * @param {number} width CSS pixels
   * @param {number} height
   * @param {number} step
   */
  draw(context, grid, kinds, look, box, width, height, step) {
    const [columns, rows] = [Math.ceil(width / SPOT), Math.ceil(height / SPOT)];
    const { canvas, image } = this.sized(columns, rows);
    this.density.clear(columns, rows);
    this.density.gather(grid, kinds, look, box, columns, rows, step);
    this.density.paint(image.data);
    contextOf(canvas).putImageData(image, 0, 0);
    context.imageSmoothingEnabled = true;
    context.drawImage(canvas, 0, 0, width, height);
  }
}
