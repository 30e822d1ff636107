// Positions of a row's parts in its picture, for drawing (output.js) and for the painter's brush.

/** @import { Rig } from "./bvh_rig.js" */
/** @import { TableColumn } from "./table.js" */

/**
 * How to draw a row, as gplvm_core/wire/model.py describes it.
 * @typedef {object} Drawing
 * @property {"image" | "skeleton" | "curve" | "bars" | "table"} kind
 * @property {number[]} shape
 * @property {[number, number]} range the values drawn as black and white, or the ends of the axis
 * @property {[number, number][]} [ranges] the ends of each column's own axis, in a table with mixed units
 * @property {string[]} [ends] names of the highest and the lowest end of these axes
 * @property {string[] | null} columns names of the columns, if they have names
 * @property {{ names: string[], parents: number[], rig?: Rig }} skeleton of a skeleton only; rig: of the file
 * @property {{ centre: number[], reach: number, floor: number }} extent of a skeleton only
 * @property {TableColumn[]} [table] the columns of a table with words or counts
 * @property {string[]} [palette] the colours of its words
 */
/** How stick figures are turned, in radians. @typedef {{ yaw: number, pitch: number }} Turn */

/**
 * Return the box of an image inside a drawing, and the size of a pixel.
 * @param {Drawing} drawing
 * @param {number} width
 * @param {number} height
 */
export function imageBox(drawing, width, height) {
  const [rows, columns] = drawing.shape;
  const fit = Math.min(width / columns, height / rows);
  return { x: (width - columns * fit) / 2, y: (height - rows * fit) / 2, fit };
}

/**
 * Return joint positions (J × 3, y up), turned by yaw about the vertical, then tilted by pitch.
 * @param {ArrayLike<number>} values
 * @param {ArrayLike<number>} centre
 * @param {any} it
 */
export function turnJoints(values, centre, { yaw, pitch }) {
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  const joints = [];
  for (let j = 0; j < values.length; j += 3) {
    const [x, y, z] = [values[j] - centre[0], values[j + 1] - centre[1], values[j + 2] - centre[2]];
    const [rx, rz] = [cy * x + sy * z, cy * z - sy * x];
    joints.push([rx, cp * y - sp * rz, sp * y + cp * rz]);
  }
  return joints;
}

/** @param {ArrayLike<number>} values */
function jointCentre(values) {
  return [0, 1, 2].map((axis) => {
    let [low, high] = [Infinity, -Infinity];
    for (let j = axis; j < values.length; j += 3) {
      if (Number.isNaN(values[j])) continue;
      low = Math.min(low, values[j]);
      high = Math.max(high, values[j]);
    }
    return low <= high ? (low + high) / 2 : 0;
  });
}

/**
 * Return the projection of a skeleton's joints to the screen: centre, scale, and a function from [x, y] to pixels.
 * @param {Drawing} drawing
 * @param {ArrayLike<number>} values
 * @param {number} width
 * @param {number} height
 * @param {boolean} [small]
 */
export function jointFrame(drawing, values, width, height, small = false) {
  // Small figures are centred individually; the large figure keeps its height above the floor.
  const centre = small ? jointCentre(values) : drawing.extent.centre;
  const scale = ((small ? 0.62 : 0.48) * Math.min(width, height)) / drawing.extent.reach;
  const middle = (small ? 0.5 : 0.48) * height;
  return { centre, scale, project: (/** @type {ArrayLike<number>} */ joint) => /** @type {[number, number]} */ ([width / 2 + scale * joint[0], middle - scale * joint[1]]) };
}

/**
 * Return the positions of joints in the large drawing of a skeleton, as [x, y] in CSS pixels.
 * @param {Drawing} drawing
 * @param {ArrayLike<number>} values
 * @param {number} width
 * @param {number} height
 * @param {Turn} turn
 */
export function jointPlaces(drawing, values, width, height, turn) {
  const { centre, project } = jointFrame(drawing, values, width, height);
  return turnJoints(values, centre, turn).map(project);
}

/**
 * Return the positions of columns and the heights of values in the drawing of a vector.
 * @param {Drawing} drawing
 * @param {number} count
 * @param {number} width
 * @param {number} height
 * @param {boolean} [small]
 */
export function vectorFrame(drawing, count, width, height, small = false) {
  const bars = drawing.kind === "bars";
  const named = bars && !small && drawing.columns && count <= 16;
  const [left, right, top, bottom] = small
    ? [2, width - 2, 3, height - 3]
    : [46, width - 8, 10, height - (named ? 58 : 34)];
  const step = (right - left) / (bars ? count : Math.max(count - 1, 1));
  const rangeOf = (/** @type {number} */ i) => drawing.ranges?.[i] ?? drawing.range;
  const py = (/** @type {number} */ value, /** @type {number} */ i) => {
    const [low, high] = rangeOf(i);
    return bottom - ((value - low) / (high - low)) * (bottom - top);
  };
  return {
    py,
    /** Where bars begin: at 0, or at the end of the common range that is nearest to 0. */
    base: drawing.ranges ? bottom : py(Math.min(Math.max(0, drawing.range[0]), drawing.range[1]), 0),
    left, right, top, bottom, step, named,
    px: (/** @type {number} */ i) => left + (bars ? (i + 0.5) * step : i * step),
    at: (/** @type {number} */ x) => (bars ? Math.floor((x - left) / step) : Math.round((x - left) / step)),
  };
}
