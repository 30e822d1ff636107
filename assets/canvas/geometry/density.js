// Shading of very many points: stronger where there are more points, in their mixed colours.

/** @import { Colour } from "../kit/theme.js" */
/** @import { Box, PointGrid } from "./grid.js" */

const FAINTEST = 0.3; // opacity of a spot with one point

/** The colour and weight of the points of one kind. @typedef {{ colour: Colour, weight: number }} Kind */

export class Density {
  constructor() {
    /** For every spot, the sums of weighted red, green and blue, and the sum of the weights. */
    this.sums = new Float32Array(0);
  }

  /** @param {number} columns @param {number} rows */
  clear(columns, rows) {
    if (this.sums.length !== 4 * columns * rows) this.sums = new Float32Array(4 * columns * rows);
    else this.sums.fill(0);
  }

  /**
   * Sum the points in every spot of a view.
   * @param {PointGrid} grid
   * @param {Uint8Array} kinds kinds of the grid's points, in the grid's order
   * @param {Kind[]} look of every kind
   * @param {Box} box the shown part of the plane
   * @param {number} columns
   * @param {number} rows
   * @param {number} [step] count only every step-th point, with the weight of `step` points
   */
  gather(grid, kinds, look, box, columns, rows, step = 1) {
    const [u0, u1, v0, v1] = box;
    const { us, vs } = grid;
    const { sums } = this;
    const [across, up] = [columns / (u1 - u0), rows / (v1 - v0)];
    const adds = Float32Array.from(look.flatMap(({ colour, weight }) => [...colour, 1].map((part) => step * weight * part)));
    grid.stretches(box, (from, to) => {
      for (let i = from; i < to; i += step) {
        const x = (us[i] - u0) * across;
        const y = (v1 - vs[i]) * up;
        if (!(x >= 0 && x < columns && y >= 0 && y < rows)) continue;
        const at = 4 * ((y | 0) * columns + (x | 0));
        const kind = 4 * kinds[i];
        sums[at] += adds[kind];
        sums[at + 1] += adds[kind + 1];
        sums[at + 2] += adds[kind + 2];
        sums[at + 3] += adds[kind + 3];
      }
    });
  }

  /** Compute the colours from the sums: red, green, blue and opacity of every spot. @param {Uint8ClampedArray} data */
  paint(data) {
    const { sums } = this;
    let most = 0;
    for (let at = 3; at < sums.length; at += 4) if (sums[at] > most) most = sums[at];
    const rate = (1 - FAINTEST) / Math.max(Math.log(most), 1e-6);
    for (let at = 0; at < sums.length; at += 4) {
      const sum = sums[at + 3];
      if (sum === 0) {
        data[at + 3] = 0;
        continue;
      }
      for (let part = 0; part < 3; part++) data[at + part] = sums[at + part] / sum;
      // The scale is logarithmic: twice as many points always add the same strength.
      data[at + 3] = 255 * (sum <= 1 ? FAINTEST * sum : FAINTEST + rate * Math.log(sum));
    }
  }
}
