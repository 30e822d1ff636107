// The coordinates of hidden dimensions while the pointer moves over a map, so that the place stays near the data.

import { sampledSlice } from "./slice.js";

/** @import { LatentPoints } from "./points.js" */
/** @import { Slice } from "./slice.js" */

const NEIGHBOUR = 5; // a point's spacing is its distance to its fifth nearest neighbour
const SHARE = 0.3; // width of the weights, as a fraction of the spacing; it is narrow, so that places stay near the data
const NEGLIGIBLE = 24; // weights below e^-24, relative to the nearest point's weight, are invisible
const GROWTH = 0.4; // below 0.5, so that the nearest point dominates far away
const LEAST = 1e-6; // least spacing, as a fraction of the median, for points that coincide
const OUTSIDE = 0.9; // spacings are limited to this quantile

/**
 * Return the squared width of the weights, given the distance of the nearest point. It grows with this distance,
 * for a smooth transition half-way between two groups.
 * @param {number} width among the points
 * @param {number} least the squared distance of the nearest point
 */
function grown(width, least) {
  return width * width * (1 + least / (width * width)) ** GROWTH;
}

/**
 * Compute Gaussian weights of squared distances, relative to the nearest point's weight, so that they are finite at any distance.
 * @param {Float64Array} squared
 * @param {number} count the number of distances
 * @param {number} width among the points
 * @param {Float64Array} out
 * @returns {number} their sum
 */
export function nearWeights(squared, count, width, out) {
  let least = Infinity;
  for (let i = 0; i < count; i++) if (squared[i] < least) least = squared[i];
  const rate = 0.5 / grown(width, least);
  const most = least + NEGLIGIBLE / rate;
  let total = 0;
  for (let i = 0; i < count; i++) {
    out[i] = squared[i] > most ? 0 : Math.exp(rate * (least - squared[i]));
    total += out[i];
  }
  return total;
}

/**
 * Return the distance of every point to its fifth neighbour in a plane (or its last, if it has fewer).
 * @param {Float64Array} us in order
 * @param {Float64Array} vs
 */
export function spacings(us, vs) {
  const N = us.length;
  const count = Math.min(NEIGHBOUR, N - 1);
  const nearest = new Float64Array(count);
  return us.map((u, i) => {
    if (!count) return 0;
    nearest.fill(Infinity);
    // Search outwards along the first axis, until the distance along it exceeds the distances of the neighbours found.
    for (const step of [-1, 1]) {
      for (let j = i + step; j >= 0 && j < N; j += step) {
        const across = (us[j] - u) ** 2;
        if (across >= nearest[count - 1]) break;
        let squared = across + (vs[j] - vs[i]) ** 2;
        for (let k = 0; k < count; k++) if (squared < nearest[k]) [nearest[k], squared] = [squared, nearest[k]];
      }
    }
    return Math.sqrt(nearest[count - 1]);
  });
}

/** The training points in one plane, and the weights of the points near a place. */
export class NearPlane {
  /** @param {LatentPoints} points @param {number} a @param {number} b */
  constructor(points, a, b) {
    const { nPoints: N, nLatent: Q, latent, relevance } = points;
    this.points = points;
    this.a = a;
    this.b = b;
    /** The dimensions that follow the data. */
    this.others = Array.from({ length: Q }, (_, q) => q).filter((q) => q !== a && q !== b);
    this.scale = [Math.sqrt(relevance[a]), Math.sqrt(relevance[b])];
    /** The points' rows, from left to right; the arrays below have the same order. */
    this.rows = Uint32Array.from({ length: N }, (_, n) => n).sort((m, n) => latent[m * Q + a] - latent[n * Q + a]);
    this.us = Float64Array.from(this.rows, (n) => this.scale[0] * latent[n * Q + a]);
    this.vs = Float64Array.from(this.rows, (n) => this.scale[1] * latent[n * Q + b]);
    const spacing = spacings(this.us, this.vs);
    const sorted = spacing.slice().sort();
    // If all points coincide, any width gives equal weights.
    this.median = sorted[N >> 1] || 1;
    const most = Math.max(sorted[Math.floor(OUTSIDE * N)], LEAST * this.median);
    this.spacing = spacing.map((distance) => Math.min(Math.max(distance, LEAST * this.median), most));
    /** The largest width among the points. */
    this.widest = Math.max(this.median, SHARE * most);
    /** The points around a place, their squared distances and weights. */
    this.around = new Uint32Array(N);
    this.squared = new Float64Array(N);
    this.weights = new Float64Array(N);
    /** The sum of the weights. */
    this.total = 0;
    /** For every training row, the squared distance between the row and the place of a pointer over its dot. @type {Float64Array | null} */
    this.strays = null;
  }

  /** Find the points around a place, and return their number. @param {number} u @param {number} v */
  look(u, v) {
    const { us, vs, around, squared, widest } = this;
    let [low, high] = [0, us.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (us[middle] < u) low = middle + 1;
      else high = middle;
    }
    // Points beyond a distance have no weight, since a nearer point dominates.
    let [count, least, most] = [0, Infinity, Infinity];
    for (const step of [-1, 1]) {
      for (let i = step < 0 ? low - 1 : low; i >= 0 && i < us.length; i += step) {
        const across = (us[i] - u) ** 2;
        if (across > most) break;
        squared[count] = across + (vs[i] - v) ** 2;
        if (squared[count] < least) {
          least = squared[count];
          most = least + 2 * NEGLIGIBLE * grown(widest, least);
        }
        around[count++] = i;
      }
    }
    return count;
  }

  /**
   * Return the spacing of the points around a place. It is a weighted mean, which changes smoothly, and
   * equals the nearest points' spacing far from all points.
   * @param {number} count the number of points that `look` found
   */
  spacingHere(count) {
    const { around, squared, weights, spacing, median } = this;
    const total = nearWeights(squared, count, median, weights);
    let sum = 0;
    for (let i = 0; i < count; i++) sum += weights[i] * spacing[around[i]];
    return sum / total;
  }

  /** Weight the points around a place; return their number. @param {number} u @param {number} v */
  weigh(u, v) {
    const count = this.look(this.scale[0] * u, this.scale[1] * v);
    this.total = nearWeights(this.squared, count, SHARE * this.spacingHere(count), this.weights);
    return count;
  }

  /** Return the mean position of the points around a place, on another map of the same rows. @param {number} u @param {number} v @param {LatentPoints} other */
  carried(u, v, { latent, nLatent }) {
    const { rows, around, weights } = this;
    const count = this.weigh(u, v);
    const mean = new Float64Array(nLatent);
    for (let i = 0; i < count; i++) {
      const [weight, start] = [weights[i] / this.total, rows[around[i]] * nLatent];
      for (let q = 0; q < nLatent; q++) mean[q] += weight * latent[start + q];
    }
    return mean;
  }

  /** Set the hidden dimensions of x to the mean of the data that are near x in the plane. @param {Float64Array} x */
  follow(x) {
    const { rows, around, weights, others, points } = this;
    const count = this.weigh(x[this.a], x[this.b]);
    const { total } = this;
    for (const q of others) x[q] = 0;
    for (let i = 0; i < count; i++) {
      if (weights[i] === 0) continue;
      const weight = weights[i] / total;
      const start = rows[around[i]] * points.nLatent;
      for (const q of others) x[q] += weight * points.latent[start + q];
    }
    return x;
  }

  /**
   * Return the mean and variances, in the hidden dimensions, of the points near a place of the plane.
   * @param {number} u
   * @param {number} v
   */
  spread(u, v) {
    const { rows, around, weights, others, points: { latent, nLatent } } = this;
    const count = this.weigh(u, v);
    const [mean, variances] = [new Float64Array(nLatent), new Float64Array(nLatent)];
    for (let i = 0; i < count; i++) {
      if (weights[i] === 0) continue;
      const [weight, start] = [weights[i] / this.total, rows[around[i]] * nLatent];
      for (const q of others) {
        mean[q] += weight * latent[start + q];
        variances[q] += weight * latent[start + q] ** 2;
      }
    }
    for (const q of others) variances[q] = Math.max(variances[q] - mean[q] ** 2, 0);
    return { mean, variances };
  }

  /** Return the squared distance between training row n and the place of a pointer over its dot. @param {number} n */
  stray(n) {
    this.strays ??= Float64Array.from({ length: this.points.nPoints }, (_, m) => {
      const position = this.points.position(m);
      const place = this.follow(position.slice());
      return this.others.reduce((sum, q) => sum + this.points.relevance[q] * (place[q] - position[q]) ** 2, 0);
    });
    return this.strays[n];
  }

  /**
   * Return the surface of all places that the pointer can reach, for the shading.
   * @param {(x: Float64Array) => number} variance returns the variance at a place
   * @returns {Slice<null>}
   */
  slice(variance) {
    const x = new Float64Array(this.points.nLatent);
    return sampledSlice((u, v) => {
      [x[this.a], x[this.b]] = [u, v];
      return variance(this.follow(x));
    });
  }
}
