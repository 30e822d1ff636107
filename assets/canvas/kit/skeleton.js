// A row of data as a stick figure, without missing joints and their bones.

import { jointFrame, turnJoints } from "./geometry.js";
import { inkDisc, inkLine, inkPath } from "./ink.js";
import { css, mix } from "./theme.js";

/** @import { Drawing, Turn } from "./geometry.js" */
/** @import { DrawOptions } from "./output.js" */
/** @import { Theme } from "./theme.js" */

const BONE_COLOURS = { left: [0, 114, 178], right: [213, 94, 0] };

/**
 * Guess each joint's side of the body: it is written out, or it is a first letter for which the
 * other side has a joint, too ("lfemur" beside "rfemur", but not "leg").
 * @param {string[]} names
 * @returns {("left" | "right" | null)[]}
 */
export function sides(names) {
  const small = names.map((name) => name.toLowerCase());
  const all = new Set(small);
  return small.map((name) => {
    if (name.startsWith("left") || (name.startsWith("l") && all.has("r" + name.slice(1)))) return "left";
    if (name.startsWith("right") || (name.startsWith("r") && all.has("l" + name.slice(1)))) return "right";
    return null;
  });
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Drawing} drawing
 * @param {ArrayLike<number>} values
 * @param {number} width
 * @param {number} height
 * @param {DrawOptions} options
 */
export function drawSkeleton(context, drawing, values, width, height, { theme, turn, spread = null, small = false }) {
  const { parents, names } = drawing.skeleton;
  const { reach } = drawing.extent;
  const { centre, scale, project } = jointFrame(drawing, values, width, height, small);
  if (!small) drawFloor(context, drawing, project, turn, theme);
  const joints = turnJoints(values, centre, turn);
  const known = joints.map((joint) => !joint.some(Number.isNaN));
  const bones = parents
    .map((parent, joint) => ({ parent, joint }))
    .filter(({ parent, joint }) => parent >= 0 && known[parent] && known[joint])
    .sort((p, q) => joints[p.joint][2] - joints[q.joint][2]);
  if (spread) {
    joints.forEach((joint, j) => {
      if (!known[j]) return;
      const radius = Math.hypot(spread[3 * j], spread[3 * j + 1], spread[3 * j + 2]) / Math.sqrt(3);
      inkDisc(context, ...project(joint), Math.max(scale * radius, 0.8), { fill: css(theme.accent, 0.24) });
    });
  }
  const side = sides(names);
  context.lineCap = "round";
  for (const { parent, joint } of bones) {
    const depth = Math.min(Math.max(0.5 + joints[joint][2] / (2 * reach), 0), 1);
    const own = side[joint];
    const colour = own ? mix(theme.background, mix(BONE_COLOURS[own], theme.text, 0.12), 0.55 + 0.45 * depth)
      : mix(theme.background, theme.text, 0.5 + 0.4 * depth);
    inkLine(context, project(joints[parent]), project(joints[joint]), { line: css(colour), width: small ? 1.4 : 2 + 2.4 * depth });
  }
  if (known.includes(false)) drawLoneJoints(context, joints, known, bones, project, small, theme);
}

/**
 * Draw known joints that have no known neighbour.
 * @param {CanvasRenderingContext2D} context
 * @param {number[][]} joints
 * @param {boolean[]} known
 * @param {{ parent: number, joint: number }[]} bones
 * @param {(joint: number[]) => [number, number]} project
 * @param {boolean} small
 * @param {Theme} theme
 */
function drawLoneJoints(context, joints, known, bones, project, small, theme) {
  const bound = new Set(bones.flatMap(({ parent, joint }) => [parent, joint]));
  joints.forEach((joint, j) => {
    if (known[j] && !bound.has(j)) inkDisc(context, ...project(joint), small ? 1.4 : 3, { fill: css(theme.text, 0.8) });
  });
}

/**
 * Draw a grid on the floor, to show the figure's turn and height.
 * @param {CanvasRenderingContext2D} context
 * @param {Drawing} drawing
 * @param {(joint: number[]) => [number, number]} project
 * @param {Turn} turn
 * @param {Theme} theme
 */
function drawFloor(context, drawing, project, turn, theme) {
  const { reach, floor, centre } = drawing.extent;
  context.beginPath();
  for (let i = -3; i <= 3; i++) {
    const at = (i / 3) * 0.75 * reach;
    const end = 0.75 * reach;
    for (const line of [[-end, at, end, at], [at, -end, at, end]]) {
      const points = [line[0], floor - centre[1], line[1], line[2], floor - centre[1], line[3]];
      const [from, to] = turnJoints(points, [0, 0, 0], turn);
      context.moveTo(...project(from));
      context.lineTo(...project(to));
    }
  }
  inkPath(context, { line: css(theme.faint) });
}
