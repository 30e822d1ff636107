// Near the data: where the dimensions that a map does not show go while a pointer moves over it.

/** @import { LatentPoints } from "./points.js" */
/** @import { Slice } from "./slice.js" */

const NEIGHBOUR = 5; // a point's spacing is its distance to the neighbour of this number
const SHARE = 0.3; // of the spacing: the width of nearness. A narrow one stays near the data and is smooth
const NEGLIGIBLE = 24; // a weight of e^-24 beside the nearest point's changes nothing that is seen
const GROWTH = 0.4; // below a half, where far away the nearest point no longer would be all that counts
const LEAST = 1e-6; // of the median: the least spacing, for points that coincide
const OUTSIDE = 0.9; // points more alone than this share of them count as no more alone than that

/**
 * The squared width of nearness where the nearest point is so far: wider than among the points, so
 * that half-way between two groups the one does not give way to the other at once.
 * @param {number} width among the points
 * @param {number} least squared distance of the nearest one
 */
function grown(width, least) {
  return width * width * (1 + least / (width * width)) ** GROWTH;
}

/**
 * Gaussian weights of squared distances, beside the nearest one's, which is 1: finite however far all are.
 * @param {Float64Array} squared
 * @param {number} count how many of them
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
 * Distance of every point to its fifth neighbour in a plane (to its last, where there are fewer).
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
    // Outwards along the first axis, on either side until that alone is farther than the neighbours found.
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

/** The training points as they lie in one plane, and what is near a place in it. */
export class NearPlane {
  /** @param {LatentPoints} points @param {number} a @param {number} b */
  constructor(points, a, b) {
    const { nPoints: N, nLatent: Q, latent, relevance } = points;
    this.points = points;
    this.a = a;
    this.b = b;
    /** The dimensions that follow. */
    this.others = Array.from({ length: Q }, (_, q) => q).filter((q) => q !== a && q !== b);
    this.scale = [Math.sqrt(relevance[a]), Math.sqrt(relevance[b])];
    /** The points' rows, from left to right; so are the arrays below. */
    this.rows = Uint32Array.from({ length: N }, (_, n) => n).sort((m, n) => latent[m * Q + a] - latent[n * Q + a]);
    this.us = Float64Array.from(this.rows, (n) => this.scale[0] * latent[n * Q + a]);
    this.vs = Float64Array.from(this.rows, (n) => this.scale[1] * latent[n * Q + b]);
    const spacing = spacings(this.us, this.vs);
    const sorted = spacing.slice().sort();
    // Points that all coincide are equally near at any width.
    this.median = sorted[N >> 1] || 1;
    const most = Math.max(sorted[Math.floor(OUTSIDE * N)], LEAST * this.median);
    this.spacing = spacing.map((distance) => Math.min(Math.max(distance, LEAST * this.median), most));
    /** No width is more than this among the points. */
    this.widest = Math.max(this.median, SHARE * most);
    /** Of the points around a place: which, their squared distances and weights. */
    this.around = new Uint32Array(N);
    this.squared = new Float64Array(N);
    this.weights = new Float64Array(N);
    /** The sum of the weights. */
    this.total = 0;
    /** Squared distance of every training row to where the pointer gets at it. @type {Float64Array | null} */
    this.strays = null;
  }

  /** Find the points around a place; how many there are. @param {number} u @param {number} v */
  look(u, v) {
    const { us, vs, around, squared, widest } = this;
    let [low, high] = [0, us.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (us[middle] < u) low = middle + 1;
      else high = middle;
    }
    // Points farther than this count for nothing, since another is near.
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
   * The spacing of the points around a place: its own mean weighted by nearness, so that it changes
   * smoothly with the place, and stays what the nearest points have where there are none.
   * @param {number} count of the points that `look` found
   */
  spacingHere(count) {
    const { around, squared, weights, spacing, median } = this;
    const total = nearWeights(squared, count, median, weights);
    let sum = 0;
    for (let i = 0; i < count; i++) sum += weights[i] * spacing[around[i]];
    return sum / total;
  }

  /** Weigh the points around a place; how many there are. @param {number} u @param {number} v */
  weigh(u, v) {
    const count = this.look(this.scale[0] * u, this.scale[1] * v);
    this.total = nearWeights(this.squared, count, SHARE * this.spacingHere(count), this.weights);
    return count;
  }

  /** Where the points around a place lie on another map of the same rows. @param {number} u @param {number} v @param {LatentPoints} other */
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

  /** Put the dimensions of x outside the plane where the data near it in the plane are. @param {Float64Array} x */
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
   * Mean and variances of the points near a place of the plane, in the dimensions outside it.
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

  /** How far training row n is from the place that the pointer gets at it, squared. @param {number} n */
  stray(n) {
    this.strays ??= Float64Array.from({ length: this.points.nPoints }, (_, m) => {
      const position = this.points.position(m);
      const place = this.follow(position.slice());
      return this.others.reduce((sum, q) => sum + this.points.relevance[q] * (place[q] - position[q]) ** 2, 0);
    });
    return this.strays[n];
  }

  /**
   * The places that the pointer gets, for the shading.
   * @param {(x: Float64Array) => number} variance at a place
   * @returns {Slice<null>}
   */
  slice(variance) {
    const x = new Float64Array(this.points.nLatent);
    return {
      columns: () => null,
      variances: (us, _, v, out, offset) => {
        for (let i = 0; i < us.length; i++) {
          [x[this.a], x[this.b]] = [us[i], v];
          out[offset + i] = variance(this.follow(x));
        }
      },
    };
  }
}
