// The search while a visitor drags a body: grabbed and pinned joints, the pose that follows, and other explanations.
// This code does not depend on the page.

import { Freedom } from "./freedom.js";
import { Limbs } from "./limbs.js";
import { NearData } from "./near.js";
import { BETTER_NATS, CHALLENGERS, FULL_CLIMB, MOST_SEEDS, otherExplanations, Seeds } from "./seeds.js";
import { Pull } from "./solver.js";

/** @import { Turn } from "../kit/geometry.js" */
/** @import { LatentPoints } from "../geometry/points.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Handle } from "./functionals.js" */

/** Another explanation of the handles. @typedef {{ point: Float64Array, pose: Float64Array, score: number }} Explanation */
/**
 * A held joint (grabbed or pinned). place: its target; seen: the axes of the screen along which the joint is held, if its depth is free.
 * @typedef {{ joint: number, place: number[], seen: number[][] | null }} Held
 */

// These lengths are in hundredths of the body's size, which are about centimetres.
const HAND = 3; // standard deviation of a grabbed joint around its target
const PIN = 1; // the same for a pinned joint
const SLOW = 2; // the longest movement of a joint in a frame, in addition to FOLLOWS times the handle's movement
const FOLLOWS = 1.5;
const REACHED = 1.5; // a joint is out of reach if it is farther than this from its target
const DIFFERENT = 6; // two poses are different explanations if a joint differs by more than this

const BEYOND = 8; // how far beyond the joint's places in the data a hand can pull it

const STEPS_A_FRAME = 4;
const CHALLENGE_EVERY = 3; // frames between two searches for a better latent point
const CHALLENGE_STEPS = 8;

export class BodyDrag {
  /** @param {LatentModel} model of a skeleton @param {LatentPoints} [points] that the search stays near */
  constructor(model, points = model) {
    this.model = model;
    this.near = new NearData(points);
    this.pull = new Pull(model, this.near);
    this.seeds = new Seeds(this.pull);
    this.limbs = new Limbs(model.drawing.skeleton.parents, model.items, model.drawing.extent.reach);
    /** @type {Map<number, Held>} */
    this.pins = new Map();
    /** The grabbed joint. @type {Held | null} */
    this.hand = null;
    this.point = new Float64Array(model.nLatent);
    this.pose = new Float64Array(model.nOutputs);
    this.mean = new Float64Array(model.nOutputs);
    /** @type {Freedom | null} */
    this.open = null;
    this.frame = 0;
    /** How far the grabbed joint's target has moved since the last frame. */
    this.moved = 0;
    this.still = true;
  }

  get unit() {
    return this.limbs.unit;
  }

  /** Whether any joint is held. */
  get holds() {
    return this.hand !== null || this.pins.size > 0;
  }

  /** Start at a latent point, with the pose that is drawn for it. @param {ArrayLike<number>} point @param {ArrayLike<number>} pose */
  begin(point, pose) {
    this.point.set(point);
    this.pose.set(pose);
    this.limbs.restore(this.pose);
  }

  /** Return the place of a joint. @param {number} joint */
  placeOf(joint) {
    return Array.from(this.pose.subarray(3 * joint, 3 * joint + 3));
  }

  /** Grab a joint in a turned view: its place on the screen is held, but its depth is free. @param {number} joint @param {Turn} turn */
  grab(joint, turn) {
    this.hand = { joint, place: this.placeOf(joint), seen: screenAxes(turn) };
    this.pins.delete(joint);
    this.still = true;
    this.hold();
  }

  /** Move the grabbed joint on the screen, in units of the data. @param {number} right @param {number} up */
  moveBy(right, up) {
    if (!this.hand?.seen || !Number.isFinite(right + up)) return;
    const [across, upward] = this.hand.seen;
    this.hand.place = this.hand.place.map((value, axis) => value + right * across[axis] + up * upward[axis]);
    this.moved += Math.hypot(right, up);
    this.still = false;
    this.aim();
  }

  /** Pin a joint at its present place, or release it. @param {number} joint @returns {boolean} whether it is pinned now */
  pin(joint) {
    const pinned = !this.pins.delete(joint);
    if (pinned) this.pins.set(joint, { joint, place: this.placeOf(joint), seen: null });
    this.still = false;
    this.hold();
    return pinned;
  }

  /** End the drag of a joint; the joint is held at its place until another joint is grabbed. */
  release() {
    this.still = true;
  }

  /** Release all joints. */
  free() {
    this.hand = null;
    this.pins.clear();
    this.pull.hold([]);
    this.still = true;
  }

  // --- handles --------------------------------------------------------------------------------

  /** Pass the handles, and the bones of their limbs, to the search. */
  hold() {
    const held = this.held();
    this.pull.hold(held.flatMap((each) => this.handlesOf(each)), this.limbs.terms(held.map(({ joint }) => joint)));
  }

  held() {
    return [...this.pins.values(), ...(this.hand ? [this.hand] : [])];
  }

  /** @param {Held} held @returns {Handle[]} */
  handlesOf({ joint, place, seen }) {
    const outputs = [3 * joint, 3 * joint + 1, 3 * joint + 2];
    const axes = seen ?? [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const tolerance = (seen ? HAND : PIN) * this.unit;
    return axes.map((weights) => ({ outputs, weights, target: onAxis(weights, place), tolerance }));
  }

  /** Change only the targets of the search. */
  aim() {
    const { pull, hand } = this;
    const targets = this.held().flatMap((each) => this.handlesOf(each));
    pull.handles.forEach((handle, h) => (handle.target = targets[h].target));
    if (hand?.seen && this.seeds.cross) this.aimWithin(pull.handles.length - 2);
  }

  /**
   * Limit a joint's target if no row has the joint near this target. The limb then stretches towards the target, but
   * the pose remains a plausible body.
   * @param {number} h the number of the first of the joint's two handles, which are the last handles
   */
  aimWithin(h) {
    const { near, pull: { handles } } = this;
    const means = this.seeds.means();
    const [across, upward] = handles.slice(h);
    let [least, right, up] = [Infinity, 0, 0];
    for (let i = 0, at = h; i < near.count; i++, at += handles.length) {
      const far = (means[at] - across.target) ** 2 + (means[at + 1] - upward.target) ** 2;
      if (far < least) [least, right, up] = [far, means[at], means[at + 1]];
    }
    const share = (BEYOND * this.unit) / Math.sqrt(least);
    if (share >= 1) return;
    across.target = right + share * (across.target - right);
    upward.target = up + share * (upward.target - up);
  }

  // --- a frame --------------------------------------------------------------------------------

  /**
   * Move the pose towards the handles by one frame.
   * @param {number} [frames] since the last call, at 60 per second
   * @returns {boolean} whether the body moved
   */
  step(frames = 1) {
    if (this.still) return false;
    let still = true;
    if (this.pull.handles.length) {
      const climbed = this.pull.climb(this.point, STEPS_A_FRAME);
      still = climbed.still;
      if (this.frame++ % CHALLENGE_EVERY === CHALLENGE_EVERY - 1 && this.moved) this.challenge(climbed.value);
    }
    const before = this.pose.slice();
    this.shape();
    const most = (SLOW * this.unit + FOLLOWS * this.moved) * Math.max(frames, 1);
    const limited = this.limbs.slow(this.pose, before, most);
    this.moved = 0;
    this.still = still && !limited;
    return true;
  }

  /** Climb from two other points; go to the better end if it is clearly better than the present point. @param {number} value */
  challenge(value) {
    const { pull, point } = this;
    const { damping } = pull;
    let best = value + BETTER_NATS;
    for (const seed of this.seeds.best(CHALLENGERS, point, [point.slice()])) {
      const found = pull.climb(seed, CHALLENGE_STEPS, 0.01).value;
      if (found <= best) continue;
      best = found;
      point.set(seed);
    }
    pull.damping = damping;
  }

  /** Compute the pose at the point: the mean with the right bone lengths, in which the limbs reach for their targets. */
  shape() {
    this.poseAt(this.point, this.pose);
  }

  /** @param {Float64Array} point @param {Float64Array} pose */
  poseAt(point, pose) {
    this.model.predict(point, pose);
    this.limbs.restore(pose);
    const held = new Set(this.held().map(({ joint }) => joint));
    // Joints are processed from the trunk outwards, so that a held joint is the base of the joints beyond it.
    for (const { joint, place, seen } of this.held().sort((p, q) => p.joint - q.joint)) {
      // Along the line of sight, the joint keeps the model's depth.
      const now = pose.subarray(3 * joint, 3 * joint + 3);
      const target = seen ? onScreen(now, place, seen) : place;
      this.limbs.reachFor(pose, joint, target, held);
    }
  }

  /** Return how far a held joint is from its target. @param {Held} held */
  missing({ joint, place, seen }) {
    const away = this.placeOf(joint).map((value, axis) => place[axis] - value);
    return seen ? Math.hypot(onAxis(seen[0], away), onAxis(seen[1], away)) : Math.hypot(...away);
  }

  /** Return whether a held joint cannot reach its target. @param {Held} held */
  outOfReach(held) {
    return this.missing(held) > REACHED * this.unit;
  }

  // --- uncertainty and explanations -----------------------------------------------------------

  /** Return how freely every joint can still move, as standard deviations of the outputs. */
  freedom() {
    const { model, point, pull } = this;
    this.open ??= new Freedom(model);
    const spread = this.open.at(point, pull.factorAt(point).factor);
    return model.deviations(point).map((deviation, d) => Math.sqrt(spread[d] + deviation * deviation));
  }

  /** Return a separate copy of the objective, for a search that runs beside the drag. */
  searcher() {
    const search = new Pull(this.model, this.near);
    search.fixed = this.pull.fixed;
    search.hold(this.pull.handles.map((handle) => ({ ...handle })), this.pull.functionals.bones);
    return search;
  }

  /** Find other explanations of the handles, best first; each step does a part of the work. @returns {Generator<void, Explanation[]>} */
  *others() {
    yield* this.seeds.prepare();
    const search = this.searcher();
    const seeds = new Seeds(search);
    seeds.cross = this.seeds.cross;
    /** @type {Explanation[]} */
    const found = [];
    const own = { pose: this.pose, score: search.factorAt(this.point).score };
    for (const seed of seeds.best(MOST_SEEDS, this.point)) {
      search.climb(seed, FULL_CLIMB, 0.01);
      const pose = new Float64Array(this.pose.length);
      this.poseAt(seed, pose);
      found.push({ point: seed, pose, score: search.factorAt(seed).score });
      yield;
    }
    found.sort((p, q) => q.score - p.score);
    return otherExplanations(found, own, (pose, other) => this.differ(pose, other));
  }

  /** @param {Float64Array} pose @param {Float64Array} other */
  differ(pose, other) {
    let most = 0;
    for (let at = 0; at < pose.length; at += 3) most = Math.max(most, Math.hypot(pose[at] - other[at], pose[at + 1] - other[at + 1], pose[at + 2] - other[at + 2]));
    return most > DIFFERENT * this.unit;
  }

  /** Change to another explanation. @param {Explanation} explanation */
  choose({ point }) {
    this.point.set(point);
    this.still = false;
  }
}

/** Return the axes of the screen, right and up, in a turned view. @param {Turn} turn */
export function screenAxes({ yaw, pitch }) {
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  return [[cy, 0, sy], [sp * sy, cp, -sp * cy]];
}

/** @param {ArrayLike<number>} axis @param {ArrayLike<number>} place */
function onAxis(axis, place) {
  return axis[0] * place[0] + axis[1] * place[1] + axis[2] * place[2];
}

/** Return a place that is moved along the axes of the screen until it covers the target. @param {ArrayLike<number>} place @param {ArrayLike<number>} target @param {number[][]} seen */
function onScreen(place, target, seen) {
  const away = [0, 1, 2].map((axis) => target[axis] - place[axis]);
  const [right, up] = seen.map((axis) => onAxis(axis, away));
  return [0, 1, 2].map((axis) => place[axis] + right * seen[0][axis] + up * seen[1][axis]);
}
