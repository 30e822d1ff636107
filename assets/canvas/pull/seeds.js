// The latent points where a search may begin: those of the rows whose outputs explain the handles best.

import { finish } from "./near.js";
import { logChance, OBSERVATIONS } from "./solver.js";

/** @import { Climber } from "./solver.js" */

// The number of other starting points during a drag; at its end, the search uses more.
export const CHALLENGERS = 2;
export const BETTER_NATS = 4; // another point must be better by more than this
export const FULL_CLIMB = 40; // the most steps of a climb at the end of a drag
export const MOST_SEEDS = 6;
export const MOST_OTHERS = 4;
export const FAR_NATS = 12; // explanations that are worse than the best by more than this are not offered

/**
 * Return the other explanations that differ from the first and from each other, the best first.
 * @template {{ pose: Float64Array, score: number }} Found
 * @param {Found[]} found the best first
 * @param {{ pose: Float64Array, score: number }} first
 * @param {(pose: Float64Array, other: Float64Array) => boolean} differ
 */
export function otherExplanations(found, first, differ) {
  /** @type {Found[]} */
  const kept = [];
  for (const each of found) {
    if (each.score < first.score - FAR_NATS || kept.length === MOST_OTHERS) break;
    if ([first, ...kept].every(({ pose }) => differ(pose, each.pose))) kept.push(each);
  }
  return kept;
}

export class Seeds {
  /** @param {Climber} pull */
  constructor(pull) {
    const { functionals } = pull;
    this.pull = pull;
    this.model = functionals.model;
    this.functionals = functionals;
    this.near = pull.near;
    /** The least distance of two seeds. */
    this.apart = 0;
    /** k(Z, x_n) of the rows that NearData uses. @type {Float32Array | null} */
    this.cross = null;
    /** The means at these rows, for the handles in `rows`. @type {Float64Array | null} */
    this.atRows = null;
    this.rows = functionals.rows;
  }

  /** Whether `best` needs no preparation. */
  get ready() {
    return this.cross !== null;
  }

  /** Compute the kernel at the rows that NearData uses, some rows per step. @returns {Generator<void, void>} */
  *prepare() {
    yield* this.near.prepare();
    const { model, near } = this;
    const M = model.nInducing;
    const cross = new Float32Array(near.count * M);
    const row = new Float64Array(M);
    for (let i = 0; i < near.count && !this.cross; i++) {
      cross.set(model.kernelRow(near.centres.subarray(i * near.nLatent, (i + 1) * near.nLatent), row), i * M);
      if (i % 100 === 99) yield;
    }
    this.cross ??= cross;
  }

  /**
   * Return places of rows whose outputs explain the handles best, at a distance from each other and from some places.
   * @param {number} most
   * @param {Float64Array} point gives the coordinates that the search does not change
   * @param {Float64Array[]} beside
   */
  best(most, point, beside = []) {
    if (!this.cross) finish(this.prepare());
    const { near } = this;
    const Q = near.nLatent;
    const scores = this.scores();
    this.apart ||= 3 * near.widths.slice().sort()[near.count >> 1];
    const order = Array.from(scores.keys()).sort((p, q) => scores[q] - scores[p]);
    const chosen = [...beside];
    for (let k = 0; k < order.length && chosen.length < most + beside.length; k++) {
      const place = near.centres.slice(order[k] * Q, (order[k] + 1) * Q);
      for (const q of this.pull.fixed) place[q] = point[q];
      if (chosen.every((other) => this.distance(place, other) > this.apart)) chosen.push(place);
    }
    return chosen.slice(beside.length);
  }

  /** Return how well the output of every row explains the handles and answers. */
  scores() {
    const { near, functionals: { handles, answers, noises } } = this;
    const means = this.means();
    const scores = new Float64Array(near.count);
    for (let i = 0, at = 0; i < near.count; i++) {
      for (let h = 0; h < handles.length; h++, at++) {
        const { target, tolerance } = handles[h];
        scores[i] -= (target - means[at]) ** 2 / (tolerance * tolerance + noises[h]);
      }
      for (const { sign, center, unit } of answers) scores[i] += 2 * OBSERVATIONS * logChance(sign * (center + unit * means[at++]));
    }
    return scores;
  }

  /** Return the means of the handles and answers at these rows, N × (H + A). */
  means() {
    const { near, functionals, model: { nInducing: M, nLatent: Q } } = this;
    const { firstBone: H, rows, offsets, linear } = functionals;
    if (this.atRows && this.rows === rows) return this.atRows;
    this.rows = rows;
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

  /** Return the distance of two places, with dimensions weighted by relevance. @param {Float64Array} x @param {Float64Array} other */
  distance(x, other) {
    const { relevance } = this.near.points;
    let square = 0;
    for (let q = 0; q < x.length; q++) square += relevance[q] * (x[q] - other[q]) ** 2;
    return Math.sqrt(square);
  }
}
