// The search from outputs back to the map: it finds the latent point that explains handles. The objective is the same as in
// gplvm_core/prediction/handles.py; a test compares both.

import { cholesky, choleskySolve } from "../kit/algebra.js";
import { Functionals } from "./functionals.js";

/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Answer, BoneTerm, Handle } from "./functionals.js" */
/** @import { NearData } from "./near.js" */

const FIRST_DAMPING = 1e-2;
const LEAST_DAMPING = 1e-9;
const MOST_DAMPING = 1e9;
const FAILED = 6; // factor of the damping after a step that fails
const WORKED = 5; // divisor of the damping after a step that succeeds
const FIXED = 1e3; // curvature of a dimension that does not move, in units of the greatest curvature
const ENOUGH_NATS = 1e-3; // a climb ends at a smaller gain per step

const SPREAD = Math.PI / 8; // p(yes) is about σ(m/√(1 + π v/8)) for a function with mean m and variance v
export const OBSERVATIONS = 5; // a held word counts as so many; as in gplvm_core/prediction/handles.py

/** log σ(u). @param {number} u */
export const logChance = (u) => Math.min(u, 0) - Math.log1p(Math.exp(-Math.abs(u)));

/** A climb on an objective F over latent points; subclasses define the objective. */
export class Climber {
  /** @param {LatentModel} model @param {NearData} near */
  constructor(model, near) {
    const { nLatent: Q } = model;
    this.model = model;
    this.near = near;
    this.functionals = new Functionals(model);
    this.gradient = new Float64Array(Q);
    this.curvature = new Float64Array(Q * Q);
    this.spread = new Float64Array(Q);
    this.damping = FIRST_DAMPING;
    /** The dimensions in which a climb does not move. @type {ReadonlySet<number>} */
    this.fixed = new Set();
  }

  /** Return F at x, without computing slopes. @param {ArrayLike<number>} x */
  value(x) {
    return this.near.at(x);
  }

  /** Return F at x, and compute `gradient` and `curvature`. @param {ArrayLike<number>} x */
  at(x) {
    this.gradient.fill(0);
    this.curvature.fill(0);
    return this.near.at(x, this.gradient, this.curvature);
  }

  /** Return F at x, and compute `gradient` and `curvature` of the dimensions that move. @param {ArrayLike<number>} x */
  moving(x) {
    const value = this.at(x);
    const { gradient, curvature, fixed } = this;
    const Q = gradient.length;
    if (!fixed.size) return value;
    const most = gradient.reduce((greatest, _, q) => Math.max(greatest, curvature[q * Q + q]), 0);
    for (const q of fixed) {
      gradient[q] = 0;
      for (let p = 0; p < Q; p++) curvature[p * Q + q] = curvature[q * Q + p] = 0;
      curvature[q * Q + q] = FIXED * most;
    }
    return value;
  }

  /**
   * Climb from x, in place, by Levenberg–Marquardt; the next climb continues with the same damping.
   * @param {Float64Array} x
   * @param {number} most the largest number of steps
   * @param {number} [damping] the initial damping, if it differs
   * @param {number} [enough] the climb ends at a smaller gain, in nats
   * @returns {{ value: number, still: boolean }} F, and whether the climb has ended
   */
  climb(x, most, damping = this.damping, enough = ENOUGH_NATS) {
    const { gradient, curvature } = this;
    const Q = x.length;
    const damped = new Float64Array(Q * Q);
    let value = this.moving(x);
    let still = false;
    let fresh = true;
    for (let step = 0; step < most && !still; step++) {
      if (!fresh) value = this.moving(x);
      fresh = true;
      damped.set(curvature);
      for (let q = 0; q < Q; q++) damped[q * Q + q] *= 1 + damping;
      const move = choleskySolve(cholesky(damped, Q), gradient.slice());
      const place = x.map((coordinate, q) => coordinate + move[q]);
      const found = this.value(place);
      if (found > value) {
        still = found - value < enough;
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

  /**
   * Compute the Cholesky factor of the curvature at x, for the variances in freedom.js, and the score of an explanation there. A
   * dimension that does not move has the same values in all explanations, so it does not count.
   * @param {ArrayLike<number>} x
   */
  factorAt(x) {
    const value = this.moving(x);
    const factor = cholesky(this.curvature.slice(), x.length);
    let log = 0;
    for (let q = 0; q < x.length; q++) if (!this.fixed.has(q)) log += 2 * Math.log(factor[q * x.length + q]);
    return { factor, score: value - 0.5 * log };
  }
}

/** The objective for given handles and bones. */
export class Pull extends Climber {
  /** The variances of the handles, including noise and tolerance. */
  taus = new Float64Array(0);

  get handles() {
    return this.functionals.handles;
  }

  /** Set the handles; if only targets differ, change only the targets. @param {Handle[]} handles @param {BoneTerm[]} [bones] @param {Answer[]} [answers] */
  hold(handles, bones = [], answers = []) {
    this.functionals.hold(handles, bones, answers);
    this.taus = new Float64Array(handles.length);
    this.damping = FIRST_DAMPING;
  }

  /** @override @param {ArrayLike<number>} x */
  value(x) {
    this.functionals.look(x);
    return this.likelihood() + this.near.at(x);
  }

  /** Return the argument ±m/√(1 + π v/8) of an answer's probability, and the factors of its slopes in m and v, at the place of `look`. @param {number} i */
  argument(i) {
    const { handles: { length: H }, answers, means, levels, known, forms: { length: F } } = this.functionals;
    const { sign, center, unit } = answers[i];
    let variance = 0;
    for (let f = 0; f < F; f++) variance += levels[(H + i) * F + f] * known[f];
    const wide = 1 + SPREAD * unit * unit * variance;
    const argument = (sign * (center + unit * means[H + i])) / Math.sqrt(wide);
    return { argument, inMean: (sign * unit) / Math.sqrt(wide), inVariance: (-0.5 * SPREAD * unit * unit * argument) / wide };
  }

  /** Return the part of F from handles, answers and bones, at the place of `look`. */
  likelihood() {
    const { taus, functionals: { handles, answers, firstBone, bones, means, levels, noises, known, forms: { length: F } } } = this;
    let total = 0;
    for (let h = 0; h < handles.length; h++) {
      const { target, tolerance } = handles[h];
      let tau = noises[h] + tolerance * tolerance;
      for (let f = 0; f < F; f++) tau += levels[h * F + f] * known[f];
      taus[h] = tau;
      total -= 0.5 * (Math.log(tau) + (target - means[h]) ** 2 / tau);
    }
    for (let i = 0; i < answers.length; i++) total += OBSERVATIONS * logChance(this.argument(i).argument);
    for (let b = 0, at = firstBone; b < bones.length; b++, at += 3) {
      const long = Math.hypot(means[at], means[at + 1], means[at + 2]);
      total -= 0.5 * ((long - bones[b].length) / bones[b].tolerance) ** 2;
    }
    return total;
  }

  /** @override @param {ArrayLike<number>} x */
  at(x) {
    const { taus, gradient, curvature, spread, functionals } = this;
    const { handles, answers, firstBone, bones, means, slopes, levels, knownSlopes, forms: { length: F } } = functionals;
    const Q = this.model.nLatent;
    functionals.look(x);
    const value = super.at(x) + this.likelihood();
    functionals.lookSlopes(x);
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
    for (let i = 0, row = handles.length; i < answers.length; i++, row++) {
      const { argument, inMean, inVariance } = this.argument(i);
      const chance = Math.exp(logChance(argument));
      for (let q = 0; q < Q; q++) {
        let slope = 0;
        for (let f = 0; f < F; f++) slope += levels[row * F + f] * knownSlopes[f * Q + q];
        spread[q] = inMean * slopes[row * Q + q] + inVariance * slope;
        gradient[q] += OBSERVATIONS * (1 - chance) * spread[q];
      }
      addSquare(curvature, spread, OBSERVATIONS * chance * (1 - chance));
    }
    for (let b = 0, at = firstBone; b < bones.length; b++, at += 3) {
      const long = Math.hypot(means[at], means[at + 1], means[at + 2]) || 1e-12;
      const weight = 1 / bones[b].tolerance ** 2;
      spread.fill(0);
      for (let axis = 0; axis < 3; axis++) for (let q = 0; q < Q; q++) spread[q] += (means[at + axis] / long) * slopes[(at + axis) * Q + q];
      for (let q = 0; q < Q; q++) gradient[q] -= weight * (long - bones[b].length) * spread[q];
      addSquare(curvature, spread, weight);
    }
    return value;
  }
}

/** Return whether the page can differentiate all parts of a model's kernel. @param {LatentModel} model */
export function canPull(model) {
  return model.lengths;
}

/** Add weight · a a' to a matrix. @param {Float64Array} matrix @param {Float64Array} a @param {number} weight */
export function addSquare(matrix, a, weight) {
  for (let p = 0, at = 0; p < a.length; p++) for (let q = 0; q < a.length; q++, at++) matrix[at] += weight * a[p] * a[q];
}
