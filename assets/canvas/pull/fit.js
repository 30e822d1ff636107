// Find the latent point whose outputs fit the held values. The point follows while the values change; when a change
// has ended, a search finds the best point. This code does not depend on the page.

import { BETTER_NATS, CHALLENGERS, FULL_CLIMB, MOST_SEEDS, otherExplanations } from "./seeds.js";

/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Explanation } from "./drag.js" */
/** @import { Seeds } from "./seeds.js" */
/** @import { Climber } from "./solver.js" */

const FRAME_STEPS = 3;
const RIVAL_STEPS = 4; // climbing steps of a challenger in a frame
const RIVAL_FRAMES = 4;
const EXACT_NATS = 1e-8; // gain at which the last climb of a search ends

/** @template {Climber} Objective @template {Seeds} Beginnings */
export class Fit {
  /** @param {LatentModel} model @param {Objective} pull @param {Beginnings} seeds */
  constructor(model, pull, seeds) {
    this.model = model;
    this.pull = pull;
    this.seeds = seeds;
    /** The output that the page shows. */
    this.output = model.pictured[0];
    this.point = new Float64Array(model.nLatent);
    /** The outputs at the point. */
    this.pose = new Float64Array(this.output.nOutputs);
    /** The held values, NaN where an output is free. */
    this.targets = new Float64Array(this.pose.length).fill(NaN);
    this.still = true;
    /** F at the point. */
    this.best = -Infinity;
    /** The search from other latent points, which makes a few steps in every frame. @type {Generator<void, void> | null} */
    this.challenge = null;
  }

  /** Whether any output is held. */
  get holds() {
    return this.targets.some((value) => !Number.isNaN(value));
  }

  /** Hold an output at a value; NaN releases it. @param {number} d @param {number} value */
  hold(d, value) {
    this.targets[d] = value;
    this.still = false;
  }

  /** Release all outputs. */
  free() {
    this.restore(this.targets.map(() => NaN));
    this.challenge = null;
  }

  /** Whether two outputs are different explanations. @param {Float64Array} pose @param {Float64Array} other */
  differ(pose, other) {
    return pose.some((value, d) => value !== other[d]);
  }

  /** Start at a latent point. @param {ArrayLike<number>} point */
  begin(point) {
    this.point.set(point);
    this.output.predict(this.point, this.pose);
    this.pull.damping = 0.01;
  }

  /** Hold the outputs at earlier values, for undo and redo. @param {ArrayLike<number>} targets */
  restore(targets) {
    for (let d = 0; d < targets.length; d++) this.hold(d, targets[d]);
    this.still = true;
  }

  /** Move the point towards the held outputs, for one frame. @returns {boolean} whether anything changed */
  step() {
    if (this.still) return false;
    if (this.holds) {
      const { value, still } = this.pull.climb(this.point, FRAME_STEPS);
      this.still = still;
      this.best = value;
      this.challenge ??= this.seeds.ready ? this.challenging() : null;
      if (this.challenge?.next().done) this.challenge = null;
      else if (this.challenge) this.still = false;
    } else this.still = true;
    this.output.predict(this.point, this.pose);
    return true;
  }

  /** Climb from two other points; switch to one of them if it is clearly better. @returns {Generator<void, void>} */
  *challenging() {
    const seeds = this.seeds.best(CHALLENGERS, this.point, [this.point.slice()]);
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
   * Search from the best rows, and move the point to the best explanation; return the other explanations, the best
   * first.
   * @returns {Generator<void, Explanation[]>}
   */
  *settle() {
    yield* this.seeds.prepare();
    const found = [this.explained(this.point.slice())];
    yield;
    for (const seed of this.seeds.best(MOST_SEEDS, this.point)) {
      found.push(this.explained(seed));
      yield;
    }
    const [own] = found;
    found.sort((p, q) => q.score - p.score);
    const first = found[0].score > own.score + BETTER_NATS ? found[0] : own;
    this.pull.climb(first.point, FULL_CLIMB, 0.01, EXACT_NATS);
    this.begin(first.point);
    this.still = true;
    return otherExplanations(found, first, (pose, other) => this.differ(pose, other));
  }

  /** Climb from a point until no step helps. @param {Float64Array} point @returns {Explanation} */
  explained(point) {
    const { pull, output } = this;
    pull.climb(point, FULL_CLIMB, 0.01);
    const pose = new Float64Array(output.nOutputs);
    output.predict(point, pose);
    return { point, pose, score: pull.factorAt(point).score };
  }

  /** Switch to another explanation. @param {Explanation} explanation */
  choose({ point }) {
    this.begin(point);
    this.pull.climb(this.point, FULL_CLIMB);
    this.output.predict(this.point, this.pose);
    this.still = true;
  }
}
