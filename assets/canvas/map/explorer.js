// The explorer: one model, one state, and the parts that show it. Knows nothing of Streamlit.

import { partsOf } from "../kit/dom.js";
import { linkNumber } from "../kit/format.js";
import { OutputPicture } from "../kit/output_picture.js";
import { usedGroups } from "../kit/pair.js";
import { readTheme, takeTheme } from "../kit/theme.js";
import { START_TURN } from "../kit/turn.js";
import { mapActions } from "./actions.js";
import { announce, showCrowd } from "./announce.js";
import { Controls } from "./controls.js";
import { Details } from "./details.js";
import { Gestures } from "./gestures.js";
import { addShadeChoice } from "./magnification.js";
import { LatentMap } from "./map.js";
import { Memory } from "./memory.js";
import { Selecting } from "./selecting.js";
import { Taking } from "./taking.js";
import { Paths } from "./paths.js";
import { Wall } from "./wall.js";

/** @import { Group } from "../kit/pair.js" */
/** @import { Place } from "./history.js" */
/** @import { MapModel, MapState } from "./map.js" */

const SETTLE_MS = 450; // arrow keys and sliders: kept when they have rested this long

/** @template {MapModel} [Model=MapModel] */
export class Explorer {
  /**
   * root: the element that holds map.html or views.html; model: what the map shows, under its name;
   * onCommit(place) is called whenever the visitor keeps a place or goes to one.
   * @param {ParentNode} root
   * @param {Model} model
   * @param {Partial<{ [Part in keyof Place]: Place[Part] | null }>} start
   * @param {(place: Place) => void} onCommit
   */
  constructor(root, model, start, onCommit) {
    this.parts = partsOf(root);
    /** @type {HTMLElement} */
    this.root = this.parts.explorer;
    /** The next frame, when it is asked for. @type {number | null} */
    this.frame = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.onCommit = onCommit;
    this.model = model;
    const { header } = model;
    /** @type {{ dims: [number, number], point: Float64Array }} */
    this.first = { dims: header.dims, point: model.position(header.start) };
    const [a, b] = start.dims ?? header.dims;
    /** @type {MapState} */
    this.state = {
      a, b,
      point: start.point ? Float64Array.from(start.point) : Float64Array.from(this.first.point),
      path: null,
      held: new Set(),
      follow: start.follow ?? true,
      hover: null,
      hovered: -1,
      marks: [],
      marked: -1,
      factor: -1,
      selected: new Set(),
      rows: [],
      show: { thumbnails: false, ellipses: false, trajectories: Boolean(model.sequences) },
      turn: { ...START_TURN },
      theme: readTheme(this.root),
    };
    this.map = new LatentMap(this.parts.lower, this.parts.upper, model, this.state);
    // One output has more to tell of a point than several side by side.
    this.details = this.parts.details ? new Details(this.parts.details, /** @type {any} */ (model), this.state) : null;
    this.map.onCrowd = () => showCrowd(this);
    this.pictures = this.buildPictures();
    this.controls = new Controls(this);
    this.wall = this.parts.wall ? new Wall(this) : null;
    this.selecting = this.parts.lasso ? new Selecting(this) : null;
    this.taking = this.parts.taking ? new Taking(this) : null;
    this.memory = new Memory(this, model.header.name);
    this.gestures = new Gestures(this.parts.upper, mapActions(this), () =>
      this.map.toPixel(this.state.point[this.state.a], this.state.point[this.state.b]));
    this.paths = this.parts.paths ? new Paths(this, this.parts.paths) : null;
    if (this.paths?.metric) addShadeChoice(this, this.paths.metric);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.parts.map);
    for (const { canvas } of this.pictures) this.observer.observe(/** @type {HTMLElement} */ (canvas.parentElement));
    if (this.details) this.observer.observe(this.parts.details);
    takeTheme(this.root, this.state.theme);
    this.resize();
    this.map.fit();
    this.controls.showShade();
    this.map.reveal(this.state.point[a], this.state.point[b]);
    this.paint();
    this.tell();
    showCrowd(this);
    this.root.dataset.ready = "true";
  }

  /** The outputs that follow the point. @returns {OutputPicture[]} */
  buildPictures() {
    return [new OutputPicture(this.parts.output, this.model.pictured[0], this.state, () => this.turned())];
  }

  /** The dimensions in groups for the menus and sliders. @returns {Group[]} */
  groups() {
    return usedGroups(this.model.header.on, this.model.nLatent);
  }

  // --- what a visitor does --------------------------------------------------------------------

  /** A place in the plane, as far as the chosen point may go there. @param {number} u @param {number} v @returns {[number, number]} */
  allowed(u, v) {
    const { a, b, point, held } = this.state;
    return [held.has(a) ? point[a] : u, held.has(b) ? point[b] : v];
  }

  /** A point in the latent space, as far as the chosen point may go there. @param {Float64Array} point */
  reachable(point) {
    this.state.held.forEach((q) => (point[q] = this.state.point[q]));
    return point;
  }

  /**
   * Move a point within the plane; the dimensions outside it stay, or follow the data.
   * @param {Float64Array} point
   * @param {number} u
   * @param {number} v
   */
  moved(point, u, v) {
    const { a, b } = this.state;
    [point[a], point[b]] = this.allowed(u, v);
    return this.map.follows() ? this.map.near.follow(point) : point;
  }

  /** Move the chosen point within the plane. @param {number} u @param {number} v */
  place(u, v) {
    this.moved(this.state.point, u, v);
  }

  /** Move the chosen point in all dimensions. @param {Float64Array} point */
  moveTo(point) {
    this.state.point.set(this.reachable(point));
    this.controls.showPoint();
    this.map.moved();
    this.paint();
  }

  /** One coordinate; of one outside the plane, those are set by hand from now on. @param {number} q @param {number} value */
  fix(q, value) {
    const { state } = this;
    state.hover = null;
    state.hovered = -1;
    state.point[q] = value;
    if (q === state.a || q === state.b) {
      this.place(state.point[state.a], state.point[state.b]);
      this.map.moved();
      this.paint();
    } else this.follow(false);
    this.settle();
  }

  /** Whether the dimensions outside the plane follow the data; the chosen point goes with them. @param {boolean} on */
  follow(on) {
    const { state } = this;
    const changed = state.follow !== on;
    state.follow = on;
    if (changed && on) {
      this.place(state.point[state.a], state.point[state.b]);
      this.settle();
    }
    if (changed) {
      this.controls.showFollow();
      this.wall?.moved();
    }
    this.map.refresh();
    this.paint();
  }

  /** Keep a place, wherever it is on the map. @param {Float64Array} point */
  arrive(point) {
    this.moveTo(point);
    this.keep();
  }

  /** Where the visitor stands. @returns {Place} */
  here() {
    const { a, b, point, follow } = this.state;
    return { dims: [a, b], point: Array.from(point), follow };
  }

  /** A place that was kept before. @param {Place} place */
  goTo({ dims: [a, b], point, follow }) {
    const { state } = this;
    clearTimeout(this.timer);
    const same = a === state.a && b === state.b;
    Object.assign(state, { a, b, follow, hover: null, hovered: -1 });
    state.point.set(point);
    if (!same) {
      this.map.fit();
      this.controls.showShade();
    }
    this.controls.showPair();
    this.map.reveal(state.point[a], state.point[b]);
    this.map.refresh();
    this.paint();
    this.tell();
    this.onCommit(this.here());
  }

  /** @param {number} a @param {number} b */
  setPair(a, b) {
    [this.state.a, this.state.b] = [a, b];
    this.state.hover = null;
    this.controls.showPair();
    this.map.fit();
    this.controls.showShade();
    this.map.reveal(this.state.point[a], this.state.point[b]);
    this.map.refresh();
    this.paint();
    this.keep();
  }

  reset() {
    this.state.selected.clear();
    this.paths?.clear();
    this.state.point.set(this.first.point);
    this.state.turn = Object.assign(this.state.turn, START_TURN);
    this.controls.showLegend();
    const [a, b] = this.first.dims;
    this.setPair(a, b);
  }

  settle() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), SETTLE_MS);
  }

  /** Keep the point as it is now. */
  keep() {
    clearTimeout(this.timer);
    const { state } = this;
    // Four decimals travel in the link, so the point is exactly what the link says.
    state.point.set(state.point.map(linkNumber));
    this.controls.showPoint();
    this.paint();
    this.tell();
    this.memory.keep(this.here());
    this.onCommit(this.here());
  }

  /** All that is said of the chosen point. */
  tell() {
    this.details?.tell(this.state.point);
    this.wall?.follow();
    announce(this);
  }

  // --- drawing --------------------------------------------------------------------------------

  /** Draw the outputs and the pointer's mark at the next frame, once however often it is asked for. */
  paint() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.drawOutputs();
      this.map.drawUpper();
    });
  }

  /** The point that the outputs belong to: on a path, under the pointer, else the chosen one. */
  shownPoint() {
    const { state, map } = this;
    const onPath = this.paths?.place();
    if (onPath) return onPath;
    if (state.hovered >= 0 && map.picks) return this.reachable(map.positionOf(state.hovered));
    const point = Float64Array.from(state.point);
    return state.hover ? this.moved(point, ...state.hover) : point;
  }

  drawOutputs() {
    const point = this.shownPoint();
    this.controls.showPoint(point);
    this.controls.readout(point, this.pictures.map((picture) => picture.draw(point)));
  }

  /** How high a picture may be. @returns {number} */
  mostHeight() {
    return this.root.clientWidth >= 720 ? 400 : 180;
  }

  resize() {
    const { clientWidth, clientHeight } = this.parts.map;
    if (clientWidth !== this.map.width || clientHeight !== this.map.height) this.map.resize(clientWidth, clientHeight);
    const changed = this.pictures.map((picture) => picture.fit(this.mostHeight()));
    if (changed.includes(true)) this.paint();
    this.details?.draw();
    this.wall?.draw();
  }

  /** A stick figure was turned, and every other one with it. */
  turned() {
    this.paint();
    this.details?.draw();
    this.wall?.draw();
  }

  /** Streamlit's theme changed. */
  retheme() {
    takeTheme(this.root, this.state.theme);
    this.controls.showLegend();
    this.details?.build();
    this.details?.draw();
    this.wall?.draw();
    this.memory.show();
    this.map.refresh();
    this.paint();
  }

  stop() {
    clearTimeout(this.timer);
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.controls.stop();
    this.memory.stop();
    this.paths?.stop();
    this.wall?.stop();
    this.map.stop();
  }
}
