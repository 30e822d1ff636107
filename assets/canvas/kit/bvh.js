// Poses as a BVH file for animation programs: bones of constant length and their rotations, as in
// gplvm_core/readers/bodies/bvh_writer.py.

import { dot } from "./algebra.js";

/** A rotation as w, x, y, z, of length 1. @typedef {number[]} Quaternion */

const ROTATIONS = "Zrotation Xrotation Yrotation";
const POSITIONS = "Xposition Yposition Zposition";
const UNTURNED = [1, 0, 0, 0];
const DEGREES = 180 / Math.PI;

const unit = (/** @type {number[]} */ v) => v.map((value) => value / Math.max(Math.hypot(...v), 1e-12));
const cross = (/** @type {number[]} */ [a, b, c], /** @type {number[]} */ [d, e, f]) => [b * f - c * e, c * d - a * f, a * e - b * d];

/** Return the rotation that applies first q, then p. @param {Quaternion} p @param {Quaternion} q */
function afterTurn([w, ...u], [s, ...v]) {
  return [w * s - dot(u, v), ...cross(u, v).map((value, k) => value + w * v[k] + s * u[k])];
}

/** @param {Quaternion} q @param {number[]} v */
function turnedBy(q, v) {
  const [w, ...u] = q;
  return afterTurn(afterTurn(q, [0, ...v]), [w, ...u.map((value) => -value)]).slice(1);
}

/** Return the smallest rotation from one direction to another. @param {number[]} from @param {number[]} to */
function turnTo(from, to) {
  const [u, v] = [unit(from), unit(to)];
  const share = 1 + dot(u, v);
  if (share > 1e-9) return unit([share, ...cross(u, v)]);
  // Opposite directions need half a turn about any perpendicular axis.
  const least = u.map(Math.abs).indexOf(Math.min(...u.map(Math.abs)));
  return [0, ...unit(cross(u, [0, 1, 2].map((k) => Number(k === least))))];
}

/**
 * Return the rotation that aligns a joint's first bone, and the other bones as closely as possible.
 * @param {Quaternion} before the rotation of the joint's parent
 * @param {number[][]} offsets directions of the joint's bones before the rotation
 * @param {number[][]} bones
 */
function pointed(before, offsets, bones) {
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

/** Return the angles about z, x, y in degrees. @param {Quaternion} before rotation of a joint's parent @param {Quaternion} own both in world coordinates */
function anglesOf([s, ...u], own) {
  const [w, x, y, z] = afterTurn([s, ...u.map((value) => -value)], own);
  return [
    Math.atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z)),
    Math.asin(Math.min(Math.max(2 * (y * z + w * x), -1), 1)),
    Math.atan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y)),
  ].map((angle) => angle * DEGREES);
}

/**
 * Return the text of the file; y points up, and lengths have the unit of the positions. A joint's first bone
 * turns with the joint; each further bone gets an extra joint of length 0.
 * @param {{ names: string[], parents: number[] }} skeleton
 * @param {ArrayLike<number>[]} poses x, y, z of every joint
 * @param {number} seconds seconds from one pose to the next
 * @returns {string} Throws an Error for a skeleton with several roots.
 */
export function bvhText({ names, parents }, poses, seconds) {
  const roots = parents.filter((parent) => parent < 0);
  if (roots.length !== 1) throw new Error(`A BVH file needs a skeleton with one root, but this skeleton has ${roots.length}.`);
  const root = parents.findIndex((parent) => parent < 0);
  const at = (/** @type {ArrayLike<number>} */ pose, /** @type {number} */ joint) => [0, 1, 2].map((k) => pose[3 * joint + k]);
  const bone = (/** @type {ArrayLike<number>} */ pose, /** @type {number} */ joint) => {
    const start = at(pose, parents[joint]);
    return at(pose, joint).map((value, k) => value - start[k]);
  };
  // Bones have their direction in the first pose, and their mean length over all poses.
  const offsets = names.map((_, joint) => {
    if (joint === root) return [0, 0, 0];
    const length = poses.reduce((sum, pose) => sum + Math.hypot(...bone(pose, joint)), 0) / poses.length;
    return unit(bone(poses[0], joint)).map((value) => value * length);
  });
  const named = (/** @type {number} */ joint) => names[joint].trim().replace(/\s+/g, "_");
  const written = (/** @type {number[]} */ numbers) => numbers.map((value) => value.toFixed(6)).join(" ");
  const rows = poses.map((pose) => at(pose, root));
  /** @type {string[]} */
  const lines = [];
  /** @param {string} indent @param {string} name @param {number[]} offset @param {Quaternion[]} before @param {Quaternion[]} own @param {() => void} inside */
  const describe = (indent, name, offset, before, own, inside) => {
    lines.push(`${indent}${indent ? "JOINT" : "ROOT"} ${name}`, `${indent}{`, `${indent}  OFFSET ${written(offset)}`);
    lines.push(`${indent}  CHANNELS ${indent ? `3 ${ROTATIONS}` : `6 ${POSITIONS} ${ROTATIONS}`}`);
    rows.forEach((row, frame) => row.push(...anglesOf(before[frame], own[frame])));
    inside();
    lines.push(`${indent}}`);
  };
  /** @param {number} joint @param {string} indent @param {Quaternion[]} before */
  const hang = (joint, indent, before) => {
    const children = names.map((_, child) => child).filter((child) => parents[child] === joint);
    const bones = poses.map((pose) => children.map((child) => bone(pose, child)));
    const own = children.length ? before.map((turn, frame) => pointed(turn, children.map((child) => offsets[child]), bones[frame])) : before;
    const inside = `${indent}  `;
    describe(indent, named(joint), offsets[joint], before, own, () => {
      if (!children.length) lines.push(`${inside}End Site`, `${inside}{`, `${inside}  OFFSET ${written([0, 0, 0])}`, `${inside}}`);
      children.forEach((child, i) => {
        if (!i) return hang(child, inside, own);
        const turned = own.map((turn, frame) => afterTurn(turnTo(turnedBy(turn, offsets[child]), bones[frame][i]), turn));
        return describe(inside, `${named(joint)}_to_${named(child)}`, [0, 0, 0], own, turned, () => hang(child, `${inside}  `, turned));
      });
    });
  };
  hang(root, "", poses.map(() => UNTURNED));
  return [
    "HIERARCHY", ...lines, "MOTION", `Frames: ${poses.length}`, `Frame Time: ${seconds.toFixed(7)}`, ...rows.map(written), "",
  ].join("\n");
}
