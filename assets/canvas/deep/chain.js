// A chain of layers: the latent points of the first layer, and the outputs of the layers below.

import { readFrame } from "../kit/frame.js";
import { LatentModel } from "../geometry/model.js";
import { LatentPoints } from "../geometry/points.js";

/** @import { Output } from "../geometry/model.js" */

/** @implements {Output} */
export class ChainModel extends LatentPoints {
  /** @param {Uint8Array} bytes framed, from gplvm_core/wire/deep.py, pack_layers */
  constructor(bytes) {
    const content = readFrame(bytes);
    super(content);
    /** The layers from the shown layer down to the data. @type {LatentModel[]} */
    this.layers = Array.from({ length: content.header.layers }, (_, i) => new LatentModel(content.arrays[`layer${i}`]));
    this.last = this.layers[this.layers.length - 1];
    this.drawing = this.last.drawing;
    this.nOutputs = this.last.nOutputs;
    for (const name of ["item_shape", "item_range"]) this.header[name] = this.last.header[name];
    this.passed = this.layers.slice(0, -1).map(({ nOutputs }) => new Float64Array(nOutputs));
    const [first] = this.layers;
    const step = Math.ceil(this.nPoints / 50);
    const seen = Array.from({ length: Math.ceil(this.nPoints / step) }, (_, i) => first.kernelDiagonal(this.position(i * step)));
    /**
     * The first layer's prior variance, averaged over some training points, plus the variance of the inputs, which its linear mean adds.
     */
    this.signal = seen.reduce((sum, value) => sum + value, 0) / seen.length + (content.header.handed_on ?? 0);
  }

  /**
   * Write the composed posterior means of the layers, in the data's units, into `mean` (D); return the
   * variance of the first layer, relative to its prior variance.
   * @param {ArrayLike<number>} x
   * @param {Float64Array} mean
   */
  predict(x, mean) {
    const { layers, passed, signal } = this;
    let share = 0;
    layers.forEach((layer, i) => {
      const variance = layer.predict(i ? this.seen(i, passed[i - 1], x) : x, passed[i] ?? mean);
      if (!i) share = variance / signal;
    });
    return share;
  }

  /**
   * Return the mean and variances of all outputs at an uncertain position. Every layer passes its moments to the
   * next, with the noise of hidden layers.
   * @param {Float64Array} x
   * @param {ArrayLike<number> | null} variance
   * @returns {{ mean: Float64Array, variances: Float64Array }} variances of the functions, without noise
   */
  moments(x, variance) {
    const { layers } = this;
    const last = layers.length - 1;
    /** @type {{ mean: Float64Array, variances: ArrayLike<number> | null }} */
    let at = { mean: x, variances: variance };
    layers.forEach((layer, i) => {
      const found = layer.moments(this.seen(i, at.mean, x), at.variances && this.seen(i, Float64Array.from(at.variances), variance));
      if (i < last) found.variances.forEach((value, d) => (found.variances[d] = value + layer.noise(d) ** 2));
      at = found;
    });
    return /** @type {{ mean: Float64Array, variances: Float64Array }} */ (at);
  }

  /**
   * Return the inputs of a layer: the previous layer's outputs, and the model's inputs if the layer receives
   * them. A layer with one input gets a second axis, for the map.
   * @param {number} i the layer's number in the chain
   * @param {Float64Array} point
   * @param {ArrayLike<number> | null} first the position in the first layer; null: all zeros
   */
  seen(i, point, first) {
    const { header, nLatent } = this.layers[i];
    if (point.length >= nLatent) return point;
    const whole = new Float64Array(nLatent);
    whole.set(point);
    // Points of the chain's first layer have the model's inputs as their last coordinates.
    const skipped = this.header.n_latent - this.header.inputs;
    if (first) for (let q = point.length; i && q < header.n_latent; q++) whole[q] = first[skipped + q - point.length];
    return whole;
  }

  /** @param {ArrayLike<number>} x */
  deviations(x) {
    return this.moments(Float64Array.from(x), null).variances.map(Math.sqrt);
  }

  /** @param {number} d */
  noise(d) {
    return this.last.noise(d);
  }

  /** Return the first layer's variance, relative to its prior variance. @param {ArrayLike<number>} x */
  variance(x) {
    return this.layers[0].variance(x) / this.signal;
  }

  /** @param {number} share */
  deviation(share) {
    return Math.sqrt(share);
  }

  /** @param {number} share */
  spreadWords(share) {
    return `${Math.round(100 * Math.sqrt(share))} %`;
  }

  /** @returns {Output[]} */
  get pictured() {
    return [this];
  }

  get items() {
    return this.last.items;
  }

  /** @param {number} n */
  item(n) {
    return this.last.item(n);
  }

  /**
   * Return a plane through x for the shading, with `variance` at positions of the plane.
   * @param {ArrayLike<number>} x
   * @param {number} a
   * @param {number} b
   */
  slice(x, a, b) {
    const slice = this.layers[0].slice(x, a, b);
    return {
      columns: (/** @type {Float64Array} */ us) => slice.columns(us),
      variances: (/** @type {Float64Array} */ us, /** @type {Float64Array[]} */ tables, /** @type {number} */ v, /** @type {Float64Array} */ out, /** @type {number} */ offset) => {
        slice.variances(us, tables, v, out, offset);
        for (let i = offset; i < offset + us.length; i++) out[i] /= this.signal;
      },
    };
  }
}
