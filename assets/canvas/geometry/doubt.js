// How wrong an output may be at a place on the map: the function's uncertainty there, and the
// variation among nearby rows, which differ in the hidden dimensions.

/** @import { LatentModel } from "./model.js" */
/** @import { NearPlane } from "./nearness.js" */

export const DOUBT_CELLS = 16; // cells along each side of an image
const MOST_LOOKED_AT = 256; // the most outputs that are evaluated
const ON_THE_PLANE = 1e-3; // a point follows the data if no coordinate differs by more

// The limits follow from measurements on held-out rows (benchmarks/README.md). At "A guess", the picture explains at
// most about a fifth of a row's difference from the mean of all rows. At "Well known here", at most about one value in
// seven is wrong by more than half the data's standard deviation. Both limits are fractions of that deviation.
export const WELL_KNOWN = 0.22;
export const FAIRLY_SURE = 0.6;
export const ALL_UNSURE = 1.2; // a pixel with this uncertainty is blurred completely

/** Describe an uncertainty in words. @param {number} share */
export function sureWords(share) {
  return share < WELL_KNOWN ? "Well known here" : share < FAIRLY_SURE ? "Fairly sure" : "A guess";
}

export class Doubt {
  /** @param {LatentModel} model */
  constructor(model) {
    const { nTerms, nOutputs, weights, drawing, outputs: { scales } } = model;
    this.model = model;
    /** The outputs that are evaluated. */
    this.at = drawing.kind === "image" ? pixelsOf(drawing.shape) : everyFew(nOutputs);
    const count = this.at.length;
    /** The terms and scales of these outputs. */
    this.weights = new Float64Array(nTerms * count);
    for (let r = 0; r < nTerms; r++) for (let i = 0; i < count; i++) this.weights[r * count + i] = weights[r * nOutputs + this.at[i]];
    this.scales = Float64Array.from(this.at, (d) => scales[d]);
    /** The data's standard deviation, with every output divided by its scale. */
    this.spread = model.header.unit_spread || 1;
    /** Variances of the outputs at the last place, relative to the data's variance. */
    this.cells = new Float64Array(count);
    this.mean = new Float64Array(count);
  }

  /**
   * Return how wrong the outputs may be at a place, relative to the data's standard deviation.
   * @param {ArrayLike<number>} x
   * @param {NearPlane | null} near the rows near the place, if hidden dimensions follow the data
   */
  share(x, near) {
    const { model, cells, mean, scales, spread } = this;
    if (model.table) return model.table.off(Float64Array.from(x), near && this.hidden(x, near));
    const hidden = near ? this.hidden(x, near) : null;
    const dimensions = hidden ? Array.from(hidden.keys()).filter((q) => hidden[q] > 0) : [];
    const weight = 1 / (2 * dimensions.length || 1);
    cells.fill(0);
    mean.fill(0);
    let known = 0;
    const place = Float64Array.from(x);
    const look = () => {
      known += weight * Math.max(model.kernelDiagonal(place) - model.look(place), 0);
      this.add(weight);
    };
    if (!dimensions.length) look();
    for (const q of dimensions) {
      const step = Math.sqrt(dimensions.length * /** @type {Float64Array} */ (hidden)[q]);
      for (const side of [-1, 1]) {
        place[q] = x[q] + side * step;
        look();
      }
      place[q] = x[q];
    }
    let total = 0;
    const unit = model.outputs.unit * known;
    for (let i = 0; i < cells.length; i++) {
      cells[i] = (unit + Math.max(cells[i] - mean[i] * mean[i], 0) / (scales[i] * scales[i])) / (spread * spread);
      total += cells[i];
    }
    return Math.sqrt(total / cells.length);
  }

  /** Add the outputs of the model's current terms. @param {number} weight */
  add(weight) {
    const { model: { alpha, nTerms }, weights, cells, mean } = this;
    const count = cells.length;
    const values = new Float64Array(count);
    for (let r = 0, at = 0; r < nTerms; r++) for (let i = 0; i < count; i++, at++) values[i] += alpha[r] * weights[at];
    for (let i = 0; i < count; i++) {
      mean[i] += weight * values[i];
      cells[i] += weight * values[i] * values[i];
    }
  }

  /** Return the variances of nearby rows in the hidden dimensions; null if the place does not follow the data. @param {ArrayLike<number>} x @param {NearPlane} near */
  hidden(x, near) {
    const { mean, variances } = near.spread(x[near.a], x[near.b]);
    return near.others.every((q) => Math.abs(mean[q] - x[q]) < ON_THE_PLANE) ? variances : null;
  }
}

/** Return the pixels at the middles of a grid's cells, line by line. @param {readonly number[]} shape */
function pixelsOf([rows, columns, channels = 1]) {
  const middle = (/** @type {number} */ i, /** @type {number} */ length) => Math.floor(((i + 0.5) * length) / DOUBT_CELLS);
  return Int32Array.from({ length: DOUBT_CELLS * DOUBT_CELLS }, (_, i) => (middle(Math.floor(i / DOUBT_CELLS), rows) * columns + middle(i % DOUBT_CELLS, columns)) * channels);
}

/** @param {number} count */
function everyFew(count) {
  const step = Math.ceil(count / MOST_LOOKED_AT);
  return Int32Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
}
