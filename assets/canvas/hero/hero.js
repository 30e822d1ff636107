// The first screen: a map that follows the pointer, and the output at its position.

import { element, fitCanvas } from "../kit/dom.js";
import { drawOutput } from "../kit/output.js";
import { ARROWS } from "../kit/pointing.js";
import { Shell } from "../kit/shell.js";
import { labelStyle } from "../kit/theme.js";
import { markOf } from "../map/colours.js";
import { LatentMap } from "../map/map.js";
import { Scene } from "../map/scene.js";
import { initial } from "../map/state.js";

/** @import { LatentModel } from "../geometry/model.js" */

const LEG_MS = 2600; // time from one row to the next in the automatic tour
const STEP = 0.04; // step of an arrow key, as a fraction of the map's width or height

export class Hero extends Shell {
  /** @param {ParentNode} root @param {LatentModel} model */
  constructor(root, model) {
    super(root, "hero");
    this.model = model;
    const { header } = model;
    this.state = new Scene(initial(model), this.theme);
    this.values = new Float64Array(model.nOutputs);
    this.map = new LatentMap(this.parts.lower, this.parts.upper, model, this.state);
    /** The rows of a closed tour through the data. @type {number[]} */
    this.stops = Array.from({ length: 24 }, (_, i) => (header.start + 37 * i) % model.nPoints);
    this.moving = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.began = performance.now();
    const { upper } = this.parts;
    upper.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => this.point(event));
    upper.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.point(event));
    upper.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
    this.observe(this.parts.map);
    this.recolour();
    this.resize();
    this.map.fit();
    this.paint();
    this.root.dataset.ready = "true";
  }

  /** End the automatic tour: from now on, the point follows the pointer. @param {PointerEvent} event */
  point(event) {
    this.moving = false;
    const [u, v] = this.map.toLatent(event.offsetX, event.offsetY);
    this.go(u, v);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const way = ARROWS[event.key];
    if (!way) return;
    event.preventDefault();
    this.moving = false;
    const { a, b, point } = this.state;
    const { su, sv } = this.map.view;
    this.go(point[a] + 2 * STEP * su * way[0], point[b] + 2 * STEP * sv * way[1]);
  }

  /** @param {number} u @param {number} v */
  go(u, v) {
    const { a, b, point } = this.state;
    [point[a], point[b]] = [u, v];
    this.map.near.follow(point);
    this.paint();
  }

  /** Move the point from one row of the tour towards the next row, in all dimensions. @param {number} now */
  travel(now) {
    const { model, stops, state } = this;
    const way = Math.max(now - this.began, 0) / LEG_MS;
    const leg = Math.floor(way) % stops.length;
    const t = way - Math.floor(way);
    const share = t * t * (3 - 2 * t);
    const [from, to] = [model.position(stops[leg]), model.position(stops[(leg + 1) % stops.length])];
    for (let q = 0; q < model.nLatent; q++) state.point[q] = from[q] + share * (to[q] - from[q]);
    this.paint();
  }

  /** @override @param {number} now */
  draw(now) {
    if (this.moving) this.travel(now);
    const { model, parts, state, values } = this;
    model.predict(state.point, values);
    const box = parts.output.parentElement;
    const [rows, columns] = model.drawing.shape ?? [1, 1];
    const height = Math.min(box.clientHeight, (box.clientWidth * rows) / columns);
    const width = (height * columns) / rows;
    Object.assign(parts.output.style, { width: `${width}px`, height: `${height}px` });
    const context = fitCanvas(parts.output, width, height);
    drawOutput(context, model.drawing, values, width, height, { theme: state.theme, turn: state.turn });
    const label = model.label(this.nearest());
    parts.readout.textContent = this.moving ? "Move over the map." : label < 0 ? "" : `Nearest row: ${model.header.label_names?.[label] ?? label}`;
    this.map.drawUpper();
  }

  /** Return the row nearest to the point on the map. */
  nearest() {
    const { model, state: { a, b, point } } = this;
    let [best, least] = [0, Infinity];
    for (let n = 0; n < model.nPoints; n++) {
      const row = model.position(n);
      const distance = (row[a] - point[a]) ** 2 + (row[b] - point[b]) ** 2;
      if (distance < least) [best, least] = [n, distance];
    }
    return best;
  }

  /** @override */
  resize() {
    const { clientWidth, clientHeight } = this.parts.map;
    if (clientWidth !== this.map.width || clientHeight !== this.map.height) this.map.resize(clientWidth, clientHeight);
    this.paint();
  }

  /** @override */
  recolour() {
    const { model, theme } = this;
    this.parts.names.replaceChildren(...model.presentLabels().map((label) => {
      const name = model.header.label_names?.[label] ?? String(label);
      return element("span", {}, markOf(labelStyle(label, model.header.palette, theme)), name);
    }));
    this.map.refresh();
    this.paint();
  }

  /** @override */
  stop() {
    this.moving = false;
    super.stop();
    this.map.stop();
  }
}
