// Random places among the training points.

/** @import { LatentPoints } from "./points.js" */

const NEIGHBOURS = 40; // rows around a place from which variations are sampled
// The number of rows that determine the Gaussian around a row. With 12 rows, outputs at new places are about as far
// from the nearest training row as held-out rows are (digits, poses, faces, flow).
const AROUND_ROW = 12;

/** Return a random number from N(0, 1). @param {() => number} random returns numbers from 0 to 1 */
export function normal(random = Math.random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Return a sample from the mixture of all q(x_n), or from the q(x_n) of one row, in all dimensions.
 * @param {LatentPoints} points
 * @param {() => number} [random]
 * @param {number} [row]
 */
export function drawnPlace(points, random = Math.random, row = undefined) {
  const n = row ?? Math.min(Math.floor(points.nPoints * random()), points.nPoints - 1);
  const { latentVariance: variance, nLatent: Q } = points;
  return points.position(n).map((mean, q) => mean + (variance ? Math.sqrt(variance[n * Q + q]) * normal(random) : 0));
}

/**
 * Return a new place that looks like the places of rows. It is a sample from a mixture with one Gaussian per row;
 * each Gaussian has the mean and the covariance of the rows nearest to its row.
 * @param {LatentPoints} points
 * @param {() => number} [random]
 */
export function newPlace(points, random = Math.random) {
  const row = Math.min(Math.floor(points.nPoints * random()), points.nPoints - 1);
  const near = points.closest(points.position(row), AROUND_ROW).map(({ row: other }) => points.position(other));
  const mean = points.position(row).map((_, q) => near.reduce((sum, place) => sum + place[q], 0) / near.length);
  const place = drawnPlace(points, random, row);
  const own = points.position(row);
  for (let q = 0; q < place.length; q++) place[q] += mean[q] - own[q];
  // A sum of the deviations with independent weights has the covariance of these rows.
  for (const other of near) {
    const weight = normal(random) / Math.sqrt(near.length);
    for (let q = 0; q < place.length; q++) place[q] += weight * (other[q] - mean[q]);
  }
  return place;
}

/**
 * Return a place half-way between x and a sample from the posterior q(x_n) of one of the nearest rows.
 * @param {LatentPoints} points
 * @param {Float64Array} x
 * @param {() => number} [random]
 */
export function placeAround(points, x, random = Math.random) {
  const near = points.closest(x, NEIGHBOURS);
  const { row } = near[Math.min(Math.floor(near.length * random()), near.length - 1)];
  return drawnPlace(points, random, row).map((value, q) => 0.5 * (value + x[q]));
}
