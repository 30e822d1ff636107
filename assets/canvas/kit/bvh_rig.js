// Poses as a BVH file with the joints, offsets and channels of the file that the data come from, as in
// gplvm_core/readers/bodies/rig_writer.py.

import { afterTurn, DEGREES, pointed, turnedBy, UNTURNED } from "./quaternion.js";

/** @import { Quaternion } from "./quaternion.js" */

/** A joint of the file; without channels, the end of a bone. @typedef {{ name: string, parent: number, offset: number[], channels: string[] }} RigJoint */
/** points: the skeleton's joint at each of them; usual: the channels of a typical frame. @typedef {{ joints: RigJoint[], points: number[], usual: number[] }} Rig */

const FLAT_SINE = 1 - 1e-9; // above it, the first and the third axis coincide
const backTurn = (/** @type {Quaternion} */ [w, ...u]) => [w, ...u.map((value) => -value)];
const placeIn = (/** @type {ArrayLike<number>} */ pose, /** @type {number} */ point) => [0, 1, 2].map((k) => pose[3 * point + k]);
const axisOf = (/** @type {string} */ channel) => "XYZ".indexOf(channel[0]);
const rotates = (/** @type {string} */ channel) => channel.endsWith("rotation");

/** The rotation of a joint relative to its parent. @param {string[]} channels @param {number[]} values @returns {Quaternion} */
function localTurn(channels, values) {
  return channels.reduce((turn, channel, c) => {
    if (!rotates(channel)) return turn;
    const half = values[c] / DEGREES / 2;
    const about = [0, 0, 0];
    about[axisOf(channel)] = Math.sin(half);
    return afterTurn(turn, [Math.cos(half), ...about]);
  }, UNTURNED);
}

/** Return angles in degrees about the axes. The rotations by these angles, in the order of the axes, give the turn or come close to it. @param {Quaternion} turn @param {number[]} axes */
function anglesAbout(turn, axes) {
  if (!axes.length) return [];
  const columns = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => turnedBy(turn, axis));
  const at = (/** @type {number} */ i, /** @type {number} */ j) => columns[j][i];
  if (axes.length === 1) {
    const [b, c] = [(axes[0] + 1) % 3, (axes[0] + 2) % 3];
    return [Math.atan2(at(c, b) - at(b, c), at(b, b) + at(c, c)) * DEGREES];
  }
  const [a, b] = axes;
  const c = 3 - a - b;
  const sign = (b - a + 3) % 3 === 1 ? 1 : -1;
  const sine = Math.min(Math.max(sign * at(a, c), -1), 1);
  const flat = Math.abs(sine) > FLAT_SINE;
  const first = flat ? Math.atan2(sign * at(c, b), at(b, b)) : Math.atan2(-sign * at(b, c), at(c, c));
  const third = flat ? 0 : Math.atan2(-sign * at(a, b), at(a, a));
  return [first, Math.asin(sine), third].slice(0, axes.length).map((angle) => angle * DEGREES);
}

/**
 * The joints whose directions a joint's rotation determines: the ends of its bones. A joint without bones has those of
 * its children at the same place.
 * @param {Rig} rig
 * @param {number} number
 * @returns {number[]}
 */
function aimsOf(rig, number) {
  const fixed = rig.joints.flatMap(({ parent, channels }, child) => (parent === number && channels.every(rotates) ? [child] : []));
  const bones = fixed.filter((child) => rig.joints[child].offset.some((value) => value !== 0));
  return bones.length ? bones : fixed.flatMap((child) => aimsOf(rig, child));
}

/** The channels of a pose; rotations in degrees. @param {Rig} rig @param {ArrayLike<number>} pose @returns {number[]} */
function channelsOf(rig, pose) {
  const { joints, points, usual } = rig;
  /** @type {Quaternion[]} */
  const turns = [];
  /** @type {number[]} */
  const row = [];
  joints.forEach(({ parent, channels }, number) => {
    const before = parent < 0 ? UNTURNED : turns[parent];
    const here = placeIn(pose, points[number]);
    const away = (/** @type {number} */ other) => placeIn(pose, points[other]).map((value, k) => value - here[k]);
    const aims = aimsOf(rig, number);
    let turn = afterTurn(before, localTurn(channels, usual.slice(row.length, row.length + channels.length)));
    if (aims.length) turn = pointed(turn, aims.map((aim) => joints[aim].offset), aims.map(away));
    const place = parent < 0 ? here : turnedBy(backTurn(before), away(parent).map((value) => -value));
    const angles = anglesAbout(afterTurn(backTurn(before), turn), channels.filter(rotates).map(axisOf));
    const values = channels.map((channel) => (rotates(channel) ? Number(angles.shift()) : place[axisOf(channel)]));
    turns.push(afterTurn(before, localTurn(channels, values)));
    row.push(...values);
  });
  return row;
}

/**
 * The text of the file.
 * @param {Rig} rig
 * @param {ArrayLike<number>[]} poses x, y, z of every joint of the skeleton
 * @param {number} seconds from one pose to the next
 */
export function rigText(rig, poses, seconds) {
  const { joints } = rig;
  const written = (/** @type {number[]} */ numbers) => numbers.map((value) => value.toFixed(6)).join(" ");
  const describe = (/** @type {number} */ number, /** @type {string} */ indent) => {
    const { name, parent, offset, channels } = joints[number];
    const children = joints.flatMap((joint, child) => (joint.parent === number ? [child] : []));
    const end = parent >= 0 && !channels.length && !children.length;
    /** @type {string[]} */
    const lines = [`${indent}${end ? "End Site" : `${indent ? "JOINT" : "ROOT"} ${name}`}`, `${indent}{`, `${indent}  OFFSET ${written(offset)}`];
    if (!end) lines.push(`${indent}  ${["CHANNELS", channels.length, ...channels].join(" ")}`);
    for (const child of children) lines.push(...describe(child, `${indent}  `));
    return [...lines, `${indent}}`];
  };
  const rotated = joints.flatMap(({ channels }) => channels.map(rotates));
  const rows = poses.map((pose) => channelsOf(rig, pose));
  // An angle may exceed half a turn, so that it continues the angle of the frame before.
  for (let f = 1; f < rows.length; f++) rows[f] = rows[f].map((value, c) => (rotated[c] ? value + 360 * Math.round((rows[f - 1][c] - value) / 360) : value));
  return ["HIERARCHY", ...describe(0, ""), "MOTION", `Frames: ${poses.length}`, `Frame Time: ${seconds.toFixed(7)}`, ...rows.map(written), ""].join("\n");
}
