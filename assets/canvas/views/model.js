// Several views on one latent space: the shared points, and one output per picture.

import { formatNumber } from "../kit/format.js";
import { ChainModel } from "../deep/chain.js";
import { readFrame } from "../kit/frame.js";
import { LatentModel } from "../geometry/model.js";
import { LatentPoints } from "../geometry/points.js";

/** @import { Drawing } from "../kit/geometry.js" */
/** @import { Group } from "../kit/pair.js" */
/** @import { Output } from "../geometry/model.js" */

/** A picture of one view, or of several views as one row; labels: whether the outputs are classes. @typedef {{ title: string, labels: boolean, model: ViewModel | JoinedLayers }} ViewOutput */

/** A view, with its own hidden layers if it has any. @typedef {LatentModel | ChainModel} ViewModel */

/** @param {Uint8Array} bytes @returns {ViewModel} */
function viewModel(bytes) {
  return readFrame(bytes).header.layers ? new ChainModel(bytes) : new LatentModel(bytes);
}

export class ViewsModel extends LatentPoints {
  /**
   * bytes: from gplvm_core/wire/views.py; groups: the dimensions, grouped by the views that use them.
   * @param {Uint8Array} bytes
   * @param {Group[]} groups
   */
  constructor(bytes, groups) {
    const content = readFrame(bytes);
    super(content);
    /** @type {ViewModel[]} */
    this.layers = content.header.layers.map((/** @type {number} */ _, /** @type {number} */ i) => viewModel(content.arrays[`layer${i}`]));
    // The variance of a chain is already relative.
    this.signal = this.layers.map((layer) => (layer instanceof ChainModel ? 1 : this.meanSignal(layer)));
    /** @type {ViewOutput[]} */
    this.outputs = content.header.outputs.map((/** @type {any} */ output) => ({
      ...output,
      model: output.layers.length === 1 ? this.layers[output.layers[0]].pictured[0]
        : new JoinedLayers(output.layers.map((/** @type {number} */ i) => this.layers[i]), output.layers.map((/** @type {number} */ i) => this.signal[i]), output.drawing),
    }));
    /** The dimensions, grouped by the views that use them. @type {Group[]} */
    this.groups = [];
    this.setGroups(groups);
  }

  /** groups: [{id, title, dims, used, heading}], in display order. @param {Group[]} groups */
  setGroups(groups) {
    this.groups = groups;
    this.header.on = groups.filter(({ used }) => used).flatMap(({ dims }) => dims);
  }

  /** @returns {Output[]} */
  get pictured() {
    return this.outputs.map(({ model }) => model);
  }

  /** The map's thumbnails; they show the first output. */
  get items() {
    return this.outputs[0].model.items;
  }

  /** Return the prior variance of a layer, averaged over some training points. @param {LatentModel} layer */
  meanSignal(layer) {
    const step = Math.ceil(this.nPoints / 50);
    let [sum, count] = [0, 0];
    for (let n = 0; n < this.nPoints; n += step, count++) sum += layer.kernelDiagonal(this.position(n));
    return sum / count;
  }

  /** Return a standard deviation as text, relative to its value without data. @param {number} share */
  spreadWords(share) {
    return `${Math.round(100 * Math.sqrt(share))} %`;
  }

  /** Return the variance relative to each layer's prior variance, averaged over the layers. @param {Float64Array} x */
  variance(x) {
    return this.layers.reduce((sum, layer, i) => sum + layer.variance(x) / (this.signal[i] * this.layers.length), 0);
  }

  /**
   * Return a plane for the shading, with `variance` at positions of the plane.
   * @param {Float64Array} x
   * @param {number} a
   * @param {number} b
   */
  slice(x, a, b) {
    const slices = this.layers.map((layer) => layer.slice(x, a, b));
    let row = new Float64Array(0);
    return {
      columns: (/** @type {Float64Array} */ us) => slices.map((slice) => slice.columns(us)),
      variances: (/** @type {Float64Array} */ us, /** @type {any[]} */ tables, /** @type {number} */ v, /** @type {Float64Array} */ out, /** @type {number} */ offset) => {
        if (row.length < us.length) row = new Float64Array(us.length);
        out.fill(0, offset, offset + us.length);
        slices.forEach((slice, i) => {
          slice.variances(us, tables[i], v, row, 0);
          const weight = 1 / (this.signal[i] * slices.length);
          for (let j = 0; j < us.length; j++) out[offset + j] += weight * row[j];
        });
      },
    };
  }
}

/** The outputs of several layers, drawn together as one row. */
class JoinedLayers {
  /** @param {ViewModel[]} layers @param {number[]} signal their prior variances @param {Drawing} drawing */
  constructor(layers, signal, drawing) {
    this.layers = layers;
    this.signal = signal;
    /**
     * Whether variances are relative to the variances without data; this is the case if a view has
     * private layers.
     */
    this.shares = layers.some((layer) => layer instanceof ChainModel);
    this.drawing = drawing;
    this.nOutputs = layers.reduce((total, layer) => total + layer.nOutputs, 0);
    const sets = Math.max(...layers.map(({ header }) => header.sets_of_rows ?? 0));
    this.header = { item_shape: drawing.shape, item_range: null, sets_of_rows: sets };
    this.items = true;
  }

  /**
   * Compute the mean of the whole row; return the outputs' mean variance, in the units of the data or relative to the
   * variances without data.
   * @param {ArrayLike<number>} x
   * @param {Float64Array} mean
   */
  predict(x, mean) {
    let [start, total] = [0, 0];
    this.layers.forEach((layer, i) => {
      const variance = layer.predict(x, mean.subarray(start, start + layer.nOutputs));
      total += layer.nOutputs * (this.shares ? variance / this.signal[i] : layer.deviation(variance) ** 2);
      start += layer.nOutputs;
    });
    return total / this.nOutputs;
  }

  /** @param {number} variance */
  deviation(variance) {
    return Math.sqrt(variance);
  }

  /** @param {ArrayLike<number>} x */
  deviations(x) {
    return Float64Array.from(this.layers.flatMap((layer) => Array.from(layer.deviations(x))));
  }

  /** @param {number} variance */
  spreadWords(variance) {
    const deviation = this.deviation(variance);
    return this.shares ? `${Math.round(100 * deviation)} %` : `± ${formatNumber(deviation, 2)}`;
  }

  /** @param {number} n */
  item(n) {
    return Float32Array.from(this.layers.flatMap((layer) => Array.from(layer.item(n))));
  }
}
