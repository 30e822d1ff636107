// The relaxation of a path between two fixed ends to a geodesic.

import { cholesky, choleskySolve, dot } from "../kit/algebra.js";

/** @import { Geometry } from "./geodesic.js" */

const MEMORY = 10; // the number of past steps that L-BFGS uses
const MOST_STEPS = 150;
const SETTLED = 1e-4; // relative decrease of the energy over several steps below which the search ends

/**
 * Minimise the energy of a path between its ends, in place, by L-BFGS. A path of least energy is a geodesic
 * at constant speed. The initial curvature is the metric's mean along the path.
 * @param {Geometry<any>} geometry
 * @param {Float64Array[]} path
 * @param {number[]} free dimensions in which the path may bend
 * @returns {Generator<void, void>}
 */
export function* relax(geometry, path, free) {
  const inner = path.length - 2;
  const K = free.length;
  const gradients = path.map((x) => new Float64Array(x.length));
  const read = (/** @type {Float64Array[]} */ rows) => Float64Array.from({ length: inner * K }, (_, i) => rows[1 + Math.floor(i / K)][free[i % K]]);
  const write = (/** @type {Float64Array} */ values) => values.forEach((value, i) => (path[1 + Math.floor(i / K)][free[i % K]] = value));
  const root = meanRoot(geometry, path, free);
  yield;
  let at = read(path);
  let energy = geometry.energy(path, gradients);
  let slope = read(gradients);
  /** Past steps, with the changes of the gradient. @type {{ step: Float64Array, change: Float64Array, rate: number }[]} */
  const memory = [];
  const past = [energy];
  for (let i = 0; i < MOST_STEPS; i++) {
    const way = descent(slope, memory, (vector) => smoothed(vector, inner, K, root));
    const rate = dot(way, slope);
    let share = 1;
    let next = at;
    let found = Infinity;
    for (; share > 1e-4; share *= 0.4) {
      next = at.map((value, j) => value + share * way[j]);
      write(next);
      found = geometry.energy(path, gradients);
      yield;
      if (found <= energy + 1e-4 * share * rate) break;
    }
    if (!(found < energy)) {
      write(at);
      return;
    }
    const now = read(gradients);
    const step = next.map((value, j) => value - at[j]);
    const change = now.map((value, j) => value - slope[j]);
    const curved = dot(step, change);
    if (curved > 0) memory.push({ step, change, rate: 1 / curved });
    if (memory.length > MEMORY) memory.shift();
    [at, energy, slope] = [next, found, now];
    past.push(energy);
    if (past.length > 5 && past[past.length - 6] - energy < SETTLED * energy) return;
  }
}

/**
 * Return the direction of descent from the past steps (Nocedal & Wright 2006, algorithm 7.4).
 * @param {Float64Array} slope
 * @param {{ step: Float64Array, change: Float64Array, rate: number }[]} memory
 * @param {(vector: Float64Array) => Float64Array} guess the initial inverse of the curvature
 */
function descent(slope, memory, guess) {
  const back = slope.map((value) => -value);
  const shares = memory.map(() => 0);
  for (let i = memory.length - 1; i >= 0; i--) {
    const { step, change, rate } = memory[i];
    shares[i] = rate * dot(step, back);
    for (let j = 0; j < back.length; j++) back[j] -= shares[i] * change[j];
  }
  const way = guess(back);
  memory.forEach(({ step, change, rate }, i) => {
    const excess = rate * dot(change, way);
    for (let j = 0; j < way.length; j++) way[j] += (shares[i] - excess) * step[j];
  });
  return way;
}

/**
 * Multiply by the inverse of the energy's curvature for a constant metric: 2 L ⊗ G, where L has 2 on its
 * diagonal and −1 beside it.
 * @param {Float64Array} vector inner × K
 * @param {number} inner
 * @param {number} K
 * @param {Float64Array} root of G, lower triangle, K × K
 */
function smoothed(vector, inner, K, root) {
  const out = vector.slice();
  // The factor of L has (1 + i)/i on its diagonal; solve from the first row down, then back up.
  for (let i = 1; i < inner; i++) for (let k = 0; k < K; k++) out[i * K + k] += (i / (i + 1)) * out[(i - 1) * K + k];
  for (let i = inner - 1; i >= 0; i--) {
    for (let k = 0; k < K; k++) {
      const below = i + 1 < inner ? out[(i + 1) * K + k] : 0;
      out[i * K + k] = ((i + 1) / (i + 2)) * (out[i * K + k] + below);
    }
  }
  for (let i = 0; i < inner; i++) choleskySolve(root, out.subarray(i * K, (i + 1) * K));
  return out.map((value) => value / 2);
}

/**
 * Return the Cholesky factor of the metric's mean along a path, in the free dimensions.
 * @param {Geometry<any>} geometry
 * @param {Float64Array[]} path
 * @param {number[]} free
 */
function meanRoot(geometry, path, free) {
  const K = free.length;
  const mean = new Float64Array(K * K);
  const places = path.filter((_, i) => i % 4 === 0);
  for (const x of places) {
    const metric = geometry.at(x);
    free.forEach((q, i) => free.forEach((p, j) => (mean[i * K + j] += metric[q * x.length + p] / places.length)));
  }
  return cholesky(mean, K);
}
