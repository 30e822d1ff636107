// If some outputs are held, the latent point is still uncertain. This uncertainty adds a variance to every output.

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
   * Return the added variance of every output: the diagonal of J A⁻¹ Jᵀ.
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
