// Poses as a BVH file for animation programs: bones of constant length and their rotations, as in
// gplvm_core/readers/bodies/bvh_writer.py.

import { rigText } from "./bvh_rig.js";
import { afterTurn, DEGREES, pointed, turnedBy, turnTo, unit, UNTURNED } from "./quaternion.js";

/** @import { Rig } from "./bvh_rig.js" */
/** @import { Quaternion } from "./quaternion.js" */

const ROTATIONS = "Zrotation Xrotation Yrotation";
const POSITIONS = "Xposition Yposition Zposition";

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
 * With a rig, the file has the joints and channels of the rig.
 * @param {{ names: string[], parents: number[], rig?: Rig }} skeleton
 * @param {ArrayLike<number>[]} poses x, y, z of every joint
 * @param {number} seconds seconds from one pose to the next
 * @returns {string} Throws an Error for a skeleton with several roots.
 */
export function bvhText({ names, parents, rig }, poses, seconds) {
  if (rig) return rigText(rig, poses, seconds);
  const roots = parents.filter((parent) => parent < 0);
  if (roots.length !== 1) throw new Error(`A BVH file needs a skeleton with one root, but this skeleton has ${roots.length}.`);
  const root = parents.findIndex((parent) => parent < 0);
  const at = (/** @type {ArrayLike<number>} */ pose, /** @type {number} */ joint) => [0, 1, 2].map((k) => pose[3 * joint + k]);
  const bone = (/** @type {ArrayLike<number>} */ pose, /** @type {number} */ joint) => {
    const start = at(pose, parents[joint]);
    return at(pose, joint).map((value, k) => value - start[k]);
  };
  // The file describes every bone by its direction in the first pose and its mean length over all poses.
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
