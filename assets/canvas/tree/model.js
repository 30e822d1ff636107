// A tree of maps: every point of a map generates points of the maps below it, down to the outputs.

import { LatentModel } from "../geometry/model.js";
import { readFrame } from "../kit/frame.js";

/** @import { Drawing } from "../kit/geometry.js" */
/** @import { Output } from "../geometry/model.js" */

/**
 * A map of the tree. above: the map that generates its points; down: the layers that leave it; model: the
 * first of them, which has the training points; point: the current point.
 * @typedef {{ title: string, above: number | null, level: number, down: Branch[], model: LatentModel, point: Float64Array<ArrayBuffer> }} TreeMap
 */
/** A layer from a map to a map below it, or to a view (to: null). @typedef {{ from: number, to: number | null, view: string | null, layer: LatentModel }} Branch */
/** How views make one body. @typedef {{ drawing: Drawing, joints: number[][], carried: boolean[] }} Body */

export class TreeModel {
  /** @param {Uint8Array} bytes framed, from gplvm_core/wire/tree.py */
  constructor(bytes) {
    const { header, arrays } = readFrame(bytes);
    this.header = header;
    /** @type {Branch[]} */
    const branches = header.branches.map((/** @type {any} */ branch, /** @type {number} */ i) => ({ ...branch, layer: new LatentModel(arrays[`layer${i}`]) }));
    /** The maps, every map after the map above it. @type {TreeMap[]} */
    this.maps = [];
    header.maps.forEach((/** @type {any} */ { title, above = null, dims }, /** @type {number} */ i) => {
      const down = branches.filter(({ from }) => from === i);
      const model = down[0].layer;
      model.header.dims = dims;
      const level = above === null ? 0 : this.maps[above].level + 1;
      this.maps.push({ title, above, level, down, model, point: model.position(model.header.start) });
    });
    this.leaves = branches.filter(({ to }) => to === null);
    /** @type {Body | null} */
    this.body = header.body;
    this.spread(0);
  }

  /**
   * Move the points of all maps below a map to the means that the map's point generates.
   * @param {number} i
   * @returns {number[]} the numbers of the maps that moved
   */
  spread(i) {
    const moved = [i];
    for (const { to, layer } of this.maps[i].down) {
      if (to === null) continue;
      const mean = new Float64Array(layer.nOutputs);
      layer.predict(this.maps[i].point, mean);
      this.maps[to].point.set(mean);
      moved.push(...this.spread(to));
    }
    return moved;
  }

  /** Return the outputs to draw: one body, or a picture of every view. @returns {(TreeBody | TreeView)[]} */
  outputs() {
    return this.body ? [new TreeBody(this, this.body)] : this.leaves.map((leaf) => new TreeView(this, leaf));
  }
}

/** The output of one view at the current point of its map. @implements {Output} */
export class TreeView {
  /** @param {TreeModel} tree @param {Branch} leaf */
  constructor(tree, leaf) {
    this.map = tree.maps[leaf.from];
    this.layer = leaf.layer;
    this.title = leaf.view;
    this.header = leaf.layer.header;
    this.drawing = leaf.layer.drawing;
    this.nOutputs = leaf.layer.nOutputs;
  }

  /** @param {ArrayLike<number>} _ @param {Float64Array} mean */
  predict(_, mean) {
    return this.layer.predict(this.map.point, mean);
  }

  /** @param {number} variance */
  deviation(variance) {
    return this.layer.deviation(variance);
  }

  deviations() {
    return this.layer.deviations(this.map.point);
  }

  /** @param {number} variance */
  spreadWords(variance) {
    return this.layer.spreadWords(variance);
  }

  /** @param {number} n */
  item(n) {
    return this.layer.item(n);
  }
}

/** The outputs of all views as one body; parts are placed at the joints that carry them. @implements {Output} */
export class TreeBody {
  /** @param {TreeModel} tree @param {Body} body */
  constructor(tree, body) {
    this.views = tree.leaves.map((leaf) => new TreeView(tree, leaf));
    this.rows = this.views.map(({ nOutputs }) => new Float64Array(nOutputs));
    this.body = body;
    this.title = null;
    this.drawing = body.drawing;
    this.nOutputs = 3 * body.drawing.shape[0];
    this.header = { item_shape: body.drawing.shape, item_range: null };
  }

  /** Write the joints' positions; return the views' mean variance. @param {ArrayLike<number>} point @param {Float64Array} mean */
  predict(point, mean) {
    let total = 0;
    this.views.forEach((view, i) => {
      const [rows, joints, carried] = [this.rows[i], this.body.joints[i], this.body.carried[i]];
      total += view.predict(point, rows) / this.views.length;
      joints.forEach((joint, j) => {
        if (carried && !j) return;
        for (let d = 0; d < 3; d++) mean[3 * joint + d] = rows[3 * j + d] + (carried ? mean[3 * joints[0] + d] : 0);
      });
    });
    return total;
  }

  /** @param {number} variance */
  deviation(variance) {
    return Math.sqrt(variance);
  }

  deviations() {
    return new Float64Array(this.nOutputs);
  }

  /** @param {number} variance */
  spreadWords(variance) {
    return String(variance);
  }

  item() {
    return new Float64Array(this.nOutputs);
  }
}
