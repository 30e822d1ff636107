// The variance of every output's function at a latent point, in the data's units.

import { timesVector } from "../kit/algebra.js";

/** @import { Frame } from "../kit/frame.js" */
/** @import { Floats } from "./kernels.js" */

export class OutputVariances {
  /** The frame that pack_model wrote. @param {Frame} frame */
  constructor({ header, arrays, shapes }) {
    /** The scale of an output: one internal unit in the data's units. @type {Floats} */
    this.scales = arrays.scales;
    /** G × R × M if the variances of outputs differ; undefined if all outputs share one variance. @type {Floats | undefined} */
    this.basis = arrays.variance_basis;
    const [groups, rank, inducing] = shapes.variance_basis ?? [0, 0, 0];
    this.groups = groups;
    this.rank = rank;
    this.inducing = inducing;
    /** The basis, the shares of the terms, and the prior variance of every kind of output. */
    this.group = arrays.variance_group;
    this.shares = arrays.variance_shares;
    this.ratio = arrays.variance_ratio;
    /** The kind of every output. */
    this.kind = arrays.variance_kind;
    const meanSquare = Array.from(this.scales).reduce((sum, scale) => sum + scale * scale, 0) / this.scales.length;
    this.unit = meanSquare > 0 ? header.scale ** 2 / meanSquare : 1;
    /** The squared terms and the prior variance, averaged over the added places. */
    this.terms = new Float64Array(groups * rank);
    this.prior = 0;
  }

  /** Forget all places that were added. */
  begin() {
    this.terms.fill(0);
    this.prior = 0;
  }

  /**
   * Add a place.
   * @param {Float64Array} row k(Z, x)
   * @param {number} prior k(x, x)
   * @param {number} weight of the place
   */
  look(row, prior, weight) {
    const { basis, terms } = this;
    this.prior += weight * prior;
    if (basis) timesVector(basis, row).forEach((term, r) => (terms[r] += weight * term * term));
  }

  /**
   * Return the outputs' expected variances at the added places.
   * @param {number} shared the outputs' mean variance, in internal units
   * @param {number} count of the outputs
   */
  variances(shared, count) {
    const { scales, basis, kind, unit } = this;
    const kinds = basis ? this.known() : null;
    const found = new Float64Array(count);
    for (let d = 0; d < count; d++) found[d] = (kinds ? kinds[kind[d]] : unit * shared) * scales[d] * scales[d];
    return found;
  }

  /**
   * Return the variance of one output's function at a place.
   * @param {number} d
   * @param {Float64Array} row k(Z, x)
   * @param {number} prior k(x, x)
   * @param {number} shared the outputs' mean variance, in internal units
   */
  one(d, row, prior, shared) {
    const { basis, kind, group, shares, ratio, rank, inducing: M, scales, unit } = this;
    if (!basis) return unit * shared * scales[d] * scales[d];
    const s = kind[d];
    let variance = ratio[s] * prior;
    timesVector(basis.subarray(group[s] * rank * M, (group[s] + 1) * rank * M), row).forEach((term, r) => (variance -= shares[s * rank + r] * term * term));
    return Math.max(variance, 0) * scales[d] * scales[d];
  }

  /** Return the variance of every kind of output, in units of its scale. */
  known() {
    const { rank, terms, group, shares, ratio, prior } = this;
    return Float64Array.from(ratio, (/** @type {number} */ own, /** @type {number} */ s) => {
      let variance = own * prior;
      const start = group[s] * rank;
      for (let r = 0, at = s * rank; r < rank; r++, at++) variance -= shares[at] * terms[start + r];
      return Math.max(variance, 0);
    });
  }
}
