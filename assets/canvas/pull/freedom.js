// How free outputs still are when some are held: the variance that the open place on the map gives them.

import { choleskySolve, dot } from "../kit/algebra.js";
import { Functionals } from "./functionals.js";

/** @import { LatentModel } from "../geometry/model.js" */

export class Freedom {
  /** @param {LatentModel} model */
  constructor(model) {
    this.model = model;
    /** The slopes of all outputs. */
    this.all = new Functionals(model);
    this.all.hold(Array.from({ length: model.nOutputs }, (_, d) => ({ outputs: [d], weights: [1], target: 0, tolerance: 1 })));
    this.all.forms = []; // only means are needed
  }

  /**
   * J A⁻¹ Jᵀ for every output.
   * @param {ArrayLike<number>} point
   * @param {Float64Array} factor of the curvature A there
   */
  at(point, factor) {
    const { all, model: { nOutputs, nLatent: Q } } = this;
    all.look(point);
    all.lookSlopes(point);
    return Float64Array.from({ length: nOutputs }, (_, d) => {
      const slope = all.slopes.subarray(d * Q, (d + 1) * Q);
      return Math.max(dot(slope, choleskySolve(factor, slope.slice())), 0);
    });
  }
}
