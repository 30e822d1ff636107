// Near the data: where the dimensions that a map does not show go while a pointer moves over it.

/** @import { LatentPoints } from "./points.js" */
/** @import { Slice } from "./model.js" */

const NEIGHBOUR = 5; // a point's spacing is its distance to the neighbour of this number
const SHARE = 0.3; // of the spacing: the width of nearness. A narrow one stays near the data and is smooth
const NEGLIGIBLE = 40; // a weight of e^-40 beside the nearest point's is lost in rounding
const LEAST = 1e-6; // of the median: the least spacing, for points that coincide

/**
 * Gaussian weights of squared distances, beside the nearest one's, which is 1: finite however far all are.
 * @param {Float64Array} squared
 * @param {number} width
 * @param {Float64Array} out
 * @returns {number} their sum
 */
export function nearWeights(squared, width, out) {
  let least = Infinity;
  for (let n = 0; n < squared.length; n++) if (squared[n] < least) least = squared[n];
  const rate = 0.5 / (width * width);
  const most = least + NEGLIGIBLE / rate;
  let total = 0;
  for (let n = 0; n < squared.length; n++) {
    out[n] = squared[n] > most ? 0 : Math.exp(rate * (least - squared[n]));
    total += out[n];
  }
  return total;
}

/**
 * Distance of every point to its fifth neighbour in a plane (to its last, where there are fewer).
 * @param {Float64Array} us
 * @param {Float64Array} vs
 */
export function spacings(us, vs) {
  const N = us.length;
  const count = Math.min(NEIGHBOUR, N - 1);
  const order = Uint32Array.from(us, (_, n) => n).sort((m, n) => us[m] - us[n]);
  const nearest = new Float64Array(count);
  const found = new Float64Array(N);
  for (let i = 0; count && i < N; i++) {
    nearest.fill(Infinity);
    const [u, v] = [us[order[i]], vs[order[i]]];
    // Outwards along the first axis, on either side until that alone is farther than the neighbours found.
    for (const step of [-1, 1]) {
      for (let j = i + step; j >= 0 && j < N; j += step) {
        const across = (us[order[j]] - u) ** 2;
        if (across >= nearest[count - 1]) break;
        let squared = across + (vs[order[j]] - v) ** 2;
        for (let k = 0; k < count; k++) if (squared < nearest[k]) [nearest[k], squared] = [squared, nearest[k]];
      }
    }
    found[order[i]] = Math.sqrt(nearest[count - 1]);
  }
  return found;
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
    this.us = Float64Array.from({ length: N }, (_, n) => this.scale[0] * latent[n * Q + a]);
    this.vs = Float64Array.from({ length: N }, (_, n) => this.scale[1] * latent[n * Q + b]);
    this.spacing = spacings(this.us, this.vs);
    // Points that all coincide are equally near at any width.
    this.median = this.spacing.slice().sort()[N >> 1] || 1;
    for (let n = 0; n < N; n++) this.spacing[n] = Math.max(this.spacing[n], LEAST * this.median);
    this.squared = new Float64Array(N);
    this.weights = new Float64Array(N);
    /** Squared distance of every training point to where the pointer gets at it. @type {Float64Array | null} */
    this.strays = null;
  }

  /**
   * The spacing of the points around a place: its own mean weighted by nearness, so that it changes
   * smoothly with the place, and stays what the nearest points have where there are none.
   */
  spacingHere() {
    const { squared, weights, spacing, median } = this;
    const total = nearWeights(squared, median, weights);
    let sum = 0;
    for (let n = 0; n < weights.length; n++) sum += weights[n] * spacing[n];
    return sum / total;
  }

  /** Put the dimensions of x outside the plane where the data near it in the plane are. @param {Float64Array} x */
  follow(x) {
    const { us, vs, scale, squared, weights, others, points } = this;
    const [u, v] = [scale[0] * x[this.a], scale[1] * x[this.b]];
    for (let n = 0; n < us.length; n++) squared[n] = (us[n] - u) ** 2 + (vs[n] - v) ** 2;
    const total = nearWeights(squared, SHARE * this.spacingHere(), weights);
    for (const q of others) x[q] = 0;
    for (let n = 0; n < us.length; n++) {
      if (weights[n] === 0) continue;
      const weight = weights[n] / total;
      for (const q of others) x[q] += weight * points.latent[n * points.nLatent + q];
    }
    return x;
  }

  /** How far training point n is from the place that the pointer gets at it, squared. @param {number} n */
  stray(n) {
    this.strays ??= Float64Array.from({ length: this.us.length }, (_, m) => {
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
