// The first screen: a map that follows the pointer, and the output at its position.

import { element, fitCanvas, partsOf } from "../kit/dom.js";
import { drawOutput } from "../kit/output.js";
import { labelStyle, readTheme, takeTheme } from "../kit/theme.js";
import { markOf } from "../map/colours.js";
import { LatentMap } from "../map/map.js";
import { Scene } from "../map/scene.js";
import { initial } from "../map/state.js";

/** @import { LatentModel } from "../geometry/model.js" */

const LEG_MS = 2600; // time from one row to the next in the automatic tour
const STEP = 0.04; // step of an arrow key, as a fraction of the map's width or height
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export class Hero {
  /** @param {ParentNode} root @param {LatentModel} model */
  constructor(root, model) {
    this.parts = partsOf(root);
    this.model = model;
    const { header } = model;
    this.state = new Scene(initial(model), readTheme(this.parts.hero));
    this.values = new Float64Array(model.nOutputs);
    this.map = new LatentMap(this.parts.lower, this.parts.upper, model, this.state);
    /** The rows of a closed tour through the data. @type {number[]} */
    this.stops = Array.from({ length: 24 }, (_, i) => (header.start + 37 * i) % model.nPoints);
    this.moving = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.began = performance.now();
    /** @type {number | null} */
    this.frame = null;
    const { upper } = this.parts;
    upper.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => this.point(event));
    upper.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.point(event));
    upper.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.parts.map);
    this.retheme();
    this.resize();
    this.map.fit();
    this.next();
    this.parts.hero.dataset.ready = "true";
  }

  /** End the automatic tour: from now on, the point follows the pointer. @param {PointerEvent} event */
  point(event) {
    this.moving = false;
    const [u, v] = this.map.toLatent(event.offsetX, event.offsetY);
    this.go(u, v);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const way = /** @type {Record<string, number[]>} */ (ARROWS)[event.key];
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
    this.next();
  }

  /** Draw at the next frame. */
  next() {
    this.frame ??= requestAnimationFrame((now) => {
      this.frame = null;
      if (this.moving) this.travel(now);
      this.draw();
    });
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
    this.next();
  }

  draw() {
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

  resize() {
    const { clientWidth, clientHeight } = this.parts.map;
    if (clientWidth !== this.map.width || clientHeight !== this.map.height) this.map.resize(clientWidth, clientHeight);
    this.next();
  }

  /** Draw again after a change of Streamlit's theme. */
  retheme() {
    takeTheme(this.parts.hero, this.state.theme);
    const { model, state: { theme } } = this;
    this.parts.names.replaceChildren(...model.presentLabels().map((label) => {
      const name = model.header.label_names?.[label] ?? String(label);
      return element("span", {}, markOf(labelStyle(label, model.header.palette, theme)), name);
    }));
    this.map.refresh();
    this.next();
  }

  stop() {
    this.moving = false;
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.map.stop();
  }
}
