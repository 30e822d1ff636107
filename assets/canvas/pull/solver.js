// From outputs back to the map: the latent point that explains handles. The objective is that of
// gplvm_core/prediction/handles.py; node's tests compare both.

import { cholesky, choleskySolve } from "../kit/algebra.js";
import { finish } from "./near.js";

/** @import { LatentModel } from "../geometry/model.js" */
/** @import { NearData } from "./near.js" */

/**
 * A linear functional of the outputs with a target and the standard deviation of the target's error.
 * @typedef {{ outputs: ArrayLike<number>, weights: ArrayLike<number>, target: number, tolerance: number }} Handle
 */
/** A bone: its first outputs at both ends, its length, and how much the length may be off. @typedef {{ from: number, to: number, length: number, tolerance: number }} BoneTerm */
/** A matrix of the posterior variance, and the prior variance in units of k(x, x). @typedef {{ gap: Float64Array, ratio: number }} VarianceForm */

const FIRST_DAMPING = 1e-2;
const LEAST_DAMPING = 1e-9;
const MOST_DAMPING = 1e9;
const FAILED = 6; // the factor of the damping after a failure
const WORKED = 5; // its divisor after a success
const ENOUGH_NATS = 1e-3; // a climb ends at a smaller gain
const PRIOR_STEP = 1e-4; // for the slope of k(x, x), which is at most quadratic

export class Pull {
  /** @param {LatentModel} model @param {NearData} near */
  constructor(model, near) {
    const { nInducing: M, nLatent: Q } = model;
    this.model = model;
    this.near = near;
    /** @type {Handle[]} */
    this.handles = [];
    /** @type {BoneTerm[]} */
    this.bones = [];
    /** Rows of the functionals: T' (weights' a), and a third for every bone. */
    this.rows = new Float64Array(0);
    this.count = 0;
    this.offsets = new Float64Array(0);
    /** Of a linear mean function. */
    this.linear = new Float64Array(0);
    this.means = new Float64Array(0);
    /** (H + 3 B) × Q. */
    this.slopes = new Float64Array(0);
    /** @type {VarianceForm[]} */
    this.forms = [];
    /** Of all kinds of outputs. @type {VarianceForm[] | null} */
    this.allForms = null;
    /** H × forms. */
    this.levels = new Float64Array(0);
    this.noises = new Float64Array(0);
    /** k(Z, x), and its derivative M × Q. */
    this.row = new Float64Array(M);
    this.rowSlopes = new Float64Array(M * Q);
    this.carried = new Float64Array(M);
    this.gradient = new Float64Array(Q);
    this.curvature = new Float64Array(Q * Q);
    this.taus = new Float64Array(0);
    this.spread = new Float64Array(Q);
    /** One number per form. */
    this.known = new Float64Array(0);
    this.knownSlopes = new Float64Array(0);
    this.damping = FIRST_DAMPING;
    /** The least distance of two seeds. */
    this.apart = 0;
    /** k(Z, x_n) of the rows near the data. @type {Float32Array | null} */
    this.cross = null;
    /** Means of the handles at these rows. @type {Float64Array | null} */
    this.atRows = null;
  }

  /** The shared form of the variance, or one for every kind of output. @returns {VarianceForm[]} */
  sharedForms() {
    const { model, model: { nInducing: M, rank, transform, shrink, outputs } } = this;
    if (!outputs.basis) return [{ gap: quadratic(transform, shrink, rank, M), ratio: 1 }];
    return Array.from(outputs.ratio, (/** @type {number} */ ratio, /** @type {number} */ s) => {
      const first = outputs.group[s] * outputs.rank * M;
      const shares = model.outputs.shares.subarray(s * outputs.rank, (s + 1) * outputs.rank);
      return { gap: quadratic(/** @type {any} */ (outputs.basis).subarray(first, first + outputs.rank * M), shares, outputs.rank, M), ratio };
    });
  }

  /** Use other handles; for other targets only, change those. @param {Handle[]} handles @param {BoneTerm[]} [bones] */
  hold(handles, bones = []) {
    const { model: { nInducing: M, nLatent: Q } } = this;
    this.handles = handles;
    this.bones = bones;
    this.count = handles.length + 3 * bones.length;
    this.rows = new Float64Array(this.count * M);
    this.offsets = new Float64Array(this.count);
    this.linear = new Float64Array(this.count * Q);
    this.means = new Float64Array(this.count);
    this.slopes = new Float64Array(this.count * Q);
    handles.forEach(({ outputs, weights }, h) => this.setRow(h, outputs, weights));
    bones.forEach(({ from, to }, b) => {
      for (let axis = 0; axis < 3; axis++) this.setRow(handles.length + 3 * b + axis, [to + axis, from + axis], [1, -1]);
    });
    this.setVariances();
    this.taus = new Float64Array(handles.length);
    this.damping = FIRST_DAMPING;
    this.atRows = null;
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

  /** The variances of the functionals as sums over forms, and their noise. */
  setVariances() {
    const { handles, model: { outputs, header } } = this;
    const own = outputs.basis !== undefined;
    this.allForms ??= this.sharedForms();
    const kindOf = (/** @type {number} */ d) => (own ? outputs.kind[d] : 0);
    const used = [...new Set(handles.flatMap((handle) => Array.from(handle.outputs, kindOf)))];
    const { allForms } = this;
    this.forms = used.map((kind) => (allForms ?? [])[kind]);
    const [F, unit] = [used.length, own ? 1 : outputs.unit];
    this.levels = new Float64Array(handles.length * F);
    this.noises = new Float64Array(handles.length);
    handles.forEach((handle, h) => {
      for (let i = 0; i < handle.outputs.length; i++) {
        const d = handle.outputs[i];
        const square = (handle.weights[i] * outputs.scales[d]) ** 2;
        this.levels[h * F + used.indexOf(kindOf(d))] += unit * square;
        this.noises[h] += square * header.noise_variance;
      }
    });
    this.known = new Float64Array(F);
    this.knownSlopes = new Float64Array(F * this.model.nLatent);
  }

  /** Mean of every functional at x, and the variance of every form. @param {ArrayLike<number>} x */
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

  /** The slopes of what `look` found; call `look` first. @param {ArrayLike<number>} x */
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

  /** ∂k(Z, x)/∂x. @param {ArrayLike<number>} x */
  kernelSlopes(x) {
    const { model, rowSlopes } = this;
    rowSlopes.fill(0);
    model.kinds.forEach(({ derivative }, p) => derivative?.row(model.kernel[p], x, model, rowSlopes));
  }

  /** The gradient of k(x, x). @param {ArrayLike<number>} x */
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

  /** F at x, without the slopes. @param {ArrayLike<number>} x */
  value(x) {
    this.look(x);
    return this.likelihood() + this.near.at(x);
  }

  /** The part of F from handles and bones where `look` was called. */
  likelihood() {
    const { handles, bones, means, taus, levels, noises, known, forms: { length: F } } = this;
    let total = 0;
    for (let h = 0; h < handles.length; h++) {
      const { target, tolerance } = handles[h];
      let tau = noises[h] + tolerance * tolerance;
      for (let f = 0; f < F; f++) tau += levels[h * F + f] * known[f];
      taus[h] = tau;
      total -= 0.5 * (Math.log(tau) + (target - means[h]) ** 2 / tau);
    }
    for (let b = 0, at = handles.length; b < bones.length; b++, at += 3) {
      const long = Math.hypot(means[at], means[at + 1], means[at + 2]);
      total -= 0.5 * ((long - bones[b].length) / bones[b].tolerance) ** 2;
    }
    return total;
  }

  /** F at x, with `gradient` and `curvature`. @param {ArrayLike<number>} x */
  at(x) {
    const { handles, bones, means, taus, slopes, levels, knownSlopes, gradient, curvature, spread, forms: { length: F } } = this;
    const Q = this.model.nLatent;
    gradient.fill(0);
    curvature.fill(0);
    this.look(x);
    const value = this.likelihood() + this.near.at(x, gradient, curvature);
    this.lookSlopes(x);
    for (let h = 0; h < handles.length; h++) {
      const relative = (handles[h].target - means[h]) / taus[h];
      const pressed = 0.5 * (1 / taus[h] - relative * relative);
      for (let q = 0; q < Q; q++) {
        let slope = 0;
        for (let f = 0; f < F; f++) slope += levels[h * F + f] * knownSlopes[f * Q + q];
        spread[q] = slope;
        gradient[q] += slopes[h * Q + q] * relative - pressed * slope;
      }
      addSquare(curvature, slopes.subarray(h * Q, (h + 1) * Q), 1 / taus[h]);
      addSquare(curvature, spread, 0.5 / (taus[h] * taus[h]));
    }
    for (let b = 0, at = handles.length; b < bones.length; b++, at += 3) {
      const long = Math.hypot(means[at], means[at + 1], means[at + 2]) || 1e-12;
      const weight = 1 / bones[b].tolerance ** 2;
      spread.fill(0);
      for (let axis = 0; axis < 3; axis++) for (let q = 0; q < Q; q++) spread[q] += (means[at + axis] / long) * slopes[(at + axis) * Q + q];
      for (let q = 0; q < Q; q++) gradient[q] -= weight * (long - bones[b].length) * spread[q];
      addSquare(curvature, spread, weight);
    }
    return value;
  }

  /**
   * Climb from x, in place, by Levenberg–Marquardt; the damping stays for the next climb.
   * @param {Float64Array} x
   * @param {number} most number of steps
   * @param {number} [damping] a start of its own
   * @returns {{ value: number, still: boolean }} F, and whether the climb has ended
   */
  climb(x, most, damping = this.damping) {
    const { gradient, curvature } = this;
    const Q = x.length;
    const damped = new Float64Array(Q * Q);
    let value = this.at(x);
    let still = false;
    let fresh = true;
    for (let step = 0; step < most && !still; step++) {
      if (!fresh) value = this.at(x);
      fresh = true;
      damped.set(curvature);
      for (let q = 0; q < Q; q++) damped[q * Q + q] *= 1 + damping;
      const move = choleskySolve(cholesky(damped, Q), gradient.slice());
      const place = x.map((coordinate, q) => coordinate + move[q]);
      const found = this.value(place);
      if (found > value) {
        still = found - value < ENOUGH_NATS;
        damping = Math.max(damping / WORKED, LEAST_DAMPING);
        x.set(place);
        value = found;
        fresh = false;
      } else {
        damping *= FAILED;
        still = damping > MOST_DAMPING || move.every((length) => Math.abs(length) < 1e-7);
      }
    }
    this.damping = Math.min(Math.max(damping, LEAST_DAMPING), 1e3);
    return { value, still };
  }

  /** The Cholesky factor of the curvature at x, for `score` and the outputs' freedom. @param {ArrayLike<number>} x */
  factorAt(x) {
    const value = this.at(x);
    const factor = cholesky(this.curvature.slice(), x.length);
    let log = 0;
    for (let q = 0; q < x.length; q++) log += 2 * Math.log(factor[q * x.length + q]);
    return { factor, score: value - 0.5 * log };
  }

  /** Find the kernel at the rows near the data, some rows at a step. @returns {Generator<void, void>} */
  *prepare() {
    yield* this.near.prepare();
    const { model, near } = this;
    const M = model.nInducing;
    const cross = new Float32Array(near.count * M);
    for (let i = 0; i < near.count && !this.cross; i++) {
      cross.set(model.kernelRow(near.centres.subarray(i * near.nLatent, (i + 1) * near.nLatent), this.row), i * M);
      if (i % 100 === 99) yield;
    }
    this.cross ??= cross;
  }

  /**
   * The rows whose outputs explain the handles best, apart from each other and from some places.
   * @param {number} most
   * @param {Float64Array[]} beside
   */
  seeds(most, beside = []) {
    if (!this.cross) finish(this.prepare());
    const { near, handles } = this;
    const Q = near.nLatent;
    const means = this.rowMeans();
    const scores = new Float64Array(near.count);
    for (let i = 0, at = 0; i < near.count; i++) {
      for (let h = 0; h < handles.length; h++, at++) {
        const { target, tolerance } = handles[h];
        scores[i] -= (target - means[at]) ** 2 / (tolerance * tolerance + this.noises[h]);
      }
    }
    this.apart ||= 3 * near.widths.slice().sort()[near.count >> 1];
    const order = Array.from(scores.keys()).sort((p, q) => scores[q] - scores[p]);
    const chosen = [...beside];
    for (let k = 0; k < order.length && chosen.length < most + beside.length; k++) {
      const place = near.centres.slice(order[k] * Q, (order[k] + 1) * Q);
      if (chosen.every((other) => this.distance(place, other) > this.apart)) chosen.push(place);
    }
    return chosen.slice(beside.length);
  }

  /** Means of the handles at the rows near the data, N × H. */
  rowMeans() {
    if (this.atRows) return this.atRows;
    const { near, handles: { length: H }, rows, offsets, linear, model: { nInducing: M, nLatent: Q } } = this;
    const cross = /** @type {Float32Array} */ (this.cross);
    this.atRows = new Float64Array(near.count * H);
    for (let i = 0, at = 0; i < near.count; i++) {
      for (let h = 0; h < H; h++, at++) {
        let sum = offsets[h];
        for (let m = 0; m < M; m++) sum += rows[h * M + m] * cross[i * M + m];
        for (let q = 0; q < Q; q++) sum += linear[h * Q + q] * near.centres[i * Q + q];
        this.atRows[at] = sum;
      }
    }
    return this.atRows;
  }

  /** The distance of two places, weighted by relevance. @param {Float64Array} x @param {Float64Array} other */
  distance(x, other) {
    const { relevance } = this.model;
    let square = 0;
    for (let q = 0; q < x.length; q++) square += relevance[q] * (x[q] - other[q]) ** 2;
    return Math.sqrt(square);
  }
}

/** Whether the page can differentiate all parts of a model's kernel. @param {LatentModel} model */
export function canPull(model) {
  return model.lengths && !model.table;
}

/**
 * B' diag(shares) B.
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

/** row' matrix row of a symmetric matrix. @param {Float64Array} matrix @param {Float64Array} row @param {number} M */
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

/** Add weight · a a' to a matrix. @param {Float64Array} matrix @param {Float64Array} a @param {number} weight */
function addSquare(matrix, a, weight) {
  for (let p = 0, at = 0; p < a.length; p++) for (let q = 0; q < a.length; q++, at++) matrix[at] += weight * a[p] * a[q];
}
