// The tree of maps: every map has a point to drag. A moved point moves all points below it, and no others.

import { element } from "../kit/dom.js";
import { OutputPicture } from "../kit/output_picture.js";
import { ARROWS, dragged } from "../kit/pointing.js";
import { Shell } from "../kit/shell.js";
import { START_TURN } from "../kit/turn.js";
import { LatentMap } from "../map/map.js";
import { Scene } from "../map/scene.js";
import { initial } from "../map/state.js";

/** @import { TreeModel } from "./model.js" */

const STEP = 0.04; // step of an arrow key, as a fraction of the map's width or height
const MOST_HEIGHT = 440; // of a picture, in pixels

export class TreeExplorer extends Shell {
  /** @param {ParentNode} root @param {TreeModel} model */
  constructor(root, model) {
    super(root);
    this.model = model;
    this.state = { theme: this.theme, turn: { ...START_TURN } };
    /** The map that moved last; −1 at the beginning. */
    this.moved = -1;
    this.nodes = Array.from(model.maps.keys(), (i) => this.node(i));
    const levels = Math.max(...model.maps.map(({ level }) => level)) + 1;
    this.parts.levels.replaceChildren(...Array.from({ length: levels }, (_, level) =>
      element("div", { class: "level" }, ...this.nodes.filter(({ at }) => at === level).map(({ figure }) => figure))));
    this.pictures = model.outputs().map((output) => {
      const canvas = element("canvas", { role: "img" });
      const heading = output.title ? [element("h3", {}, output.title)] : [];
      this.parts.outputs.append(element("figure", {}, ...heading, element("div", { class: "pane" }, canvas)));
      return new OutputPicture(canvas, output, this.state, () => this.paint(), output.title);
    });
    this.parts.outputs.dataset.count = String(this.pictures.length);
    this.parts.together.addEventListener("click", () => this.spread(0));
    this.observe(this.root);
    this.root.dataset.ready = "true";
    this.resize();
    this.say();
  }

  /** Build one map. @param {number} i */
  node(i) {
    const { title, level, model, point } = this.model.maps[i];
    const lower = element("canvas", { "aria-hidden": "true" });
    const upper = element("canvas", { tabindex: 0, role: "application", "aria-label": `Map “${title}”: drag the point, or press the arrow keys`, "data-map": title });
    const box = element("div", { class: "map" }, lower, upper);
    const figure = element("figure", {}, element("h3", {}, title), box);
    const first = initial(model);
    const state = new Scene({ ...first, show: { ...first.show, trajectories: false } }, this.theme);
    state.point = point; // the tree and the map share the point
    const map = new LatentMap(lower, upper, model, state);
    dragged(upper, (event) => this.move(i, ...map.toLatent(event.offsetX, event.offsetY)));
    upper.addEventListener("keydown", (event) => {
      const way = ARROWS[event.key];
      if (!way) return;
      event.preventDefault();
      this.move(i, point[state.a] + 2 * STEP * map.view.su * way[0], point[state.b] + 2 * STEP * map.view.sv * way[1]);
    });
    return { figure, box, map, state, at: level };
  }

  /** Move a map's point; its hidden dimensions follow the data. @param {number} i @param {number} u @param {number} v */
  move(i, u, v) {
    const { map, state } = this.nodes[i];
    [state.point[state.a], state.point[state.b]] = [u, v];
    map.near.follow(state.point);
    this.spread(i);
  }

  /** Move everything below a map. @param {number} i */
  spread(i) {
    this.model.spread(i);
    this.moved = i;
    this.say();
    this.paint();
  }

  /** Say what moves with the map that moved last, and mark it. */
  say() {
    const { maps } = this.model;
    const moving = new Set([Math.max(this.moved, 0)]);
    maps.forEach(({ above }, j) => above !== null && moving.has(above) && moving.add(j));
    this.nodes.forEach(({ figure }, j) => (figure.dataset.moves = String(moving.has(j))));
    this.parts.words.textContent = this.moved < 0 ? "Drag the point of any map." : movesInWords(this.moved ? `“${maps[this.moved].title}”` : "The top", moving.size, maps.length);
  }

  /** @override */
  draw() {
    for (const { map } of this.nodes) map.drawUpper();
    for (const picture of this.pictures) {
      picture.draw(this.model.maps[0].point);
      picture.describe("at the points of the maps");
    }
  }

  /** @override */
  resize() {
    for (const { box, map } of this.nodes) {
      const { clientWidth, clientHeight } = box;
      if (clientWidth === map.width && clientHeight === map.height) continue;
      map.resize(clientWidth, clientHeight);
      map.fit();
    }
    for (const picture of this.pictures) picture.fit(MOST_HEIGHT);
    this.paint();
  }

  /** @override */
  recolour() {
    for (const { map } of this.nodes) map.refresh();
    this.paint();
  }

  /** @override */
  stop() {
    super.stop();
    for (const { map } of this.nodes) map.stop();
  }
}

/**
 * Say what follows a map that moved.
 * @param {string} moved its title
 * @param {number} moving the number of maps that moved, with this one
 * @param {number} all the number of maps
 */
export function movesInWords(moved, moving, all) {
  if (moving === 1) return `Only ${moved} moves; everything else stays.`;
  return `${moved} moves, and ${moving === all ? "everything below it follows." : "the maps below it follow; everything else stays."}`;
}
