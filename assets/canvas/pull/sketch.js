// A picture under a brush: the painted values and the picture that fits them. This code does not depend on the page.

import { choleskySolve } from "../kit/algebra.js";
import { Fit } from "./fit.js";
import { NearData } from "./near.js";
import { PaintedPull, PaintedSeeds } from "./painted.js";

/** @import { Doubt } from "../geometry/doubt.js" */
/** @import { LatentPoints } from "../geometry/points.js" */
/** @import { LatentModel } from "../geometry/model.js" */

const OTHER_PICTURE = 0.25; // root mean square difference of two explanations, in units of the data's spread

/** @extends {Fit<PaintedPull, PaintedSeeds>} */
export class Sketch extends Fit {
  /** @param {LatentModel} model of pictures @param {LatentPoints} [points] that the search stays near */
  constructor(model, points = model) {
    const pull = new PaintedPull(model, new NearData(points));
    super(model, pull, new PaintedSeeds(pull));
    this.targets = pull.targets;
    this.spread = model.header.unit_spread || 1;
  }

  /** Whether anything is painted. @override */
  get holds() {
    return this.pull.count > 0;
  }

  /** Paint an output; NaN erases it. @override @param {number} d @param {number} value */
  hold(d, value) {
    if (!Number.isNaN(value) && !Number.isFinite(value)) return;
    this.pull.paint(d, value);
    this.still = false;
  }

  /** @override @param {Float64Array} pose @param {Float64Array} other */
  differ(pose, other) {
    const { scales } = this.model.outputs;
    let total = 0;
    for (let d = 0; d < pose.length; d++) total += ((pose[d] - other[d]) / scales[d]) ** 2;
    return Math.sqrt(total / pose.length) > OTHER_PICTURE * this.spread;
  }

  /**
   * Return how wrong the outputs may be, given the painted values, in the form that `Doubt` stores: cells and their
   * share.
   * @param {Doubt} doubt
   */
  freedom({ at, weights, scales }) {
    const { pull, model: { nLatent: Q, nTerms: R, outputs }, spread } = this;
    const { factor } = pull.factorAt(this.point);
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
