// The pointer and the keys on a panel whose points a visitor adds, removes and moves.

import { counted } from "../kit/format.js";
import { inkDisc } from "../kit/ink.js";
import { ARROWS } from "../kit/pointing.js";
import { css } from "../kit/theme.js";
import { pointWithin, ruledPlace, withMoved, withoutPoint, withPoint } from "./hand.js";
import { lessonInk } from "./lesson_graph.js";

/** @import { HandPoint, HandRules } from "./hand.js" */
/** @import { LessonFigure } from "./lesson.js" */
/** @import { LessonGraph } from "./lesson_graph.js" */

const FINGER = 22; // distance in pixels at which a finger grabs a point
const MOUSE = 11;
const SLOP = 4; // pixels that the pointer may move during a click
const RADIUS = 6;
const KEY_STEP = 0.02; // step of an arrow key, as a fraction of an axis

export class HandOn {
  /** @param {HTMLCanvasElement} canvas @param {LessonFigure} figure @param {number} p which panel */
  constructor(canvas, figure, p) {
    this.canvas = canvas;
    this.figure = figure;
    this.p = p;
    /** @type {{ which: number, start: HandPoint, moved: boolean } | null} */
    this.held = null;
    /** @type {HandPoint | null} */
    this.cursor = null;
    this.carried = -1; // the point that the keys move; −1: no point
    this.listeners = new AbortController();
    const on = (/** @type {string} */ name, /** @type {(event: any) => void} */ act) =>
      canvas.addEventListener(name, (event) => this.rules && act(event), { signal: this.listeners.signal });
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.drag(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", () => { this.held = null; });
    on("keydown", (event) => this.key(event));
    on("focus", () => figure.draw());
    on("blur", () => figure.draw());
  }

  /** @returns {HandRules | null} */
  get rules() {
    return this.figure.frame?.header.panels[this.p]?.hand ?? null;
  }

  /** @returns {HandPoint[]} */
  get points() {
    return this.figure.state[/** @type {HandRules} */ (this.rules).name];
  }

  help() {
    return this.rules?.adds
      ? " Arrow keys move a cross, Enter adds or removes a point there."
      : " Arrow keys move a cross, Enter grabs or releases the nearest point.";
  }

  /** @param {HandPoint[]} points @param {string} [words] */
  give(points, words) {
    this.figure.change({ [/** @type {HandRules} */ (this.rules).name]: points });
    if (words) this.figure.announce(words);
  }

  /** @param {HandPoint} pixel @param {LessonGraph} graph */
  placeAt(pixel, graph) {
    return ruledPlace(graph.numbers(...pixel), /** @type {HandRules} */ (this.rules), graph.across, graph.up);
  }

  /** @param {PointerEvent} event */
  down(event) {
    const graph = this.figure.graphOf(this.p);
    const pixel = graph.at(event);
    const pixels = this.points.map(([x, y]) => graph.pixel(x, y));
    const reach = event.pointerType === "touch" ? FINGER : MOUSE;
    this.held = { which: pointWithin(pixels, pixel, reach), start: pixel, moved: false };
    if (this.held.which >= 0) this.canvas.setPointerCapture(event.pointerId);
    this.figure.draw();
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const { held } = this;
    if (!held || held.which < 0) return;
    const graph = this.figure.graphOf(this.p);
    const pixel = graph.at(event);
    held.moved ||= Math.hypot(pixel[0] - held.start[0], pixel[1] - held.start[1]) > SLOP;
    if (held.moved) this.give(withMoved(this.points, held.which, this.placeAt(pixel, graph)));
    this.figure.draw();
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { held } = this;
    this.held = null;
    if (!held || held.moved || !this.rules?.adds) return;
    const graph = this.figure.graphOf(this.p);
    const pixel = graph.at(event);
    if (Math.hypot(pixel[0] - held.start[0], pixel[1] - held.start[1]) <= SLOP) this.toggle(held.which, this.placeAt(pixel, graph));
    this.figure.draw();
  }

  /** Remove a point, or add one. @param {number} which @param {HandPoint} place */
  toggle(which, place) {
    const points = which >= 0 ? withoutPoint(this.points, which) : withPoint(this.points, place, /** @type {HandRules} */ (this.rules));
    this.give(points, `${which >= 0 ? "Removed" : "Added"}: ${counted(points.length, "point")}`);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const graph = this.figure.graphOf(this.p);
    const rules = /** @type {HandRules} */ (this.rules);
    const [across, up] = [graph.across, graph.up];
    const cursor = this.cursor ?? ruledPlace([(across[0] + across[1]) / 2, (up[0] + up[1]) / 2], rules, across, up);
    const way = ARROWS[event.key];
    if (way) {
      const place = /** @type {HandPoint} */ ([cursor[0] + KEY_STEP * way[0] * (across[1] - across[0]), cursor[1] + KEY_STEP * way[1] * (up[1] - up[0])]);
      this.cursor = ruledPlace(place, rules, across, up);
      if (this.carried >= 0) this.give(withMoved(this.points, this.carried, this.cursor));
    } else if (event.key === "Enter" || event.key === " ") {
      this.cursor = cursor;
      const pixels = this.points.map(([x, y]) => graph.pixel(x, y));
      const which = pointWithin(pixels, graph.pixel(...cursor), rules.adds ? MOUSE : Infinity);
      if (rules.adds) this.toggle(which, cursor);
      else if (this.carried >= 0) this.carried = -1;
      else [this.carried, this.cursor] = [which, this.points[which]];
    } else return;
    event.preventDefault();
    this.figure.draw();
  }

  /** Draw the keyboard's cross and the points where the visitor put them, without waiting for the server. @param {LessonGraph} graph */
  draw(graph) {
    if (!this.rules) return;
    const { context, theme } = graph;
    for (const [x, y] of this.points) {
      inkDisc(context, ...graph.pixel(x, y), RADIUS, { fill: css(lessonInk("warm", theme)), line: css(theme.background), width: 1.5 });
    }
    if (this.cursor && this.canvas.matches(":focus-visible")) graph.cross(...this.cursor);
  }

  stop() {
    this.listeners.abort();
  }
}
