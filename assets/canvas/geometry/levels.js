// The values of known factors that a map leaves out, such as batches: the model's outputs at each of them.
//
// At a value, every k(z_m, x) has a factor of its own, and the outputs have another center (gplvm_core/wire/levels.py).

/** @import { Frame, Numbers } from "../kit/frame.js" */
/** @import { Floats } from "./kernels.js" */
/** @import { LatentModel } from "./model.js" */

export class Levels {
  /** @param {Frame} frame */
  constructor({ header: { levels }, arrays, shapes }) {
    /** @type {string} */
    this.name = levels.name;
    /** The values in words. @type {string[]} */
    this.words = levels.words;
    /** The value that is shown first. @type {number} */
    this.first = levels.first;
    /** Whether the values are points on a scale. @type {boolean} */
    this.numbers = levels.numbers;
    /** The number of values that the bytes have. */
    this.known = shapes.level_fades?.[0] ?? 0;
    /** V × M; undefined if the bytes have only the model at another value. @type {Floats | undefined} */
    this.fades = arrays.level_fades;
    /** V × D. @type {Floats} */
    this.centers = arrays.level_centers;
    /** The value of every row; -1 for a value between those of the choice. @type {Numbers | undefined} */
    this.ofRows = arrays.row_levels;
    this.transform = arrays.transform;
    this.basis = arrays.variance_basis;
  }

  /** Return whether the bytes have the outputs at a value; those of others come from the server. @param {number} level */
  has(level) {
    return level < this.known;
  }

  /** Return whether a row may be compared with the outputs at a value. @param {number} row @param {number} level */
  suits(row, level) {
    return !this.ofRows || this.ofRows[row] < 0 || this.ofRows[row] === level;
  }

  /** Give a model its outputs at a value. @param {number} level @param {LatentModel} model */
  show(level, model) {
    const { fades, centers, transform, basis } = this;
    const { nInducing: M, nOutputs: D, outputs } = model;
    if (!fades || !this.has(level)) return;
    const fade = fades.subarray(level * M, (level + 1) * M);
    model.transform = faded(transform, fade);
    if (basis) outputs.basis = faded(basis, fade);
    model.center = centers.subarray(level * D, (level + 1) * D);
  }
}

/** Multiply the columns of a matrix. @param {Floats} matrix … × M @param {Floats} fade M */
function faded(matrix, fade) {
  return Float64Array.from(matrix, (value, at) => value * fade[at % fade.length]);
}
