// A body in the hand: grabbed and pinned joints, the pose that follows, and other explanations.
// Knows nothing of the page.

import { Freedom } from "./freedom.js";
import { Limbs } from "./limbs.js";
import { NearData } from "./near.js";
import { BETTER_NATS, CHALLENGERS, FAR_NATS, FULL_CLIMB, MOST_OTHERS, MOST_SEEDS, Seeds } from "./seeds.js";
import { Pull } from "./solver.js";

/** @import { Turn } from "../kit/geometry.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Handle } from "./functionals.js" */

/** Another explanation of the handles. @typedef {{ point: Float64Array, pose: Float64Array, score: number }} Explanation */
/**
 * A held joint. place: its target; seen: the axes of the screen along which it is held, if depth is free.
 * @typedef {{ joint: number, place: number[], seen: number[][] | null }} Held
 */

// In hundredths of the body's size, about centimetres.
const HAND = 3; // how exact a hand is
const PIN = 1;
const SLOW = 2; // a joint's movement per frame, and in units of the handle's own movement
const FOLLOWS = 1.5;
const REACHED = 1.5; // farther from its target, a joint is out of reach
const DIFFERENT = 6; // two poses with a joint this far apart are different explanations

const BEYOND = 8; // how far beyond the data's places a hand pulls the body

const STEPS_A_FRAME = 4;
const CHALLENGE_EVERY = 3; // frames
const CHALLENGE_STEPS = 8;

export class BodyDrag {
  /** @param {LatentModel} model of a skeleton */
  constructor(model) {
    this.model = model;
    this.near = new NearData(model);
    this.pull = new Pull(model, this.near);
    this.seeds = new Seeds(this.pull.functionals, this.near);
    this.limbs = new Limbs(model.drawing.skeleton.parents, model.items, model.drawing.extent.reach);
    /** @type {Map<number, Held>} */
    this.pins = new Map();
    /** The joint in the hand. @type {Held | null} */
    this.hand = null;
    this.point = new Float64Array(model.nLatent);
    this.pose = new Float64Array(model.nOutputs);
    this.mean = new Float64Array(model.nOutputs);
    /** @type {Freedom | null} */
    this.open = null;
    this.frame = 0;
    /** How far the hand has moved since the last frame. */
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

  /** Begin at a place, with the pose that is drawn there. @param {ArrayLike<number>} point @param {ArrayLike<number>} pose */
  begin(point, pose) {
    this.point.set(point);
    this.pose.set(pose);
    this.limbs.restore(this.pose);
  }

  /** Where a joint is. @param {number} joint */
  placeOf(joint) {
    return Array.from(this.pose.subarray(3 * joint, 3 * joint + 3));
  }

  /** Grab a joint in a turned view: it is held on the screen, its depth is free. @param {number} joint @param {Turn} turn */
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

  /** Hold a joint where it is, or let it go. @param {number} joint @returns {boolean} whether it is pinned now */
  pin(joint) {
    const pinned = !this.pins.delete(joint);
    if (pinned) this.pins.set(joint, { joint, place: this.placeOf(joint), seen: null });
    this.still = false;
    this.hold();
    return pinned;
  }

  /** The hand opens: the joint stays where it is until another one is grabbed. */
  release() {
    this.still = true;
  }

  /** Let everything go. */
  free() {
    this.hand = null;
    this.pins.clear();
    this.pull.hold([]);
    this.still = true;
  }

  // --- handles --------------------------------------------------------------------------------

  /** Give the handles and the bones of their limbs to the search. */
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

  /** Change the targets only. */
  aim() {
    const { pull, hand } = this;
    const targets = this.held().flatMap((each) => this.handlesOf(each));
    pull.handles.forEach((handle, h) => (handle.target = targets[h].target));
    if (hand?.seen && this.seeds.cross) this.aimWithin(pull.handles.length - 2);
  }

  /**
   * Limit the pull of a hand that the data never have there: the limb stretches to it, but the body stays a body.
   * @param {number} h the first of its two handles, the last ones
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
   * Follow the handles by one frame.
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

  /** Climb from two other places; take one that is clearly better. @param {number} value */
  challenge(value) {
    const { pull, point } = this;
    const { damping } = pull;
    let best = value + BETTER_NATS;
    for (const seed of this.seeds.best(CHALLENGERS, [point.slice()])) {
      const found = pull.climb(seed, CHALLENGE_STEPS, 0.01).value;
      if (found <= best) continue;
      best = found;
      point.set(seed);
    }
    pull.damping = damping;
  }

  /** The pose at the point: the mean, with the bones' lengths, and the limbs that reach. */
  shape() {
    this.poseAt(this.point, this.pose);
  }

  /** @param {Float64Array} point @param {Float64Array} pose */
  poseAt(point, pose) {
    this.model.predict(point, pose);
    this.limbs.restore(pose);
    const held = new Set(this.held().map(({ joint }) => joint));
    // From the body outwards, so that a held joint is the base of what is beyond it.
    for (const { joint, place, seen } of this.held().sort((p, q) => p.joint - q.joint)) {
      // Along the view the joint stays where the model has it.
      const now = pose.subarray(3 * joint, 3 * joint + 3);
      const target = seen ? onScreen(now, place, seen) : place;
      this.limbs.reachFor(pose, joint, target, held);
    }
  }

  /** How far a held joint is from its target. @param {Held} held */
  missing({ joint, place, seen }) {
    const away = this.placeOf(joint).map((value, axis) => place[axis] - value);
    return seen ? Math.hypot(onAxis(seen[0], away), onAxis(seen[1], away)) : Math.hypot(...away);
  }

  /** Whether a held joint cannot follow. @param {Held} held */
  outOfReach(held) {
    return this.missing(held) > REACHED * this.unit;
  }

  // --- uncertainty and explanations -----------------------------------------------------------

  /** How free every joint still is: standard deviations of the outputs. */
  freedom() {
    const { model, point, pull } = this;
    this.open ??= new Freedom(model);
    const spread = this.open.at(point, pull.factorAt(point).factor);
    return model.deviations(point).map((deviation, d) => Math.sqrt(spread[d] + deviation * deviation));
  }

  /** The same objective for a search beside the drag. */
  searcher() {
    const search = new Pull(this.model, this.near);
    search.hold(this.pull.handles.map((handle) => ({ ...handle })), this.pull.functionals.bones);
    return search;
  }

  /** Other explanations of the handles, the best first; some work at a step. @returns {Generator<void, Explanation[]>} */
  *others() {
    yield* this.seeds.prepare();
    const search = this.searcher();
    const seeds = new Seeds(search.functionals, this.near);
    seeds.cross = this.seeds.cross;
    /** @type {Explanation[]} */
    const found = [];
    const own = search.factorAt(this.point).score;
    for (const seed of seeds.best(MOST_SEEDS)) {
      search.climb(seed, FULL_CLIMB, 0.01);
      const pose = new Float64Array(this.pose.length);
      this.poseAt(seed, pose);
      found.push({ point: seed, pose, score: search.factorAt(seed).score });
      yield;
    }
    found.sort((p, q) => q.score - p.score);
    /** @type {Explanation[]} */
    const kept = [];
    for (const each of found) {
      if (each.score < own - FAR_NATS || kept.length === MOST_OTHERS) break;
      if ([this.pose, ...kept.map(({ pose }) => pose)].every((pose) => this.differ(pose, each.pose))) kept.push(each);
    }
    return kept;
  }

  /** @param {Float64Array} pose @param {Float64Array} other */
  differ(pose, other) {
    let most = 0;
    for (let at = 0; at < pose.length; at += 3) most = Math.max(most, Math.hypot(pose[at] - other[at], pose[at + 1] - other[at + 1], pose[at + 2] - other[at + 2]));
    return most > DIFFERENT * this.unit;
  }

  /** Go over to another explanation. @param {Explanation} explanation */
  choose({ point }) {
    this.point.set(point);
    this.still = false;
  }
}

/** The axes of the screen, right and up, in a turned view. @param {Turn} turn */
export function screenAxes({ yaw, pitch }) {
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  return [[cy, 0, sy], [sp * sy, cp, -sp * cy]];
}

/** @param {ArrayLike<number>} axis @param {ArrayLike<number>} place */
function onAxis(axis, place) {
  return axis[0] * place[0] + axis[1] * place[1] + axis[2] * place[2];
}

/** A place moved along the axes of the screen to where another one is seen. @param {ArrayLike<number>} place @param {ArrayLike<number>} target @param {number[][]} seen */
function onScreen(place, target, seen) {
  const away = [0, 1, 2].map((axis) => target[axis] - place[axis]);
  const [right, up] = seen.map((axis) => onAxis(axis, away));
  return [0, 1, 2].map((axis) => place[axis] + right * seen[0][axis] + up * seen[1][axis]);
}
