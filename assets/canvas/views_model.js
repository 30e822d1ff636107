// Several layers on one latent space: the points they share, and one output for each picture.

class ViewsModel extends LatentPoints {
  /** bytes: as pack_views.py writes them; groups: the dimensions by the views that use them. */
  constructor(bytes, groups) {
    const content = readFrame(bytes);
    super(content);
    this.layers = content.header.layers.map((_, i) => new LatentModel(content.arrays[`layer${i}`]));
    this.outputs = content.header.outputs.map((output) => ({
      ...output,
      model: output.layers.length === 1 ? this.layers[output.layers[0]]
        : new JoinedLayers(output.layers.map((i) => this.layers[i]), output.drawing),
    }));
    this.signal = this.layers.map((layer) => this.meanSignal(layer));
    this.setGroups(groups);
  }

  /** groups: [{id, title, dims, used, heading}], in the order of showing. */
  setGroups(groups) {
    this.groups = groups;
    this.header.on = groups.filter(({ used }) => used).flatMap(({ dims }) => dims);
  }

  get pictured() {
    return this.outputs.map(({ model }) => model);
  }

  /** The map's thumbnails are those of the first output. */
  get items() {
    return this.outputs[0].model.items;
  }

  /** Prior variance of a layer, averaged over some training points. */
  meanSignal(layer) {
    const step = Math.ceil(this.nPoints / 50);
    let [sum, count] = [0, 0];
    for (let n = 0; n < this.nPoints; n += step, count++) sum += layer.kernelDiagonal(this.position(n));
    return sum / count;
  }

  /** A standard deviation as a share of what would be unknown without any data. */
  spreadWords(share) {
    return `${Math.round(100 * Math.sqrt(share))} %`;
  }

  /** A plane for the shading: variances as shares of the layers' own, averaged over the layers. */
  slice(x, a, b) {
    const slices = this.layers.map((layer) => layer.slice(x, a, b));
    let row = new Float64Array(0);
    return {
      columns: (us) => slices.map((slice) => slice.columns(us)),
      variances: (us, tables, v, out, offset) => {
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

/** Outputs of several layers as one row, drawn together. */
class JoinedLayers {
  constructor(layers, drawing) {
    Object.assign(this, { layers, drawing });
    this.nOutputs = layers.reduce((total, layer) => total + layer.nOutputs, 0);
    this.header = { item_shape: drawing.shape, item_range: null };
    this.items = true;
  }

  /** Mean of the whole row; returns the outputs' mean variance in the units of the data. */
  predict(x, mean) {
    let [start, total] = [0, 0];
    for (const layer of this.layers) {
      const variance = layer.predict(x, mean.subarray(start, start + layer.nOutputs));
      total += layer.nOutputs * layer.deviation(variance) ** 2;
      start += layer.nOutputs;
    }
    return total / this.nOutputs;
  }

  deviation(variance) {
    return Math.sqrt(variance);
  }

  spreadWords(variance) {
    return `± ${formatNumber(this.deviation(variance), 2)}`;
  }

  item(n) {
    return Float32Array.from(this.layers.flatMap((layer) => Array.from(layer.item(n))));
  }
}
