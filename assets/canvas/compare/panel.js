// One of several linked maps: its rows, and the output of its model at a position.

import { element } from "../kit/dom.js";
import { counted, formatShare } from "../kit/format.js";
import { OutputPicture } from "../kit/output_picture.js";
import { Gestures } from "../map/gestures.js";
import { LatentModel } from "../geometry/model.js";
import { LassoLine } from "../map/lasso_line.js";
import { LatentMap } from "../map/map.js";
import { TurnedModel } from "./align.js";

/** @import { View } from "../kit/plane.js" */
/** @import { MapModel } from "../map/map.js" */
/** @import { MapState } from "../map/scene.js" */
/** @import { LinkedMaps } from "./linked.js" */
/** @import { Turning } from "./align.js" */

/** The texts about a model. @typedef {{ title: string, facts: string, note: string }} PanelWords */

const MOST_HEIGHT = 190; // largest height of an output in CSS pixels
const STEPPED = 0.25; // rows with a lower opacity are not selected

/** A map that shows all rows with equal opacity, independent of their hidden dimensions. */
class RowsMap extends LatentMap {
  /** @override */
  place() {
    super.place();
    this.opacity = this.opacity.map((value) => (value < STEPPED ? 0.15 : 1));
  }
}

export class Panel {
  /**
   * @param {LinkedMaps} linked
   * @param {MapModel} model
   * @param {PanelWords} words
   */
  constructor(linked, model, words) {
    this.linked = linked;
    this.model = model;
    this.words = words;
    const [a, b] = model.header.dims;
    /** Each panel has its own plane and positions; the maps share the rest of the state. @type {MapState} */
    this.state = Object.create(linked.shared, {
      a: { value: a }, b: { value: b }, point: { value: model.position(model.header.start), writable: true }, hover: { value: null, writable: true },
    });
    /** The position of the output, in the model's coordinates. @type {Float64Array} */
    this.shown = model.position(model.header.start);
    this.canvases = ["lower", "upper", "lasso"].map((part) => element("canvas", { "data-canvas": part }));
    const [lower, upper, lasso] = this.canvases;
    lower.setAttribute("aria-hidden", "true");
    lasso.setAttribute("aria-hidden", "true");
    lasso.hidden = true;
    upper.tabIndex = 0;
    upper.setAttribute("role", "application");
    this.box = element("div", { class: "map" }, lower, upper, lasso);
    this.facts = element("p", { class: "facts" });
    this.output = element("canvas", { role: "img" });
    this.caption = element("figcaption");
    const draws = model instanceof LatentModel;
    const below = draws ? this.output : element("p", { class: "note" }, words.note);
    this.figure = element("figure", { class: "panel" }, element("h2", {}, words.title), this.facts, this.box,
      element("div", { class: "drawn" }, below, this.caption));
    this.picture = draws ? new OutputPicture(this.output, model.pictured[0], linked.shared, () => linked.paint(), words.title) : null;
    if (this.picture) this.picture.small = true;
    upper.setAttribute("aria-label", `Map of ${words.title}: ${counted(model.nPoints, "row")}. Arrow keys move the position, Enter keeps it.`);
    /** The alignment of the shown plane; null if the plane is the model's own. @type {TurnedModel | null} */
    this.turned = null;
    this.map = this.mapOf(model);
    new Gestures(upper, this.actions(), () => this.map.toPixel(this.state.point[a], this.state.point[b]));
    new LassoLine(lasso, () => this.map, (rows, add) => {
      linked.take(rows, add);
      linked.tell();
    });
  }

  /** @param {MapModel} model */
  mapOf(model) {
    return new RowsMap(this.canvases[0], this.canvases[1], model, this.state);
  }

  /**
   * Show the aligned plane within a frame that all maps share, or the model's own plane.
   * @param {Turning | null} turning
   */
  turn(turning) {
    const { a, b } = this.state;
    const point = this.outward(this.state.point);
    this.map.stop();
    this.turned = turning && new TurnedModel(this.model, a, b, turning);
    this.map = this.mapOf(this.turned ?? this.model);
    this.state.point = this.inward(point);
    this.state.hover = null;
    [this.map.width, this.map.height] = [this.box.clientWidth, this.box.clientHeight];
    const agreement = turning && turning.agreement < 1 ? ` · similarity to the first map: ${formatShare(turning.agreement)}` : "";
    this.facts.textContent = this.words.facts + agreement;
  }

  /** Fit the map to its rows, or to a frame. @param {View | null} frame */
  fit(frame) {
    this.map.fit();
    if (!frame) return;
    this.map.show({ ...frame });
    this.map.calibrate();
    this.map.refresh();
  }

  /** Convert the model's coordinates to the map's coordinates. @param {Float64Array} x */
  inward(x) {
    return this.turned ? this.turned.inward(x) : Float64Array.from(x);
  }

  /** Convert the map's coordinates to the model's coordinates. @param {Float64Array} z */
  outward(z) {
    return this.turned ? this.turned.outward(z) : Float64Array.from(z);
  }

  /** Return the position under the pointer in the plane, in the map's coordinates. @param {number} u @param {number} v */
  placeAt(u, v) {
    const place = Float64Array.from(this.state.point);
    [place[this.state.a], place[this.state.b]] = [u, v];
    return this.map.follows() ? this.map.near.follow(place) : place;
  }

  /** Show the output of a row, or of a position in the model's coordinates. @param {Float64Array} point @param {boolean} mark */
  show(point, mark) {
    this.shown = point;
    const place = this.inward(point);
    this.state.hover = mark ? [place[this.state.a], place[this.state.b]] : null;
  }

  /** Keep the shown position. */
  keep() {
    this.state.point = this.inward(this.shown);
    this.state.hover = null;
    if (!this.map.follows()) this.map.refresh();
  }

  /** @returns {import("../map/gestures.js").Actions} */
  actions() {
    const { linked } = this;
    return {
      hover: (x, y, touch) => {
        const hit = touch ? -1 : this.map.hit(x, y);
        if (hit >= 0) linked.showRow(hit);
        else linked.showPlace(this, this.placeAt(...this.map.toLatent(x, y)));
      },
      leave: () => linked.showKept(),
      drag: (x, y) => linked.showPlace(this, this.placeAt(...this.map.toLatent(x, y))),
      commit: (x, y, touch) => {
        const hit = touch ? -1 : this.map.hit(x, y);
        if (hit >= 0) linked.showRow(hit);
        else linked.showPlace(this, this.placeAt(...this.map.toLatent(x, y)));
        linked.keep(this);
      },
      pan: (dx, dy) => linked.seen(this).forEach(({ map }) => map.pan(dx, dy)),
      zoom: (x, y, factor) => linked.seen(this).forEach(({ map }) => map.zoom(x, y, factor)),
      nudge: (du, dv) => {
        const { a, b, point } = this.state;
        const { view } = this.map;
        linked.showPlace(this, this.placeAt(point[a] + 2 * du * view.su, point[b] + 2 * dv * view.sv));
        linked.keep(this);
      },
      keep: () => linked.keep(this),
      reset: () => linked.reset(),
    };
  }

  draw() {
    this.map.drawUpper();
    if (!this.picture || !(this.model instanceof LatentModel)) return;
    const variance = this.picture.draw(this.shown);
    this.caption.textContent = variance > 0 ? this.model.spreadWords(variance) : "this model treats positions as certain";
    this.picture.describe(this.caption.textContent);
  }

  resize() {
    const { clientWidth, clientHeight } = this.box;
    if (clientWidth !== this.map.width || clientHeight !== this.map.height) this.map.resize(clientWidth, clientHeight);
    this.picture?.fit(MOST_HEIGHT);
  }
}
