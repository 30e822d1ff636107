// The alignment of maps by rotation and reflection (Procrustes), in units in which distances are comparable.

import { LatentPoints } from "../geometry/points.js";
import { sampledSlice } from "../geometry/slice.js";

/** @import { MapModel } from "../map/map.js" */

/**
 * The transformation from a model's plane to the aligned plane: z = scale · (√w x − middle) R, for rows of two
 * numbers.
 * @typedef {object} Turning
 * @property {[number, number]} units √w of the plane's two dimensions
 * @property {[number, number]} middle
 * @property {number} scale
 * @property {[number, number, number, number]} matrix R, row by row
 * @property {number} agreement similarity to the reference map; 1 means the same shape
 */

/**
 * Return the best rotation or reflection of P onto T, both N × 2, centred and of equal size.
 * Source: Schönemann (1966), in closed form for two dimensions.
 * @param {Float64Array} P
 * @param {Float64Array} T
 */
export function turnOnto(P, T) {
  let [m00, m01, m10, m11] = [0, 0, 0, 0];
  for (let i = 0; i < P.length; i += 2) {
    m00 += P[i] * T[i];
    m01 += P[i] * T[i + 1];
    m10 += P[i + 1] * T[i];
    m11 += P[i + 1] * T[i + 1];
  }
  const turned = Math.hypot(m00 + m11, m01 - m10);
  const reflected = Math.hypot(m00 - m11, m01 + m10);
  // The sum of squares of P and of T is N; see standing().
  const agreement = Math.max(turned, reflected) / (P.length / 2);
  const [across, up] = turned >= reflected ? [m00 + m11, m01 - m10] : [m00 - m11, m01 + m10];
  const length = Math.hypot(across, up) || 1;
  const [cos, sin] = across || up ? [across / length, up / length] : [1, 0];
  /** @type {[number, number, number, number]} */
  const matrix = turned >= reflected ? [cos, sin, -sin, cos] : [cos, sin, sin, -cos];
  return { matrix, agreement };
}

/**
 * Return the plane of a map, centred and scaled to size 1, but not yet aligned with other maps.
 * @param {LatentPoints} model
 * @param {number} a
 * @param {number} b
 */
export function standing(model, a, b) {
  const { nPoints: N, nLatent: Q, latent, relevance } = model;
  /** @type {[number, number]} */
  const units = [Math.sqrt(relevance[a]) || 1, Math.sqrt(relevance[b]) || 1];
  /** @type {[number, number]} */
  const middle = [0, 0];
  for (let n = 0; n < N; n++) {
    middle[0] += (units[0] * latent[n * Q + a]) / N;
    middle[1] += (units[1] * latent[n * Q + b]) / N;
  }
  const points = new Float64Array(2 * N);
  let squares = 0;
  for (let n = 0; n < N; n++) {
    points[2 * n] = units[0] * latent[n * Q + a] - middle[0];
    points[2 * n + 1] = units[1] * latent[n * Q + b] - middle[1];
    squares += points[2 * n] ** 2 + points[2 * n + 1] ** 2;
  }
  const scale = 1 / (Math.sqrt(squares / N) || 1);
  return { units, middle, scale, points: points.map((value) => value * scale) };
}

/**
 * Return the alignment of every map with the first map; the direction of the first map does not change.
 * @param {{ model: LatentPoints, a: number, b: number }[]} maps
 * @returns {Turning[]}
 */
export function turnings(maps) {
  const stands = maps.map(({ model, a, b }) => standing(model, a, b));
  return stands.map(({ units, middle, scale, points }, i) => ({
    units, middle, scale,
    ...(i ? turnOnto(points, stands[0].points) : { matrix: [1, 0, 0, 1], agreement: 1 }),
  }));
}

/** A model whose plane is aligned; everything else is unchanged. */
export class TurnedModel extends LatentPoints {
  /**
   * @param {MapModel} model
   * @param {number} a
   * @param {number} b
   * @param {Turning} turning
   */
  constructor(model, a, b, turning) {
    const { nPoints: N, nLatent: Q } = model;
    const relevance = Array.from(model.relevance);
    relevance[a] = relevance[b] = 1 / turning.scale ** 2;
    const axes = [...model.header.axes];
    [axes[a], axes[b]] = ["aligned", "aligned"];
    const { labels, sequences, order, factors } = model;
    super({
      header: { ...model.header, relevance, axes },
      arrays: { latent: Float64Array.from(model.latent), labels, sequences, order, factors },
      shapes: { latent: [N, Q] },
    });
    this.model = model;
    this.plane = [a, b];
    this.turning = turning;
    for (let n = 0; n < N; n++) this.latent.set(this.inward(model.position(n)), n * Q);
  }

  /** Convert a point of the model into the aligned plane. @param {Float64Array} x */
  inward(x) {
    const [a, b] = this.plane;
    const { units, middle, scale, matrix: [r00, r01, r10, r11] } = this.turning;
    const [u, v] = [scale * (units[0] * x[a] - middle[0]), scale * (units[1] * x[b] - middle[1])];
    const z = Float64Array.from(x);
    [z[a], z[b]] = [u * r00 + v * r10, u * r01 + v * r11];
    return z;
  }

  /** Convert a point of the aligned plane into the model's coordinates. @param {Float64Array} z */
  outward(z) {
    const [a, b] = this.plane;
    const { units, middle, scale, matrix: [r00, r01, r10, r11] } = this.turning;
    const x = Float64Array.from(z);
    x[a] = ((z[a] * r00 + z[b] * r01) / scale + middle[0]) / units[0];
    x[b] = ((z[a] * r10 + z[b] * r11) / scale + middle[1]) / units[1];
    return x;
  }

  /** @param {Float64Array} z */
  variance(z) {
    return this.model.variance(this.outward(z));
  }

  get items() {
    return this.model.items;
  }

  get pictured() {
    return this.model.pictured;
  }

  /** @param {number} variance */
  spreadWords(variance) {
    return this.model.spreadWords(variance);
  }

  /**
   * Return the plane through z, for the shading.
   * @param {Float64Array} z
   * @param {number} a
   * @param {number} b
   */
  slice(z, a, b) {
    const place = Float64Array.from(z);
    return sampledSlice((u, v) => {
      [place[a], place[b]] = [u, v];
      return this.variance(place);
    });
  }
}
