// The change of the output between neighbouring latent places: the expected Riemannian metric of
// the generated output, G(x) = E[JᵀJ] (Tosi, Hauberg, Vellido & Lawrence 2014).
//
// f is a Gaussian process given the data, so its Jacobian J is Gaussian. G has two parts: the slopes of the mean, and
// the covariance of the slopes. Up to a scale, this covariance is the same for all outputs:
//   G(x) = Aᵀ (W Wᵀ − D s² diag(shrink)) A + D s² ∂²k(x, x')/∂x∂x',   A = ∂alpha/∂x = T ∂k(Z, x)/∂x.
// s is the header's scale, the root mean square over the outputs: D s² is the sum of their squared scales.
// Between two places near each other, dᵀ G d is the expected squared change E‖f(x + d) − f(x)‖², which can be
// computed without derivatives. The change does not include white noise, which is independent at every place.

import { dot, timesVector } from "../kit/algebra.js";

/** @import { LatentModel } from "./model.js" */
/** @import { Geometry } from "./geodesic.js" */
/** @import { Inputs } from "./kernels.js" */

/** A place with precomputed values for its distances. @typedef {{ x: Float64Array, alpha: Float64Array, image: Float64Array, own: number }} Station own: k(x, x) without white noise */

/** @implements {Geometry<Station>} */
export class OutputMetric {
  /** Throws for a model whose kernel has no known derivative. @param {LatentModel} model */
  constructor(model) {
    const unknown = model.kernel.find((_, p) => !model.kinds[p].derivative);
    if (unknown) throw new Error(`Lengths need the derivative of the kernel "${unknown.kind}", which this page cannot compute.`);
    this.model = model;
    this.nLatent = model.nLatent;
    /** D s². */
    this.level = model.nOutputs * model.header.scale ** 2;
    /** W Wᵀ − D s² diag(shrink), R × R; computed by `prepare`. */
    this.form = new Float64Array(0);
    this.row = new Float64Array(model.nInducing);
    this.slopes = new Float64Array(model.nInducing * model.nLatent);
    /** Memory that `between` reuses, because it is called thousands of times. */
    this.value = new Float64Array(1);
    /** @type {Inputs} */
    this.pair = { inducing: this.value, nInducing: 1, nLatent: model.nLatent };
  }

  /** Compute the products of the weights, which do not depend on the place. The generator yields after every row, because this takes long. */
  *prepare() {
    const { weights, rank: R, nOutputs: D, shrink } = this.model;
    if (this.form.length) return;
    const form = new Float64Array(R * R);
    for (let r = 0; r < R; r++) {
      for (let s = 0; s <= r; s++) {
        form[r * R + s] = form[s * R + r] = dot(weights.subarray(r * D, (r + 1) * D), weights.subarray(s * D, (s + 1) * D));
      }
      form[r * R + r] -= this.level * shrink[r];
      yield;
    }
    this.form = form;
  }

  /**
   * Return alpha for a kernel row, or the change of alpha for a change of the row.
   * @param {Float64Array} row M
   */
  coefficients(row) {
    return timesVector(this.model.transform, row);
  }

  /** Return the form times coefficients. @param {Float64Array} alpha R */
  imaged(alpha) {
    return timesVector(this.form, alpha);
  }

  /** Return ∂k(Z, x)/∂x, M × Q; the next call overwrites the result. @param {Float64Array} x */
  slopesAt(x) {
    const { model, slopes } = this;
    slopes.fill(0);
    model.kernel.forEach((part, p) => model.kinds[p].derivative?.row(part, x, model, slopes));
    return slopes;
  }

  /** Return the derivatives of alpha along directions. @param {Float64Array} x @param {ArrayLike<number>[]} directions */
  changesAt(x, directions) {
    const slopes = this.slopesAt(x);
    return directions.map((direction) => this.coefficients(timesVector(slopes, direction)));
  }

  /**
   * Return G between directions: K × K for K directions (each Q), by default along every dimension.
   * @param {Float64Array} x
   * @param {ArrayLike<number>[]} [directions]
   */
  at(x, directions = unitVectors(this.nLatent)) {
    const { model, nLatent: Q, level } = this;
    const prior = new Float64Array(Q * Q);
    model.kernel.forEach((part, p) => model.kinds[p].derivative?.diagonal(part, x, prior));
    const changes = this.changesAt(x, directions);
    const K = directions.length;
    const found = new Float64Array(K * K);
    for (let i = 0; i < K; i++) {
      const image = this.imaged(changes[i]);
      for (let j = 0; j <= i; j++) {
        let slope = 0;
        for (let q = 0, at = 0; q < Q; q++) for (let p = 0; p < Q; p++, at++) slope += prior[at] * directions[i][q] * directions[j][p];
        found[i * K + j] = found[j * K + i] = dot(image, changes[j]) + level * slope;
      }
    }
    return found;
  }

  /** Return how much the output changes for a small step from x, in the data's units: √(dᵀ G d). @param {Float64Array} x @param {Float64Array} step */
  speed(x, step) {
    return Math.sqrt(Math.max(this.at(x, [step])[0], 0));
  }

  /** Return the enlargement of the area that two directions span: √det G. @param {Float64Array} x @param {ArrayLike<number>} along @param {ArrayLike<number>} up */
  magnification(x, along, up) {
    const [g, h, , k] = this.at(x, [along, up]);
    return Math.sqrt(Math.max(g * k - h * h, 0));
  }

  /** Return how much the mean alone enlarges the area, computed from the mean's slopes. @param {Float64Array} x @param {ArrayLike<number>} along @param {ArrayLike<number>} up */
  meanMagnification(x, along, up) {
    const { shrink } = this.model;
    const changes = this.changesAt(x, [along, up]);
    // Add D s² diag(shrink) again, so that only the mean's part W Wᵀ remains.
    const images = changes.map((change) => this.imaged(change).map((value, r) => value + this.level * shrink[r] * change[r]));
    const [g, h, k] = [[0, 0], [0, 1], [1, 1]].map(([i, j]) => dot(images[i], changes[j]));
    return Math.sqrt(Math.max(g * k - h * h, 0));
  }

  // --- distances without derivatives ----------------------------------------------------------

  /** @param {Float64Array} x @returns {Station} */
  station(x) {
    const alpha = this.coefficients(this.model.kernelRow(x, this.row));
    return { x: Float64Array.from(x), alpha, image: this.imaged(alpha), own: this.between(x, x) };
  }

  /** Return E‖f(x) − f(x')‖² of two stations. @param {Station} from @param {Station} to */
  squared(from, to) {
    let sum = 0;
    for (let r = 0; r < from.alpha.length; r++) sum += (from.alpha[r] - to.alpha[r]) * (from.image[r] - to.image[r]);
    return Math.max(sum + this.level * (from.own - 2 * this.between(from.x, to.x) + to.own), 0);
  }

  /** Return k(x, x) − 2 k(x, x') + k(x', x') without white noise. @param {Float64Array} x @param {Float64Array} other */
  apart(x, other) {
    return this.between(x, x) - 2 * this.between(x, other) + this.between(other, other);
  }

  /** @param {Float64Array} x @param {Float64Array} other */
  between(x, other) {
    const { model: { kernel, kinds }, pair, value } = this;
    pair.inducing = other;
    value[0] = 0;
    for (let p = 0; p < kernel.length; p++) kinds[p].row(kernel[p], x, pair, value);
    return value[0];
  }

  /** Add factor ∂k(z, x)/∂x to out. @param {Float64Array} z @param {Float64Array} x @param {number} factor @param {Float64Array} out */
  addSlope(z, x, factor, out) {
    const { model, nLatent: Q } = this;
    const slope = new Float64Array(Q);
    const inputs = { inducing: z, nInducing: 1, nLatent: Q };
    model.kernel.forEach((part, p) => model.kinds[p].derivative?.row(part, x, inputs, slope));
    for (let q = 0; q < Q; q++) out[q] += factor * slope[q];
  }

  /**
   * Return the sum of the expected squared changes from place to place; write its gradient.
   * @param {Float64Array[]} path
   * @param {Float64Array[]} gradient of every place, Q each; it is overwritten
   */
  energy(path, gradient) {
    const { model, nLatent: Q, level } = this;
    const { rank: R, nInducing: M, transform } = model;
    const alphas = path.map((x) => this.coefficients(model.kernelRow(x, this.row)));
    let total = 0;
    /** Half the energy's derivative with respect to each alpha. */
    const pulls = alphas.map(() => new Float64Array(R));
    gradient.forEach((slope) => slope.fill(0));
    for (let i = 0; i + 1 < path.length; i++) {
      const change = alphas[i + 1].map((value, r) => value - alphas[i][r]);
      const image = this.imaged(change);
      const [x, y] = [path[i], path[i + 1]];
      total += dot(change, image) + level * this.apart(x, y);
      for (let r = 0; r < R; r++) {
        pulls[i][r] -= image[r];
        pulls[i + 1][r] += image[r];
      }
      this.addSlope(x, x, 2 * level, gradient[i]);
      this.addSlope(y, x, -2 * level, gradient[i]);
      this.addSlope(y, y, 2 * level, gradient[i + 1]);
      this.addSlope(x, y, -2 * level, gradient[i + 1]);
    }
    for (let i = 0; i < path.length; i++) {
      const row = this.row.fill(0);
      for (let r = 0, at = 0; r < R; r++) {
        const pull = 2 * pulls[i][r];
        for (let m = 0; m < M; m++, at++) row[m] += pull * transform[at];
      }
      const slopes = this.slopesAt(path[i]);
      for (let m = 0, at = 0; m < M; m++) for (let q = 0; q < Q; q++, at++) gradient[i][q] += row[m] * slopes[at];
    }
    return total;
  }
}

/** @param {number} count */
function unitVectors(count) {
  return Array.from({ length: count }, (_, q) => Float64Array.from({ length: count }, (__, p) => Number(p === q)));
}
