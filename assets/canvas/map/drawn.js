// A place at random, from what is known of all training points together: a row, and its own doubt.

/** @import { LatentPoints } from "./points.js" */

/** A number from N(0, 1). @param {() => number} random from 0 to 1 */
function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * A draw from the mixture of the points' beliefs q(x_n), in all dimensions.
 * @param {LatentPoints} points
 * @param {() => number} [random]
 */
export function drawnPlace(points, random = Math.random) {
  const n = Math.min(Math.floor(points.nPoints * random()), points.nPoints - 1);
  const { latentVariance: variance, nLatent: Q } = points;
  return points.position(n).map((mean, q) => mean + (variance ? Math.sqrt(variance[n * Q + q]) * normal(random) : 0));
}
