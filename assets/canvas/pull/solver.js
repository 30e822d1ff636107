// From outputs back to the map: the latent point that explains handles. The objective is that of
// gplvm_core/prediction/handles.py; node's tests compare both.

import { cholesky, choleskySolve } from "../kit/algebra.js";
import { Functionals } from "./functionals.js";

/** @import { LatentModel } from "../geometry/model.js" */
/** @import { BoneTerm, Handle } from "./functionals.js" */
/** @import { NearData } from "./near.js" */

const FIRST_DAMPING = 1e-2;
const LEAST_DAMPING = 1e-9;
const MOST_DAMPING = 1e9;
const FAILED = 6; // the factor of the damping after a failure
const WORKED = 5; // its divisor after a success
const ENOUGH_NATS = 1e-3; // in a frame

/** A climb on an objective over latent points; a subclass has the objective. */
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
  }

  /** F at x, without the slopes. @param {ArrayLike<number>} x */
  value(x) {
    return this.near.at(x);
  }

  /** F at x, with `gradient` and `curvature`. @param {ArrayLike<number>} x */
  at(x) {
    this.gradient.fill(0);
    this.curvature.fill(0);
    return this.near.at(x, this.gradient, this.curvature);
  }

  /**
   * Climb from x, in place, by Levenberg–Marquardt; the damping stays for the next climb.
   * @param {Float64Array} x
   * @param {number} most number of steps
   * @param {number} [damping] a start of its own
   * @param {number} [enough] the climb ends at a smaller gain, in nats
   * @returns {{ value: number, still: boolean }} F, and whether the climb has ended
   */
  climb(x, most, damping = this.damping, enough = ENOUGH_NATS) {
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

  /** The Cholesky factor of the curvature at x, for `score` and the outputs' freedom. @param {ArrayLike<number>} x */
  factorAt(x) {
    const value = this.at(x);
    const factor = cholesky(this.curvature.slice(), x.length);
    let log = 0;
    for (let q = 0; q < x.length; q++) log += 2 * Math.log(factor[q * x.length + q]);
    return { factor, score: value - 0.5 * log };
  }
}

/** The objective of some handles and bones. */
export class Pull extends Climber {
  /** Variances of the handles, with noise and tolerance. */
  taus = new Float64Array(0);

  get handles() {
    return this.functionals.handles;
  }

  /** Use other handles; for other targets only, change those. @param {Handle[]} handles @param {BoneTerm[]} [bones] */
  hold(handles, bones = []) {
    this.functionals.hold(handles, bones);
    this.taus = new Float64Array(handles.length);
    this.damping = FIRST_DAMPING;
  }

  /** @override @param {ArrayLike<number>} x */
  value(x) {
    this.functionals.look(x);
    return this.likelihood() + this.near.at(x);
  }

  /** The part of F from handles and bones where `look` was called. */
  likelihood() {
    const { taus, functionals: { handles, bones, means, levels, noises, known, forms: { length: F } } } = this;
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

  /** @override @param {ArrayLike<number>} x */
  at(x) {
    const { taus, gradient, curvature, spread, functionals } = this;
    const { handles, bones, means, slopes, levels, knownSlopes, forms: { length: F } } = functionals;
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
}

/** Whether the page can differentiate all parts of a model's kernel. @param {LatentModel} model */
export function canPull(model) {
  return model.lengths;
}

/** Add weight · a a' to a matrix. @param {Float64Array} matrix @param {Float64Array} a @param {number} weight */
export function addSquare(matrix, a, weight) {
  for (let p = 0, at = 0; p < a.length; p++) for (let q = 0; q < a.length; q++, at++) matrix[at] += weight * a[p] * a[q];
}
