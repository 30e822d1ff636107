// A plane through the latent space, and the predictive variance on a grid in this plane.

import { kernelPlane } from "./kernels.js";

/** @import { LatentModel } from "./model.js" */

/**
 * Variances on a grid of a plane.
 * @template Tables
 * @typedef {object} Slice
 * @property {(us: Float64Array) => Tables} columns returns the values that all rows of the grid share
 * @property {(us: Float64Array, tables: Tables, v: number, out: Float64Array, offset: number) => void} variances writes
 * the variances of one row of the grid (at height v) into out[offset …]
 */

/**
 * Return a slice of values that are functions of the place.
 * @param {(u: number, v: number) => number} valueAt
 * @returns {Slice<any>}
 */
export function sampledSlice(valueAt) {
  return {
    columns: () => null,
    variances(us, _, v, out, offset) {
      for (let i = 0; i < us.length; i++) out[offset + i] = valueAt(us[i], v);
    },
  };
}

/**
 * Variances on a grid of the plane (a, b); values that are constant in the plane are computed once.
 * @implements {Slice<Float64Array[]>}
 */
export class LatentSlice {
  /**
   * @param {LatentModel} model
   * @param {ArrayLike<number>} x
   * @param {number} a
   * @param {number} b
   */
  constructor(model, x, a, b) {
    this.model = model;
    this.planes = model.kernel.map((part) => kernelPlane(part, x, a, b, model));
    this.row = new Float64Array(model.nInducing);
  }

  /** Return the kernel factors that depend only on the column of the grid. @param {Float64Array} us */
  columns(us) {
    return this.planes.map((plane) => plane.columns(us));
  }

  /**
   * @param {Float64Array} us
   * @param {Float64Array[]} tables
   * @param {number} v
   * @param {Float64Array} out
   * @param {number} offset
   */
  variances(us, tables, v, out, offset) {
    const { planes, row } = this;
    const factors = planes.map((plane) => plane.height(v));
    for (let i = 0; i < us.length; i++) {
      let diagonal = 0;
      row.fill(0);
      for (let p = 0; p < planes.length; p++) {
        planes[p].add(row, tables[p], i, factors[p], us[i], v);
        diagonal += planes[p].diagonal(us[i], v);
      }
      out[offset + i] = Math.max(diagonal - this.model.known(row), 0);
    }
  }
}
