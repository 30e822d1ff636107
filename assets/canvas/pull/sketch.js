// The search while a visitor paints: the painted values, the picture that fits them, and other explanations.
// This code does not depend on the page.

import { cholesky, choleskySolve } from "../kit/algebra.js";
import { NearData } from "./near.js";
import { PaintedPull, PaintedSeeds } from "./painted.js";
import { BETTER_NATS, CHALLENGERS, FAR_NATS, FULL_CLIMB, MOST_OTHERS, MOST_SEEDS } from "./seeds.js";

/** @import { Doubt } from "../geometry/doubt.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Explanation } from "./drag.js" */

const BRUSH_STEPS = 3;
const RIVAL_STEPS = 4; // steps per frame of a climb from another place
const RIVAL_FRAMES = 4;
const EXACT_NATS = 1e-8; // the last climb of a stroke ends at a smaller gain per step
const OTHER_PICTURE = 0.25; // two pictures are different explanations if their root mean square difference is larger, in units of the data's spread

export class Sketch {
  /** @param {LatentModel} model of pictures */
  constructor(model) {
    this.model = model;
    this.near = new NearData(model);
    this.pull = new PaintedPull(model, this.near);
    this.seeds = new PaintedSeeds(this.pull);
    this.point = new Float64Array(model.nLatent);
    /** The picture at the point. */
    this.pose = new Float64Array(model.nOutputs);
    this.still = true;
    /** The objective F at the point. */
    this.best = -Infinity;
    /** The search from other places, which does a part of its work in every frame. @type {Generator<void, void> | null} */
    this.challenge = null;
    this.spread = model.header.unit_spread || 1;
  }

  /** Whether anything is painted. */
  get holds() {
    return this.pull.count > 0;
  }

  /** Start at a place. @param {ArrayLike<number>} point */
  begin(point) {
    this.point.set(point);
    this.model.predict(this.point, this.pose);
    this.pull.damping = 0.01;
  }

  /** Paint an output; NaN erases it. @param {number} d @param {number} value */
  paint(d, value) {
    if (!Number.isNaN(value) && !Number.isFinite(value)) return;
    this.pull.paint(d, value);
    this.still = false;
  }

  /** Erase all painted values. */
  free() {
    this.pull.erase();
    this.still = true;
    this.challenge = null;
  }

  /** Paint the values of an earlier stroke. @param {ArrayLike<number>} targets */
  restore(targets) {
    for (let d = 0; d < targets.length; d++) this.pull.paint(d, targets[d]);
    this.still = true;
  }

  /** Follow the brush by one frame. @returns {boolean} whether anything changed */
  step() {
    if (this.still) return false;
    if (this.holds) {
      const { value, still } = this.pull.climb(this.point, BRUSH_STEPS);
      this.still = still;
      this.best = value;
      this.challenge ??= this.seeds.terms ? this.challenging() : null;
      if (this.challenge?.next().done) this.challenge = null;
      else if (this.challenge) this.still = false;
    } else this.still = true;
    this.model.predict(this.point, this.pose);
    return true;
  }

  /** Climb from two other places; go to one of them if it is clearly better. @returns {Generator<void, void>} */
  *challenging() {
    const seeds = this.seeds.best(CHALLENGERS, [this.point.slice()]);
    yield;
    for (const seed of seeds) {
      let damping = 0.01;
      for (let frame = 0; frame < RIVAL_FRAMES; frame++) {
        const own = this.pull.damping;
        const { value, still } = this.pull.climb(seed, RIVAL_STEPS, damping);
        damping = this.pull.damping;
        this.pull.damping = own;
        if (value > this.best + BETTER_NATS) {
          this.point.set(seed);
          this.still = false;
          return;
        }
        if (still) break;
        yield;
      }
    }
  }

  /**
   * Search from the best rows, and move the point to the best explanation. Returns the other explanations, best first.
   * @returns {Generator<void, Explanation[]>}
   */
  *settle() {
    yield* this.seeds.prepare();
    const found = [this.explained(this.point.slice())];
    yield;
    for (const seed of this.seeds.best(MOST_SEEDS)) {
      found.push(this.explained(seed));
      yield;
    }
    const [own] = found;
    found.sort((p, q) => q.score - p.score);
    const first = found[0].score > own.score + BETTER_NATS ? found[0] : own;
    this.pull.climb(first.point, FULL_CLIMB, 0.01, EXACT_NATS);
    this.begin(first.point);
    this.still = true;
    /** @type {Explanation[]} */
    const kept = [];
    for (const each of found) {
      if (each.score < first.score - FAR_NATS || kept.length === MOST_OTHERS) break;
      if ([first, ...kept].every(({ pose }) => this.differ(pose, each.pose))) kept.push(each);
    }
    return kept;
  }

  /** Climb from a point to the nearest maximum, and return this explanation. @param {Float64Array} point @returns {Explanation} */
  explained(point) {
    const { pull, model } = this;
    pull.climb(point, FULL_CLIMB, 0.01);
    const pose = new Float64Array(model.nOutputs);
    model.predict(point, pose);
    return { point, pose, score: pull.factorAt(point).score };
  }

  /** @param {Float64Array} pose @param {Float64Array} other */
  differ(pose, other) {
    const { scales } = this.model.outputs;
    let total = 0;
    for (let d = 0; d < pose.length; d++) total += ((pose[d] - other[d]) / scales[d]) ** 2;
    return Math.sqrt(total / pose.length) > OTHER_PICTURE * this.spread;
  }

  /** Change to another explanation. @param {Explanation} explanation */
  choose({ point }) {
    this.begin(point);
    this.pull.climb(this.point, FULL_CLIMB);
    this.model.predict(this.point, this.pose);
    this.still = true;
  }

  /**
   * Return how wrong the outputs may be, given the painted values, in the form of `Doubt`: cells and their share.
   * @param {Doubt} doubt
   */
  freedom({ at, weights, scales }) {
    const { pull, model: { nLatent: Q, nTerms: R, outputs }, spread } = this;
    pull.at(this.point);
    const factor = cholesky(pull.curvature.slice(), Q);
    const { slopes, functionals: { known } } = pull;
    const cells = new Float64Array(at.length);
    const slope = new Float64Array(Q);
    let total = 0;
    for (let i = 0; i < at.length; i++) {
      slope.fill(0);
      for (let r = 0; r < R; r++) for (let q = 0, share = weights[r * at.length + i]; q < Q; q++) slope[q] += share * slopes[r * Q + q];
      const solved = choleskySolve(factor, slope.slice());
      let variance = pull.unit * known[outputs.basis ? outputs.kind[at[i]] : 0];
      for (let q = 0; q < Q; q++) variance += (slope[q] * solved[q]) / (scales[i] * scales[i]);
      cells[i] = variance / (spread * spread);
      total += cells[i];
    }
    return { cells, share: Math.sqrt(total / cells.length) };
  }
}
