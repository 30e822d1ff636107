// A density of latent points that is large near the training points, the same as NearData in
// gplvm_core/prediction/handles.py.

/** @import { LatentPoints } from "../geometry/points.js" */

const BACKGROUND_SHARE = 0.02; // the weight of N(0, I) in the mixture
const WIDTH_NEIGHBOUR = 5;
const WIDTH_SHARE = 0.5; // a Gaussian's width, as a fraction of the distance to this neighbour
const LEAST_WIDTH = 1e-6; // the smallest variance
const MOST_NEAR = 1500; // the most rows that are used; larger tables are thinned evenly
const NEGLIGIBLE_NATS = 30; // parts of the mixture are ignored if they are smaller than the largest part by more than this
const ROWS_A_STEP = 50;

/** The density mean_n N(x_n, S_n + c² ρ_n² / w), mixed with N(0, I). */
export class NearData {
  /** @param {LatentPoints} points */
  constructor(points) {
    const { nPoints, nLatent: Q } = points;
    const step = Math.max(1, Math.ceil(nPoints / MOST_NEAR));
    this.points = points;
    this.nLatent = Q;
    /** The used rows. */
    this.rows = Int32Array.from({ length: Math.ceil(nPoints / step) }, (_, i) => i * step);
    this.count = this.rows.length;
    /** The positions of these rows. */
    this.centres = new Float64Array(this.count * Q);
    this.rows.forEach((n, i) => this.centres.set(points.latent.subarray(n * Q, (n + 1) * Q), i * Q));
    this.precision = new Float64Array(this.count * Q);
    /** The distances of these rows to their fifth neighbours. */
    this.widths = new Float64Array(this.count);
    /** The logarithms of the Gaussians' normalising factors. */
    this.levels = new Float64Array(this.count);
    this.parts = new Float64Array(this.count);
    this.ready = false;
  }

  /** Find the widths step by step, for a few rows in each step. @returns {Generator<void, void>} */
  *prepare() {
    const { count, widths } = this;
    for (let i = 0; i < count && !this.ready; i++) {
      widths[i] = this.width(i);
      if (i % ROWS_A_STEP === ROWS_A_STEP - 1) yield;
    }
    if (!this.ready) this.widen();
  }

  /** Return the distance of row i to its fifth neighbour. @param {number} i */
  width(i) {
    const { count, nLatent: Q, centres, points: { relevance } } = this;
    const rank = Math.min(WIDTH_NEIGHBOUR, count - 1);
    if (rank < 1) return Infinity;
    const closest = new Float64Array(rank).fill(Infinity);
    for (let j = 0; j < count; j++) {
      if (j === i) continue;
      let square = 0;
      for (let q = 0; q < Q && square < closest[rank - 1]; q++) square += relevance[q] * (centres[i * Q + q] - centres[j * Q + q]) ** 2;
      if (square >= closest[rank - 1]) continue;
      let at = rank - 1;
      for (; at > 0 && closest[at - 1] > square; at--) closest[at] = closest[at - 1];
      closest[at] = square;
    }
    return Math.sqrt(closest[rank - 1]);
  }

  /** Compute the variances from the widths. */
  widen() {
    const { count, nLatent: Q, rows, precision, levels, widths, points: { relevance, latentVariance } } = this;
    const share = Math.log((1 - BACKGROUND_SHARE) / count) - 0.5 * Q * Math.log(2 * Math.PI);
    for (let i = 0; i < count; i++) {
      levels[i] = share;
      for (let q = 0; q < Q; q++) {
        const own = latentVariance ? latentVariance[rows[i] * Q + q] : 0;
        const added = relevance[q] > 0 ? (WIDTH_SHARE * widths[i]) ** 2 / relevance[q] : Infinity;
        precision[i * Q + q] = 1 / Math.min(Math.max(own + added, LEAST_WIDTH), 1);
        levels[i] += 0.5 * Math.log(precision[i * Q + q]);
      }
    }
    this.ready = true;
  }

  /**
   * Return the log density; add its gradient, and a positive semi-definite curvature of −log p (Q × Q).
   * @param {ArrayLike<number>} x
   * @param {Float64Array} [gradient]
   * @param {Float64Array} [curvature]
   */
  at(x, gradient, curvature) {
    if (!this.ready) finish(this.prepare());
    const { count, nLatent: Q, centres, precision, levels, parts } = this;
    let around = 0;
    for (let q = 0; q < Q; q++) around += x[q] * x[q];
    const background = Math.log(BACKGROUND_SHARE) - 0.5 * (Q * Math.log(2 * Math.PI) + around);
    let most = background;
    for (let i = 0, at = 0; i < count; i++) {
      let square = 0;
      for (let q = 0; q < Q; q++, at++) square += precision[at] * (x[q] - centres[at]) ** 2;
      parts[i] = levels[i] - 0.5 * square;
      if (parts[i] > most) most = parts[i];
    }
    let total = Math.exp(background - most);
    for (let i = 0; i < count; i++) if (parts[i] > most - NEGLIGIBLE_NATS) total += Math.exp(parts[i] - most);
    const value = most + Math.log(total);
    if (!gradient || !curvature) return value;
    const rest = Math.exp(background - value);
    for (let q = 0; q < Q; q++) {
      gradient[q] -= rest * x[q];
      curvature[q * Q + q] += rest;
    }
    for (let i = 0; i < count; i++) {
      if (parts[i] <= most - NEGLIGIBLE_NATS) continue;
      const share = Math.exp(parts[i] - value);
      for (let q = 0, at = i * Q; q < Q; q++, at++) {
        gradient[q] -= share * precision[at] * (x[q] - centres[at]);
        curvature[q * Q + q] += share * precision[at];
      }
    }
    return value;
  }
}

/** Do all steps of a generator now. @template Result @param {Generator<unknown, Result>} work */
export function finish(work) {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
