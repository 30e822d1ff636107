// What is not known of every output's function at a latent point, in the data's units.

/** @import { Frame } from "../kit/frame.js" */
/** @import { Floats } from "./kernels.js" */

export class OutputVariances {
  /** Of the bytes that pack_model wrote. @param {Frame} frame */
  constructor({ header, arrays, shapes }) {
    /** What one unit of an output is in the data's units. @type {Floats} */
    this.scales = arrays.scales;
    /** G × R × M of outputs whose variances differ; without it all share one. @type {Floats | undefined} */
    this.basis = arrays.variance_basis;
    const [groups, rank, inducing] = shapes.variance_basis ?? [0, 0, 0];
    this.groups = groups;
    this.rank = rank;
    this.inducing = inducing;
    /** Of every kind of output: its basis, its shares of the terms, its prior variance. */
    this.group = arrays.variance_group;
    this.shares = arrays.variance_shares;
    this.ratio = arrays.variance_ratio;
    /** Of every output. */
    this.kind = arrays.variance_kind;
    const meanSquare = Array.from(this.scales).reduce((sum, scale) => sum + scale * scale, 0) / this.scales.length;
    this.unit = meanSquare > 0 ? header.scale ** 2 / meanSquare : 1;
    this.terms = new Float64Array(groups * rank);
    this.kinds = new Float64Array(this.ratio?.length ?? 0);
  }

  /**
   * Add `weight` times the outputs' variances to `out` (D).
   * @param {Float64Array} row k(Z, x)
   * @param {number} prior k(x, x)
   * @param {number} mean the outputs' mean variance, in internal units
   * @param {number} weight
   * @param {Float64Array} out
   */
  add(row, prior, mean, weight, out) {
    const { scales, basis, kinds, kind } = this;
    if (!basis) {
      const shared = weight * this.unit * mean;
      for (let d = 0; d < out.length; d++) out[d] += shared * scales[d] ** 2;
      return;
    }
    this.known(row, prior);
    for (let d = 0; d < out.length; d++) out[d] += weight * kinds[kind[d]] * scales[d] ** 2;
  }

  /** The variance of every kind of output. @param {Float64Array} row @param {number} prior */
  known(row, prior) {
    const { rank, inducing: M, terms, kinds, group, shares, ratio } = this;
    const basis = /** @type {Floats} */ (this.basis);
    for (let r = 0, at = 0; r < terms.length; r++) {
      let sum = 0;
      for (let m = 0; m < M; m++, at++) sum += basis[at] * row[m];
      terms[r] = sum * sum;
    }
    for (let s = 0, at = 0; s < kinds.length; s++) {
      let variance = ratio[s] * prior;
      const start = group[s] * rank;
      for (let r = 0; r < rank; r++, at++) variance -= shares[at] * terms[start + r];
      kinds[s] = Math.max(variance, 0);
    }
  }
}
