// The objective of painted pixels. It uses only sums over the pixels, so that a step of the search takes the same
// time for any number of pixels. The objective equals that of solver.js with one handle per pixel.

import { Seeds } from "./seeds.js";
import { addSquare, Climber } from "./solver.js";

/** @import { LatentModel } from "../geometry/model.js" */
/** @import { NearData } from "./near.js" */

export const MOST_KINDS = 8; // the most kinds of outputs that have their own variances
// The error of a painted value, in units of the outputs' scales. The errors of neighbouring pixels are correlated, so
// a whole picture counts as INDEPENDENT independent values.
const HAND_ERROR = 0.3;
const INDEPENDENT = 100;
const TERMS_A_STEP = 20;

/** Sums over the painted outputs of one kind, in units of the outputs' scales: Σ w w' (lower triangle), Σ w t, Σ t² and the count. */
class Sums {
  /** @param {number} terms */
  constructor(terms) {
    this.squares = new Float64Array(terms * terms);
    this.products = new Float64Array(terms);
    this.targets = 0;
    this.count = 0;
    this.logScales = 0;
  }
}

/** The objective of painted outputs. */
export class PaintedPull extends Climber {
  /** @param {LatentModel} model @param {NearData} near */
  constructor(model, near) {
    super(model, near);
    const { nTerms, nLatent: Q, nOutputs, outputs } = model;
    this.functionals.holdVariances();
    this.unit = outputs.basis ? 1 : outputs.unit;
    /** The standard deviation of a painted value's error, in units of the outputs' scales. */
    this.tolerance = Math.sqrt(HAND_ERROR ** 2 + nOutputs / INDEPENDENT);
    /** The painted values, NaN where nothing is painted. */
    this.targets = new Float64Array(nOutputs).fill(NaN);
    this.count = 0;
    this.sums = this.functionals.forms.map(() => new Sums(nTerms));
    this.alpha = new Float64Array(nTerms);
    this.pressed = new Float64Array(nTerms);
    /** The slopes of alpha, R × Q. */
    this.slopes = new Float64Array(nTerms * Q);
    this.carried = new Float64Array(nTerms * Q);
    this.own = new Float64Array(nTerms);
    /** The squared residuals of every kind. */
    this.left = new Float64Array(this.sums.length);
    this.taus = new Float64Array(this.sums.length);
  }

  /** Paint an output, or erase it with NaN. @param {number} d @param {number} target */
  paint(d, target) {
    const before = this.targets[d];
    if (before === target || (Number.isNaN(before) && Number.isNaN(target))) return;
    const { model: { outputs, center, weights, nTerms: R, nOutputs: D }, own } = this;
    const sums = this.sums[outputs.basis ? outputs.kind[d] : 0];
    const scale = outputs.scales[d] || 1;
    for (let r = 0; r < R; r++) own[r] = weights[r * D + d] / scale;
    const [old, now] = [before, target].map((value) => (Number.isNaN(value) ? 0 : (value - center[d]) / scale));
    const step = Number(!Number.isNaN(target)) - Number(!Number.isNaN(before));
    if (step) for (let i = 0; i < R; i++) for (let j = 0, at = i * R, left = step * own[i]; j <= i; j++, at++) sums.squares[at] += left * own[j];
    for (let r = 0; r < R; r++) sums.products[r] += own[r] * (now - old);
    sums.targets += now * now - old * old;
    sums.count += step;
    sums.logScales += 2 * step * Math.log(scale);
    this.count += step;
    this.targets[d] = target;
  }

  /** Erase all painted values. */
  erase() {
    this.sums = this.sums.map(() => new Sums(this.model.nTerms));
    this.targets.fill(NaN);
    this.count = 0;
  }

  /** Return the part of the objective F from the painted outputs. @param {ArrayLike<number>} x */
  likelihood(x) {
    const { functionals, unit, taus, left, sums } = this;
    functionals.look(x);
    this.lookTerms(x);
    let total = 0;
    for (let k = 0; k < sums.length; k++) {
      const { count, logScales } = sums[k];
      taus[k] = unit * functionals.known[k] + this.model.header.noise_variance + this.tolerance ** 2;
      left[k] = count ? this.residual(this.alpha, sums[k]) : 0;
      if (count) total -= 0.5 * (logScales + count * Math.log(taus[k]) + left[k] / taus[k]);
    }
    return total;
  }

  /** Compute the terms of the mean at the point of the last `look`. @param {ArrayLike<number>} x */
  lookTerms(x) {
    const { alpha, functionals: { row }, model: { rank, nInducing: M, transform, nTerms } } = this;
    for (let r = 0, at = 0; r < rank; r++) {
      let sum = 0;
      for (let m = 0; m < M; m++, at++) sum += transform[at] * row[m];
      alpha[r] = sum;
    }
    for (let r = rank; r < nTerms; r++) alpha[r] = x[r - rank];
  }

  /** Return the sum of squared residuals for given terms. @param {ArrayLike<number>} alpha @param {Sums} sums */
  residual(alpha, { squares, products, targets }) {
    const { length: R } = products;
    let total = targets;
    for (let i = 0; i < R; i++) {
      const first = i * R;
      let sum = 0.5 * squares[first + i] * alpha[i] - products[i];
      for (let j = 0; j < i; j++) sum += squares[first + j] * alpha[j];
      total += 2 * sum * alpha[i];
    }
    return Math.max(total, 0);
  }

  /** @override @param {ArrayLike<number>} x */
  value(x) {
    return this.likelihood(x) + this.near.at(x);
  }

  /** @override @param {ArrayLike<number>} x */
  at(x) {
    const { gradient, curvature, functionals, sums, taus, left, unit, slopes, carried, alpha, pressed, spread } = this;
    const [Q, R] = [this.model.nLatent, this.model.nTerms];
    const value = super.at(x) + this.likelihood(x);
    functionals.lookSlopes(x);
    this.termSlopes();
    sums.forEach(({ count, squares, products }, k) => {
      if (!count) return;
      // Compute B J and B α from the lower triangle of B.
      carried.fill(0);
      pressed.set(products);
      for (let i = 0; i < R; i++) {
        for (let j = 0, at = i * R; j <= i; j++, at++) {
          const share = squares[at];
          pressed[i] -= share * alpha[j];
          for (let q = 0; q < Q; q++) carried[i * Q + q] += share * slopes[j * Q + q];
          if (j === i) continue;
          pressed[j] -= share * alpha[i];
          for (let q = 0; q < Q; q++) carried[j * Q + q] += share * slopes[i * Q + q];
        }
      }
      const tau = taus[k];
      for (let r = 0; r < R; r++) {
        for (let p = 0; p < Q; p++) {
          const slope = slopes[r * Q + p] / tau;
          gradient[p] += slope * pressed[r];
          for (let q = 0; q < Q; q++) curvature[p * Q + q] += slope * carried[r * Q + q];
        }
      }
      const factor = 0.5 * (count / tau - left[k] / (tau * tau));
      for (let q = 0; q < Q; q++) {
        spread[q] = unit * functionals.knownSlopes[k * Q + q];
        gradient[q] -= factor * spread[q];
      }
      addSquare(curvature, spread, (0.5 * count) / (tau * tau));
    });
    return value;
  }

  /** Compute the slopes of the terms at the point of the last `lookSlopes`. */
  termSlopes() {
    const { slopes, functionals: { rowSlopes }, model: { rank, nInducing: M, nLatent: Q, transform, nTerms } } = this;
    slopes.fill(0);
    for (let r = 0; r < rank; r++) {
      for (let m = 0, at = 0; m < M; m++) {
        const share = transform[r * M + m];
        for (let q = 0; q < Q; q++, at++) slopes[r * Q + q] += share * rowSlopes[at];
      }
    }
    for (let r = rank; r < nTerms; r++) slopes[r * Q + r - rank] = 1;
  }
}

/** The choice of rows whose outputs explain the painted values best. */
export class PaintedSeeds extends Seeds {
  /** The terms of the mean at the rows near the data, N × R. @type {Float32Array | null} */
  terms = null;

  /** @param {PaintedPull} pull */
  constructor(pull) {
    super(pull);
    this.painted = pull;
  }

  /** @override */
  get ready() {
    return this.terms !== null;
  }

  /** @override @returns {Generator<void, void>} */
  *prepare() {
    yield* super.prepare();
    const { near, model: { rank, nTerms, nInducing: M, nLatent: Q, transform } } = this;
    const cross = /** @type {Float32Array} */ (this.cross);
    const terms = new Float32Array(near.count * nTerms);
    for (let i = 0; i < near.count && !this.terms; i++) {
      for (let r = 0, at = 0; r < rank; r++) {
        let sum = 0;
        for (let m = 0; m < M; m++, at++) sum += transform[at] * cross[i * M + m];
        terms[i * nTerms + r] = sum;
      }
      for (let r = rank; r < nTerms; r++) terms[i * nTerms + r] = near.centres[i * Q + r - rank];
      if (i % TERMS_A_STEP === TERMS_A_STEP - 1) yield;
    }
    this.terms ??= terms;
  }

  /** @override */
  scores() {
    const { painted: pull, near, model: { nTerms: R, header } } = this;
    const terms = /** @type {Float32Array} */ (this.terms);
    const exact = header.noise_variance + pull.tolerance ** 2;
    return Float64Array.from({ length: near.count }, (_, i) => {
      const alpha = terms.subarray(i * R, (i + 1) * R);
      return -pull.sums.reduce((sum, sums) => sum + (sums.count ? pull.residual(alpha, sums) : 0), 0) / exact;
    });
  }
}
