// A fitted regression in the browser: it predicts at inputs that are exact, uncertain or unknown.

import { readFrame } from "../kit/frame.js";
import { kernelKind } from "./kernels.js";

/** @import { Floats, KernelKind, Part } from "./kernels.js" */
/** Means and variances of the outputs of a layer. @typedef {{ mean: Float64Array, variance: Float64Array }} Moments */
/** @typedef {{ name: string, low: number, high: number, middle: number, whole: boolean, words: string[], apart: boolean }} Input */
/** An answer in the target's unit: mean, deviation of a new row, deviation of the function. @typedef {{ mean: number, deviation: number, doubt: number }} Answer */

export const INTERVAL = 1.959964; // standard deviations: 95 % of a Gaussian

// Same formulas as gplvm_core/prediction/generate.py: the first two moments pass from layer to layer.

/** One Gaussian process between two layers, in double precision. */
class Layer {
  /**
   * @param {{ kernel: Part[], noise: number }} described
   * @param {Record<string, any>} arrays
   * @param {Record<string, number[]>} shapes
   * @param {number} number
   */
  constructor({ kernel, noise }, arrays, shapes, number) {
    const own = (/** @type {string} */ name) => arrays[`${name}${number}`];
    this.kernel = kernel;
    /** @type {KernelKind[]} */
    this.kinds = kernel.map(kernelKind);
    this.noise = noise;
    /** @type {Floats} */
    this.inducing = own("inducing");
    this.nInducing = shapes[`inducing${number}`][0];
    this.nLatent = shapes[`inducing${number}`][1];
    /** M × D. @type {Floats} */
    this.weights = own("weights");
    this.nOutputs = shapes[`weights${number}`][1];
    /** G × M × M. @type {Floats} */
    this.gap = own("gap");
    /** @type {Int32Array} */
    this.group = own("group");
    /** @type {Floats} */
    this.center = own("center");
    /** @type {Floats} */
    this.scale = own("scale");
    /** The slope of a linear mean function, Q × D. @type {Floats | undefined} */
    this.slope = own("slope");
    this.row = new Float64Array(this.nInducing);
    /** @type {Float64Array[] | null} */
    this.pairs = null;
  }

  /** Whether the kernel allows uncertain inputs. */
  get averages() {
    return this.kernel.length === 1 && this.kernel[0].kind === "rbf";
  }

  /** Return k(x, x). @param {ArrayLike<number>} x */
  prior(x) {
    return this.kernel.reduce((total, part, p) => total + this.kinds[p].diagonal(part, x), 0);
  }

  /**
   * Return the functions at inputs that are known exactly (variance null) or are ~ N(x, variance), in the
   * units of the outputs.
   * @param {ArrayLike<number>} x
   * @param {ArrayLike<number> | null} variance
   * @returns {Moments} without this layer's noise
   */
  at(x, variance) {
    const found = variance ? this.uncertain(x, variance) : this.certain(x);
    for (let d = 0; d < this.nOutputs; d++) {
      found.mean[d] = this.center[d] + this.scale[d] * found.mean[d];
      found.variance[d] *= this.scale[d] ** 2;
    }
    return found;
  }

  /** @param {ArrayLike<number>} x @returns {Moments} in internal units */
  certain(x) {
    const { nInducing: M, row, gap, group, kernel, kinds } = this;
    row.fill(0);
    for (let p = 0; p < kernel.length; p++) kinds[p].row(kernel[p], x, this, row);
    const prior = this.prior(x);
    const explained = new Float64Array(gap.length / (M * M));
    for (let g = 0, at = 0; g < explained.length; g++) {
      for (let i = 0; i < M; i++) {
        let sum = 0;
        for (let j = 0; j < M; j++, at++) sum += gap[at] * row[j];
        explained[g] += sum * row[i];
      }
    }
    const variance = Float64Array.from(group, (g) => Math.max(prior - explained[g], 0));
    return { mean: this.means(x, row), variance };
  }

  /** Return the means of the functions, from k(Z, x) or its expectation. @param {ArrayLike<number>} x @param {Float64Array} row */
  means(x, row) {
    const { nInducing: M, nLatent: Q, nOutputs: D, weights, slope } = this;
    const mean = new Float64Array(D);
    for (let m = 0, at = 0; m < M; m++) for (let d = 0; d < D; d++, at++) mean[d] += row[m] * weights[at];
    if (slope) for (let q = 0, at = 0; q < Q; q++) for (let d = 0; d < D; d++, at++) mean[d] += x[q] * slope[at];
    return mean;
  }

  /**
   * Return the factors of ⟨k k'⟩ that do not depend on x, multiplied for every output by w w', and separately
   * by the gap. ⟨k k'⟩ is a Gaussian at the middle of two inducing inputs; the pairs (m, m') and (m', m)
   * share one entry.
   */
  pairTerms() {
    if (this.pairs) return this.pairs;
    const { nInducing: M, nLatent: Q, nOutputs: D, inducing: Z, weights, gap, group, kernel } = this;
    const { variance, precision } = kernel[0];
    const middle = new Float64Array((Q * M * (M + 1)) / 2);
    const terms = Array.from({ length: 2 * D }, () => new Float64Array((M * (M + 1)) / 2));
    for (let i = 0, pair = 0; i < M; i++) {
      for (let j = 0; j <= i; j++, pair++) {
        let apart = 0;
        for (let q = 0; q < Q; q++) {
          middle[pair * Q + q] = (Z[i * Q + q] + Z[j * Q + q]) / 2;
          apart += precision[q] * (Z[i * Q + q] - Z[j * Q + q]) ** 2;
        }
        const factor = (i === j ? 1 : 2) * variance ** 2 * Math.exp(-apart / 4);
        for (let d = 0; d < D; d++) {
          terms[d][pair] = factor * weights[i * D + d] * weights[j * D + d];
          terms[D + d][pair] = factor * gap[group[d] * M * M + i * M + j];
        }
      }
    }
    this.pairs = [middle, ...terms];
    return this.pairs;
  }

  /** @param {ArrayLike<number>} x @param {ArrayLike<number>} spread @returns {Moments} in internal units */
  uncertain(x, spread) {
    const { nInducing: M, nLatent: Q, nOutputs: D, inducing: Z, weights, slope, kernel, row } = this;
    const { variance: level, precision } = kernel[0];
    const single = Array.from({ length: Q }, (_, q) => precision[q] / (1 + precision[q] * spread[q]));
    const double = Array.from({ length: Q }, (_, q) => precision[q] / (1 + 2 * precision[q] * spread[q]));
    let [one, two] = [level, 1];
    for (let q = 0; q < Q; q++) {
      one /= Math.sqrt(1 + precision[q] * spread[q]);
      two /= Math.sqrt(1 + 2 * precision[q] * spread[q]);
    }
    for (let m = 0; m < M; m++) {
      let distance = 0;
      for (let q = 0; q < Q; q++) distance += single[q] * (x[q] - Z[m * Q + q]) ** 2;
      row[m] = one * Math.exp(-distance / 2);
    }
    const mean = this.means(x, row);
    const [middle, ...terms] = this.pairTerms();
    const squares = new Float64Array(2 * D);
    for (let pair = 0, at = 0; pair < terms[0].length; pair++) {
      let distance = 0;
      for (let q = 0; q < Q; q++, at++) distance += double[q] * (x[q] - middle[at]) ** 2;
      const value = two * Math.exp(-distance);
      for (let t = 0; t < squares.length; t++) squares[t] += value * terms[t][pair];
    }
    const variance = new Float64Array(D);
    for (let d = 0; d < D; d++) {
      let bent = 0;
      for (let m = 0; m < M; m++) bent += row[m] * weights[m * D + d];
      let carried = squares[d] - bent * bent;
      for (let q = 0; slope && q < Q; q++) {
        let pull = 0; // the derivative of the curved part's mean along q
        for (let m = 0; m < M; m++) pull += weights[m * D + d] * row[m] * single[q] * (Z[m * Q + q] - x[q]);
        carried += spread[q] * ((pull + slope[q * D + d]) ** 2 - pull ** 2);
      }
      variance[d] = Math.max(carried, 0) + Math.max(level - squares[D + d], 0);
    }
    return { mean, variance };
  }
}

export class Regression {
  /** @param {Uint8Array} bytes framed, from gplvm_core/wire/regression.py */
  constructor(bytes) {
    const { header, arrays, shapes } = readFrame(bytes);
    this.header = header;
    /** @type {Input[]} */
    this.inputs = header.inputs;
    /** @type {Layer[]} */
    this.layers = header.layers.map((/** @type {any} */ layer, /** @type {number} */ n) => new Layer(layer, arrays, shapes, n));
    /** Some training rows, N × Q, and their targets. @type {Float32Array} */
    this.rows = arrays.rows;
    /** @type {Float32Array} */
    this.targets = arrays.targets;
    /** @type {Float64Array} */
    this.center = arrays.input_center;
    /** @type {Float64Array} */
    this.scale = arrays.input_scale;
  }

  /** Whether an input may be unknown; the answer then averages over the input's values. */
  get averages() {
    return this.layers[0].averages;
  }

  /** Return the inputs of the first layer; a word that is an input of its own is 0 or 1. @param {ArrayLike<number>} x @returns {number[]} */
  expanded(x) {
    return this.inputs.flatMap(({ words, apart }, q) => {
      const value = words.length ? Math.round(x[q]) : x[q];
      return apart ? words.map((_, k) => Number.isNaN(value) ? NaN : Number(value === k)) : [value];
    });
  }

  /**
   * Return the outputs of every layer for inputs in their own units; NaN: unknown.
   * @param {ArrayLike<number>} x
   * @returns {Moments[]} of the functions, without the layer's own noise
   */
  through(x) {
    const inner = this.expanded(x);
    /** @type {Float64Array} */
    let at = Float64Array.from(this.center, (center, q) => Number.isNaN(inner[q]) ? 0 : (inner[q] - center) / this.scale[q]);
    /** @type {Float64Array | null} */
    let spread = Float64Array.from(at, (_, q) => Number(Number.isNaN(inner[q])));
    if (!spread.some(Boolean)) spread = null;
    return this.layers.map((layer) => {
      const found = layer.at(at, spread);
      at = found.mean;
      spread = found.variance.map((variance, d) => variance + layer.noise * layer.scale[d] ** 2);
      return found;
    });
  }

  /** @param {ArrayLike<number>} x @returns {Answer} */
  answer(x) {
    const found = this.through(x);
    return this.inWords(found[found.length - 1]);
  }

  /** @param {Moments} moments @returns {Answer} */
  inWords({ mean, variance }) {
    const last = this.layers[this.layers.length - 1];
    const noise = last.noise * last.scale[0] ** 2;
    return { mean: mean[0], deviation: Math.sqrt(variance[0] + noise), doubt: Math.sqrt(variance[0]) };
  }

  /** Return the answers along one input, while the other inputs stay fixed. @param {ArrayLike<number>} x @param {number} q @param {ArrayLike<number>} grid */
  along(x, q, grid) {
    const place = Float64Array.from(x);
    return Array.from(grid, (value) => {
      place[q] = value;
      return this.answer(place);
    });
  }
}
