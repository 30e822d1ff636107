// The bones of a body: constant lengths, limbs that reach for a place, and a limit of the joints' speed.

const RIGID = 0.01; // a bone keeps its length if the length varies by a smaller fraction in the data
const SLACK = 0.02; // tolerance of a bone's length in the search, as a fraction of the length
const SLACK_UNITS = 0.2; // additional tolerance, in hundredths of the body's size
const LIMB_JOINTS = 3; // number of long bones above the grabbed joint that reach for a place
const SHORT_BONE = 0.08; // as a fraction of the body's reach; shorter bones do not count as long bones
const PASSES = 3;
const STILL = 0.01; // as a fraction of the body's reach; a joint that moves less in the data is fixed

/** @typedef {import("./functionals.js").BoneTerm} BoneTerm */

export class Limbs {
  /**
   * parents: the parent of every joint, −1 for a root; parents are before their children. rows: the data, N × 3 J. reach: the body's size.
   * @param {readonly number[]} parents
   * @param {ArrayLike<number>} rows
   * @param {number} reach
   */
  constructor(parents, rows, reach) {
    this.parents = parents;
    this.reach = reach;
    /** A hundredth of the body's size, which is about a centimetre for an adult. */
    this.unit = 0.011 * reach;
    const count = parents.length;
    this.lengths = new Float64Array(count);
    /** Whether a bone's length is the same in all rows. */
    this.rigid = new Uint8Array(count);
    /** The range of a joint in the data, along the axis with the largest range. */
    this.moves = new Float64Array(count);
    /** The largest extent of a body along an axis: its height, if it stands in any row. */
    this.size = 0;
    this.measure(rows);
    this.directions = new Float64Array(3 * count);
  }

  /** @param {ArrayLike<number>} rows */
  measure(rows) {
    const { parents, lengths, rigid, moves } = this;
    const width = 3 * parents.length;
    const step = Math.max(1, Math.floor(rows.length / width / 400));
    for (let at = 0; at + width <= rows.length; at += step * width) {
      for (let axis = 0; axis < 3; axis++) {
        const along = parents.map((_, j) => rows[at + 3 * j + axis]).filter(Number.isFinite);
        if (along.length) this.size = Math.max(this.size, Math.max(...along) - Math.min(...along));
      }
    }
    parents.forEach((parent, j) => {
      const found = [];
      const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
      for (let at = 0; at + width <= rows.length; at += step * width) {
        for (let axis = 0; axis < 3; axis++) {
          low[axis] = Math.min(low[axis], rows[at + 3 * j + axis] || 0);
          high[axis] = Math.max(high[axis], rows[at + 3 * j + axis] || 0);
        }
        if (parent < 0) continue;
        const [p, c] = [at + 3 * parent, at + 3 * j];
        const length = Math.hypot(rows[c] - rows[p], rows[c + 1] - rows[p + 1], rows[c + 2] - rows[p + 2]);
        if (Number.isFinite(length)) found.push(length);
      }
      moves[j] = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
      found.sort((a, b) => a - b);
      lengths[j] = found[found.length >> 1] ?? 0;
      const spread = (found[Math.floor(0.95 * found.length)] ?? 0) - (found[Math.floor(0.05 * found.length)] ?? 0);
      rigid[j] = Number(spread <= RIGID * lengths[j]);
    });
  }

  /** Return the bones between the joints and their roots, for the search. @param {Iterable<number>} joints @returns {BoneTerm[]} */
  terms(joints) {
    const { parents, lengths, rigid, reach, unit } = this;
    const found = new Set();
    for (const joint of joints) for (let j = joint; j >= 0 && parents[j] >= 0 && !found.has(j); j = parents[j]) found.add(j);
    return [...found].filter((j) => rigid[j] && lengths[j] > 1e-6 * reach)
      .map((j) => ({ from: 3 * parents[j], to: 3 * j, length: lengths[j], tolerance: SLACK * lengths[j] + SLACK_UNITS * unit }));
  }

  /** Store the directions of all bones. @param {Float64Array} pose */
  note(pose) {
    const { parents, directions, lengths, rigid } = this;
    for (let j = 0; j < parents.length; j++) {
      const p = parents[j];
      if (p < 0) continue;
      const away = [0, 1, 2].map((axis) => pose[3 * j + axis] - pose[3 * p + axis]);
      const long = Math.hypot(...away);
      const factor = rigid[j] ? (long > 1e-9 ? lengths[j] / long : 0) : 1;
      for (let axis = 0; axis < 3; axis++) directions[3 * j + axis] = factor * away[axis];
    }
  }

  /** Place all joints from the roots outwards, along the stored directions. @param {Float64Array} pose */
  rebuild(pose) {
    const { parents, directions } = this;
    for (let j = 0; j < parents.length; j++) {
      const p = parents[j];
      if (p >= 0) for (let axis = 0; axis < 3; axis++) pose[3 * j + axis] = pose[3 * p + axis] + directions[3 * j + axis];
    }
  }

  /** Restore the lengths of all bones, from the roots outwards. @param {Float64Array} pose */
  restore(pose) {
    this.note(pose);
    this.rebuild(pose);
  }

  /**
   * Return the limb of a joint, from the joint to the limb's base. Held joints and joints that never move are bases.
   * @param {number} joint
   * @param {ReadonlySet<number>} held
   */
  limb(joint, held) {
    const { parents, lengths, reach } = this;
    const chain = [joint];
    for (let j = joint, long = 0; parents[j] >= 0 && long < LIMB_JOINTS && !this.fixed(j); ) {
      if (lengths[j] > SHORT_BONE * reach) long++;
      j = parents[j];
      chain.push(j);
      if (held.has(j)) break;
    }
    return chain;
  }

  /** Return whether a joint never moves in the data. @param {number} joint */
  fixed(joint) {
    return this.moves[joint] < STILL * this.reach;
  }

  /**
   * Let a joint's limb reach for a place with constant lengths; joints beyond the limb move with their parents.
   * @param {Float64Array} pose
   * @param {number} joint
   * @param {ArrayLike<number>} target
   * @param {ReadonlySet<number>} [held] joints that do not move
   */
  reachFor(pose, joint, target, held = new Set()) {
    this.note(pose);
    const chain = this.limb(joint, held);
    if (chain.length < 2) return;
    const places = chain.map((j) => [pose[3 * j], pose[3 * j + 1], pose[3 * j + 2]]);
    const lengths = chain.slice(1).map((_, i) => Math.hypot(...[0, 1, 2].map((axis) => this.directions[3 * chain[i] + axis])));
    const base = places[places.length - 1].slice();
    for (let pass = 0; pass < PASSES; pass++) {
      places[0] = [target[0], target[1], target[2]];
      for (let i = 1; i < places.length; i++) places[i] = towards(places[i - 1], places[i], lengths[i - 1]);
      places[places.length - 1] = base.slice();
      for (let i = places.length - 2; i >= 0; i--) places[i] = towards(places[i + 1], places[i], lengths[i]);
    }
    for (let i = 0; i < chain.length - 1; i++) {
      for (let axis = 0; axis < 3; axis++) this.directions[3 * chain[i] + axis] = places[i][axis] - places[i + 1][axis];
    }
    this.rebuild(pose);
  }

  /**
   * Limit how far joints move from an earlier pose; lengths are constant.
   * @param {Float64Array} pose
   * @param {Float64Array} before
   * @param {number} most
   */
  slow(pose, before, most) {
    let limited = false;
    for (let at = 0; at < pose.length; at += 3) {
      const far = Math.hypot(pose[at] - before[at], pose[at + 1] - before[at + 1], pose[at + 2] - before[at + 2]);
      if (far <= most) continue;
      limited = true;
      for (let axis = 0; axis < 3; axis++) pose[at + axis] = before[at + axis] + (pose[at + axis] - before[at + axis]) * (most / far);
    }
    if (limited) this.restore(pose);
    return limited;
  }
}

/** Return the place at a distance from `from`, in the direction of `to`. @param {number[]} from @param {number[]} to @param {number} length */
function towards(from, to, length) {
  const away = to.map((value, axis) => value - from[axis]);
  const long = Math.hypot(...away);
  if (long < 1e-12) return from.map((value, axis) => value + (axis === 1 ? -length : 0));
  return from.map((value, axis) => value + (away[axis] * length) / long);
}
