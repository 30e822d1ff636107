// Rotations as quaternions.

import { dot } from "./algebra.js";

/** w, x, y, z; of length 1. @typedef {number[]} Quaternion */

export const UNTURNED = [1, 0, 0, 0];
export const DEGREES = 180 / Math.PI;

export const unit = (/** @type {number[]} */ v) => v.map((value) => value / Math.max(Math.hypot(...v), 1e-12));
const cross = (/** @type {number[]} */ [a, b, c], /** @type {number[]} */ [d, e, f]) => [b * f - c * e, c * d - a * f, a * e - b * d];

/** The rotation that applies first q, then p. @param {Quaternion} p @param {Quaternion} q */
export function afterTurn([w, ...u], [s, ...v]) {
  return [w * s - dot(u, v), ...cross(u, v).map((value, k) => value + w * v[k] + s * u[k])];
}

/** @param {Quaternion} q @param {number[]} v */
export function turnedBy(q, v) {
  const [w, ...u] = q;
  return afterTurn(afterTurn(q, [0, ...v]), [w, ...u.map((value) => -value)]).slice(1);
}

/** The smallest rotation from one direction to another. @param {number[]} from @param {number[]} to */
export function turnTo(from, to) {
  const [u, v] = [unit(from), unit(to)];
  const share = 1 + dot(u, v);
  if (share > 1e-9) return unit([share, ...cross(u, v)]);
  // Opposite directions: half a turn about any perpendicular axis.
  const least = u.map(Math.abs).indexOf(Math.min(...u.map(Math.abs)));
  return [0, ...unit(cross(u, [0, 1, 2].map((k) => Number(k === least))))];
}

/**
 * The rotation that aligns a joint's first bone, and then the others as closely as possible.
 * @param {Quaternion} before rotation of the joint's parent
 * @param {number[][]} offsets directions of its bones before the rotation
 * @param {number[][]} bones
 */
export function pointed(before, offsets, bones) {
  const turn = afterTurn(turnTo(turnedBy(before, offsets[0]), bones[0]), before);
  const axis = unit(bones[0]);
  let [sine, cosine] = [0, 0];
  for (let i = 1; i < bones.length; i++) {
    const start = turnedBy(turn, offsets[i]);
    sine += dot(cross(axis, start), bones[i]);
    cosine += dot(start, bones[i]) - dot(axis, start) * dot(axis, bones[i]);
  }
  const half = Math.atan2(sine, cosine) / 2;
  return afterTurn([Math.cos(half), ...axis.map((value) => value * Math.sin(half))], turn);
}
