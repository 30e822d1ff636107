// Linear functionals of the outputs at a latent point: their means, variances and slopes.

/** @import { LatentModel } from "../geometry/model.js" */

/**
 * A linear functional of the outputs with a target and the standard deviation of the target's error.
 * noiseless: whether the tolerance includes the noise.
 * @typedef {{ outputs: ArrayLike<number>, weights: ArrayLike<number>, target: number, tolerance: number, noiseless?: boolean }} Handle
 */
/**
 * A yes/no output with a known answer, 1 for yes and −1 for no; its function is center + unit · output.
 * @typedef {{ output: number, sign: number, center: number, unit: number }} Answer
 */
/** A bone: the first outputs of its two ends, its length, and the tolerance of the length. @typedef {{ from: number, to: number, length: number, tolerance: number }} BoneTerm */
/** A matrix of the posterior variance, and the prior variance in units of k(x, x). @typedef {{ gap: Float64Array, ratio: number }} VarianceForm */

const PRIOR_STEP = 1e-4; // step of the finite differences of k(x, x), which is at most quadratic

export class Functionals {
  /** @param {LatentModel} model */
  constructor(model) {
    const { nInducing: M, nLatent: Q } = model;
    this.model = model;
    /** @type {Handle[]} */
    this.handles = [];
    /** @type {BoneTerm[]} */
    this.bones = [];
    /** @type {Answer[]} */
    this.answers = [];
    /** One row per functional, T' (weights' a), one per answer, and three rows per bone. */
    this.rows = new Float64Array(0);
    this.count = 0;
    this.offsets = new Float64Array(0);
    /** The functionals of a linear mean function. */
    this.linear = new Float64Array(0);
    this.means = new Float64Array(0);
    /** The slopes of the means, (H + A + 3 B) × Q. */
    this.slopes = new Float64Array(0);
    /** @type {VarianceForm[]} */
    this.forms = [];
    /** The variance forms of all kinds of outputs; null until they are needed. @type {VarianceForm[] | null} */
    this.allForms = null;
    /** The factor of every form in the variance of every functional and answer, (H + A) × forms. */
    this.levels = new Float64Array(0);
    this.noises = new Float64Array(0);
    /** The variance of every form at the point of the last `look`. */
    this.known = new Float64Array(0);
    this.knownSlopes = new Float64Array(0);
    /** k(Z, x), and its derivative M × Q. */
    this.row = new Float64Array(M);
    this.rowSlopes = new Float64Array(M * Q);
    this.carried = new Float64Array(M);
  }

  /** Return the form of the variance that all outputs share, or one form for every kind of output. @returns {VarianceForm[]} */
  sharedForms() {
    const { model, model: { nInducing: M, rank, transform, shrink, outputs } } = this;
    if (!outputs.basis) return [{ gap: quadratic(transform, shrink, rank, M), ratio: 1 }];
    return Array.from(outputs.ratio, (/** @type {number} */ ratio, /** @type {number} */ s) => {
      const first = outputs.group[s] * outputs.rank * M;
      const shares = model.outputs.shares.subarray(s * outputs.rank, (s + 1) * outputs.rank);
      return { gap: quadratic(/** @type {any} */ (outputs.basis).subarray(first, first + outputs.rank * M), shares, outputs.rank, M), ratio };
    });
  }

  /** Set the handles. @param {Handle[]} handles @param {BoneTerm[]} [bones] @param {Answer[]} [answers] */
  hold(handles, bones = [], answers = []) {
    const { model: { nInducing: M, nLatent: Q } } = this;
    this.handles = handles;
    this.bones = bones;
    this.answers = answers;
    this.count = handles.length + answers.length + 3 * bones.length;
    this.rows = new Float64Array(this.count * M);
    this.offsets = new Float64Array(this.count);
    this.linear = new Float64Array(this.count * Q);
    this.means = new Float64Array(this.count);
    this.slopes = new Float64Array(this.count * Q);
    handles.forEach(({ outputs, weights }, h) => this.setRow(h, outputs, weights));
    answers.forEach(({ output }, i) => this.setRow(handles.length + i, [output], [1]));
    bones.forEach(({ from, to }, b) => {
      for (let axis = 0; axis < 3; axis++) this.setRow(this.firstBone + 3 * b + axis, [to + axis, from + axis], [1, -1]);
    });
    this.setVariances();
  }

  /** The row of the first bone. */
  get firstBone() {
    return this.handles.length + this.answers.length;
  }

  /** Set no handles, but prepare the variances of all kinds of outputs. */
  holdVariances() {
    this.hold([]);
    this.forms = this.allForms ?? [];
    this.known = new Float64Array(this.forms.length);
    this.knownSlopes = new Float64Array(this.forms.length * this.model.nLatent);
  }

  /** @param {number} h @param {ArrayLike<number>} outputs @param {ArrayLike<number>} weights */
  setRow(h, outputs, weights) {
    const { model: { nInducing: M, nLatent: Q, rank, nTerms, nOutputs: D, transform, weights: terms, center } } = this;
    for (let i = 0; i < outputs.length; i++) this.offsets[h] += weights[i] * center[outputs[i]];
    for (let r = 0; r < nTerms; r++) {
      let share = 0;
      for (let i = 0; i < outputs.length; i++) share += weights[i] * terms[r * D + outputs[i]];
      if (r >= rank) this.linear[h * Q + r - rank] += share;
      else for (let m = 0, at = h * M; m < M; m++, at++) this.rows[at] += share * transform[r * M + m];
    }
  }

  /** Compute the variances of the functionals as sums over forms, and the noise of the functionals. */
  setVariances() {
    const { handles, answers, model: { outputs, header } } = this;
    const own = outputs.basis !== undefined;
    this.allForms ??= this.sharedForms();
    const kindOf = (/** @type {number} */ d) => (own ? outputs.kind[d] : 0);
    const used = [...new Set([...handles.flatMap((handle) => Array.from(handle.outputs, kindOf)), ...answers.map(({ output }) => kindOf(output))])];
    const { allForms } = this;
    this.forms = used.map((kind) => (allForms ?? [])[kind]);
    const [F, unit] = [used.length, own ? 1 : outputs.unit];
    this.levels = new Float64Array(this.firstBone * F);
    this.noises = new Float64Array(handles.length);
    handles.forEach((handle, h) => {
      for (let i = 0; i < handle.outputs.length; i++) {
        const d = handle.outputs[i];
        const square = (handle.weights[i] * outputs.scales[d]) ** 2;
        this.levels[h * F + used.indexOf(kindOf(d))] += unit * square;
        if (!handle.noiseless) this.noises[h] += square * header.noise_variance;
      }
    });
    answers.forEach(({ output }, i) => (this.levels[(handles.length + i) * F + used.indexOf(kindOf(output))] = unit * outputs.scales[output] ** 2));
    this.known = new Float64Array(F);
    this.knownSlopes = new Float64Array(F * this.model.nLatent);
  }

  /** Compute the mean of every functional at x, and the variance of every form. @param {ArrayLike<number>} x */
  look(x) {
    const { model, row, rows, count, offsets, linear, means, forms, known } = this;
    const { nInducing: M, nLatent: Q } = model;
    model.kernelRow(x, row);
    for (let h = 0, at = 0; h < count; h++) {
      let sum = offsets[h];
      for (let m = 0; m < M; m++, at++) sum += rows[at] * row[m];
      if (model.nTerms > model.rank) for (let q = 0; q < Q; q++) sum += linear[h * Q + q] * x[q];
      means[h] = sum;
    }
    const prior = model.kernelDiagonal(x);
    forms.forEach(({ gap, ratio }, f) => {
      known[f] = Math.max(ratio * prior - product(gap, row, M), 0);
    });
  }

  /** Compute the slopes of the results of `look`, which must be called first. @param {ArrayLike<number>} x */
  lookSlopes(x) {
    const { model, row, rowSlopes, rows, count, linear, slopes, forms, known, knownSlopes, carried } = this;
    const { nInducing: M, nLatent: Q } = model;
    this.kernelSlopes(x);
    slopes.set(linear);
    for (let h = 0; h < count; h++) addProduct(rows, h * M, rowSlopes, slopes, h * Q, M, Q, 1);
    if (!forms.length) return;
    const prior = this.priorSlope(x);
    forms.forEach(({ gap, ratio }, f) => {
      for (let q = 0; q < Q; q++) knownSlopes[f * Q + q] = known[f] > 0 ? ratio * prior[q] : 0;
      if (known[f] <= 0) return;
      for (let m = 0; m < M; m++) {
        let sum = 0;
        for (let j = 0, at = m * M; j < M; j++, at++) sum += gap[at] * row[j];
        carried[m] = sum;
      }
      addProduct(carried, 0, rowSlopes, knownSlopes, f * Q, M, Q, -2);
    });
  }

  /** Compute ∂k(Z, x)/∂x. @param {ArrayLike<number>} x */
  kernelSlopes(x) {
    const { model, rowSlopes } = this;
    rowSlopes.fill(0);
    model.kinds.forEach(({ derivative }, p) => derivative?.row(model.kernel[p], x, model, rowSlopes));
  }

  /** Compute the gradient of k(x, x). @param {ArrayLike<number>} x */
  priorSlope(x) {
    const place = Float64Array.from(x);
    return place.map((value, q) => {
      const [low, high] = [-PRIOR_STEP, PRIOR_STEP].map((step) => {
        place[q] = value + step;
        return this.model.kernelDiagonal(place);
      });
      place[q] = value;
      return (high - low) / (2 * PRIOR_STEP);
    });
  }
}

/**
 * Return B' diag(shares) B.
 * @param {ArrayLike<number>} basis R × M
 * @param {ArrayLike<number>} shares
 * @param {number} R
 * @param {number} M
 */
function quadratic(basis, shares, R, M) {
  const found = new Float64Array(M * M);
  for (let r = 0; r < R; r++) {
    for (let i = 0; i < M; i++) {
      const left = shares[r] * basis[r * M + i];
      for (let j = 0, at = i * M; j < M; j++, at++) found[at] += left * basis[r * M + j];
    }
  }
  return found;
}

/** Return row' matrix row, for a symmetric matrix. @param {Float64Array} matrix @param {Float64Array} row @param {number} M */
function product(matrix, row, M) {
  let total = 0;
  for (let i = 0; i < M; i++) {
    let sum = 0.5 * matrix[i * M + i] * row[i];
    for (let j = 0, at = i * M; j < i; j++, at++) sum += matrix[at] * row[j];
    total += 2 * sum * row[i];
  }
  return total;
}

/**
 * Add factor · left' slopes to out.
 * @param {Float64Array} left
 * @param {number} first
 * @param {Float64Array} slopes M × Q
 * @param {Float64Array} out
 * @param {number} at
 * @param {number} M
 * @param {number} Q
 * @param {number} factor
 */
function addProduct(left, first, slopes, out, at, M, Q, factor) {
  for (let m = 0, i = 0; m < M; m++) {
    const share = factor * left[first + m];
    for (let q = 0; q < Q; q++, i++) out[at + q] += share * slopes[i];
  }
}
