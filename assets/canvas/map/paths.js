// Paths from the chosen point to another one, or through key frames: found, drawn, played, and exported.

import { blend } from "../kit/algebra.js";
import { formatNumber } from "../kit/format.js";
import { inSlices } from "../kit/slices.js";
import { geodesic, straightWay, Way } from "../geometry/geodesic.js";
import { OutputMetric } from "../geometry/metric.js";
import { KeyFrames } from "./key_frames.js";
import { KeyPoses } from "./key_poses.js";
import { PathPanel } from "./path_panel.js";
import { PathSaving } from "./path_saving.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { Sheet } from "../geometry/geodesic.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { WayKind } from "./switches.js" */

const PATH_WORDS = {
  start: "to another point",
  wait: "Click the end of the path, on the map or on a dot. With keys: arrows, then Enter; Esc cancels.",
  next: "One key frame. Go elsewhere and add the next: the movement goes through them.",
  again: "This point is already the last key frame. Go elsewhere first.",
  search: "Looking for the shortest path …",
  many: "No room for another key frame.",
  length: "The expected change of the output, summed along the path: root mean square over the outputs, in the units of the data",
};

export class Paths {
  /** host: an empty element for the controls. @param {Explorer<any>} explorer @param {HTMLElement} host */
  constructor(explorer, host) {
    this.explorer = explorer;
    /** @type {LatentModel} */
    this.model = explorer.model;
    /** The start of the path, set when the visitor begins to choose the end. @type {Float64Array | null} */
    this.from = null;
    this.waiting = false;
    /** The paths that are already found between the two ends. @type {Record<string, Way | undefined>} */
    this.ways = {};
    /** The place on the path, as a fraction of its length; initially its end, where the chosen point is. */
    this.share = 1;
    this.forward = true;
    this.playing = false;
    this.loop = false;
    /** The chosen point while the output shows a place on the path. @type {Float64Array | null} */
    this.shownBeside = null;
    this.tick = 0;
    this.before = 0;
    /** Ends the current search. */
    this.cease = () => {};
    /** @type {OutputMetric | null} */
    this.metric = null;
    /** Known shortest paths between key frames. @type {Map<string, Way>} */
    this.found = new Map();
    this.poses = new KeyPoses(this);
    this.strip = new KeyFrames(this);
    this.panel = new PathPanel(host, this, new PathSaving(this));
    try {
      this.metric = new OutputMetric(this.model);
      this.panel.say(PATH_WORDS.start);
    } catch (error) {
      this.panel.refuse(`No paths: ${/** @type {Error} */ (error).message}`);
    }
    this.escape = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape" && this.waiting) this.clear();
    };
    explorer.root.addEventListener("keydown", this.escape);
  }

  // --- ends -----------------------------------------------------------------------------------

  /** Begin a path at the chosen point and ask for its end; a second call cancels. */
  begin() {
    if (this.waiting) {
      this.clear();
      return;
    }
    this.clear();
    this.waiting = true;
    this.from = Float64Array.from(this.explorer.state.point);
    this.panel.say(PATH_WORDS.wait);
    this.show();
  }

  /** Handle a kept point: it is the end of the path if the visitor is choosing one; else the output shows it. */
  arrive() {
    const { from, explorer } = this;
    this.leave();
    if (!this.waiting || !from) return;
    this.waiting = false;
    this.find(from, Float64Array.from(explorer.state.point));
  }

  /** @param {ArrayLike<number>} from @param {ArrayLike<number>} to */
  find(from, to) {
    this.explorer.dispatch({ type: "set", name: "path", value: [Array.from(from), Array.from(to)] });
  }

  /** The key frames of the path; if it has none, its two ends. */
  get keys() {
    return this.explorer.state.chosen.path ?? [];
  }

  /** Add the chosen point as the next key frame. */
  addKey() {
    const { keys, explorer } = this;
    const point = Array.from(explorer.state.point);
    if (String(keys[keys.length - 1]) === String(point)) {
      this.panel.say(PATH_WORDS.again);
      return;
    }
    this.poses.keep(point);
    explorer.dispatch({ type: "set", name: "path", value: [...keys, point] });
    if (this.keys === keys) this.panel.say(PATH_WORDS.many);
  }

  /** @param {number} i */
  removeKey(i) {
    const left = this.keys.filter((_, k) => k !== i);
    this.poses.forget(left);
    this.explorer.dispatch({ type: "set", name: "path", value: left.length ? left : null });
  }

  /** Look for the path through the key frames; without two of them, draw and play nothing. */
  search() {
    const { metric, keys } = this;
    this.cease();
    this.pause();
    Object.assign(this, { from: null, waiting: false, ways: {}, share: 1, forward: true, shownBeside: null });
    this.panel.say([PATH_WORDS.start, PATH_WORDS.next][keys.length] ?? PATH_WORDS.search);
    if (!metric || keys.length < 2) return;
    const places = keys.map((key) => Float64Array.from(key));
    const pairs = places.slice(1).map((to, i) => ({ from: places[i], to, sheet: this.sheet(places[i], to) }));
    const { ways, found } = this;
    const { a, b } = this.explorer.state;
    const follows = this.explorer.map.follows();
    const show = () => this.show();
    this.cease = inSlices((function* search() {
      yield* metric.prepare();
      ways.straight = Way.joined(metric, pairs.map(({ from, to }) => straightWay(metric, from, to)));
      show();
      const shortest = [];
      for (const { from, to, sheet } of pairs) {
        const key = [from, to, [a, b, follows]].join(";");
        const way = found.get(key) ?? (yield* geodesic(metric, from, to, sheet));
        found.set(key, way);
        shortest.push(way);
      }
      ways.geodesic = Way.joined(metric, shortest);
    })(), () => {
      this.sayLength();
      this.show();
    });
  }

  /**
   * Return the plane in which to search; its hidden dimensions are those of the map, or interpolated between
   * the ends.
   * @param {Float64Array} from
   * @param {Float64Array} to
   * @returns {Sheet}
   */
  sheet(from, to) {
    const { map, state: { a, b } } = this.explorer;
    const { near, view } = map;
    const follows = map.follows();
    const [across, up] = [to[a] - from[a], to[b] - from[b]];
    const squared = across * across + up * up;
    return {
      a, b, view: { ...view },
      free: follows ? Array.from(from.keys()) : [a, b],
      rows: follows ? this.explorer.model : null,
      lift(u, v) {
        const along = squared ? ((u - from[a]) * across + (v - from[b]) * up) / squared : 0;
        const x = blend(from, to, Math.min(Math.max(along, 0), 1));
        [x[a], x[b]] = [u, v];
        return follows ? near.follow(x) : x;
      },
    };
  }

  /** Look for the path again, because the model's outputs are now others. */
  changed() {
    this.found.clear();
    if (this.keys.length) this.search();
  }

  /** Remove the path, or cancel the choice of its end. */
  clear() {
    this.poses.forget([]);
    if (this.explorer.state.chosen.path) this.explorer.dispatch({ type: "set", name: "path", value: null });
    else {
      this.search();
      this.show();
    }
  }

  // --- the path -------------------------------------------------------------------------------

  get kind() {
    return this.explorer.state.chosen.way;
  }

  /** The path that is drawn and played; until the shortest path is found, the straight path. */
  get way() {
    return this.ways[this.kind] ?? this.ways.straight;
  }

  /** @param {WayKind} kind */
  choose(kind) {
    this.explorer.dispatch({ type: "set", name: "way", value: kind });
  }

  /** Return the output's place on the path, or null; the pointer takes precedence over a paused path. */
  place() {
    const { point, hover, hovered } = this.explorer.state;
    if (!this.way || !this.shownBeside) return null;
    if (this.shownBeside.some((value, q) => value !== point[q])) {
      this.leave();
      return null;
    }
    const pointed = hover !== null || hovered >= 0;
    return this.playing || !pointed ? this.way.place(this.share) : null;
  }

  /** Return the dragged body at a place that the output shows on the path, or at a key frame; null for the mean. @param {ArrayLike<number>} point */
  posedAt(point) {
    return this.place() && this.way ? this.poses.along(this.share) : this.poses.at(point);
  }

  /** Let the output show the path. */
  enter() {
    this.shownBeside = Float64Array.from(this.explorer.state.point);
  }

  /** Let the output show the chosen point again. */
  leave() {
    this.pause();
    this.shownBeside = null;
    this.show();
  }

  /** @param {number} share */
  seek(share) {
    this.pause();
    this.share = share;
    this.enter();
    this.show();
  }

  /** Play or pause. */
  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Switch the loop on or off. */
  turnAround() {
    this.loop = !this.loop;
    this.show();
  }

  play() {
    this.playing = true;
    this.enter();
    if (this.share >= 1) [this.share, this.forward] = this.loop ? [1, false] : [0, true];
    this.before = performance.now();
    this.tick = requestAnimationFrame((now) => this.advance(now));
    this.show();
  }

  pause() {
    cancelAnimationFrame(this.tick);
    if (!this.playing) return;
    this.playing = false;
    this.show();
  }

  /** @param {number} now */
  advance(now) {
    // A tab that was inactive continues where it was.
    const step = Math.min(Math.max(now - this.before, 0) / 1000, 0.25) / this.explorer.state.chosen.seconds;
    this.before = now;
    this.share += this.forward || !this.loop ? step : -step;
    if (this.share >= 1 && !this.loop) {
      this.share = 1;
      this.pause();
      return;
    }
    if (this.share >= 1 || this.share <= 0) this.forward = this.share <= 0;
    this.share = Math.min(Math.max(this.share, 0), 1);
    this.tick = requestAnimationFrame((later) => this.advance(later));
    this.show();
  }

  // --- display --------------------------------------------------------------------------------

  sayLength() {
    const { straight, geodesic: least } = this.ways;
    if (!straight || !least) return;
    const [mine, other] = this.kind === "straight" ? [straight, least] : [least, straight];
    const inUnits = (/** @type {Way} */ way) => formatNumber(way.length / Math.sqrt(this.model.nOutputs));
    this.panel.say(`The output changes by ${inUnits(mine)} along this path (${this.kind === "straight" ? "geodesic" : "straight"}: ${inUnits(other)}), RMS in the data's units`, PATH_WORDS.length);
  }

  /** Update the controls, the path on the map, and the output. */
  show() {
    const { explorer, way, from, keys } = this;
    this.panel.show(this);
    explorer.selecting?.letThrough(this.waiting);
    const points = way?.points ?? (this.waiting && from ? [from] : []);
    const at = way && this.shownBeside ? way.place(this.share) : null;
    explorer.state.path = points.length || keys.length ? { points, keys: keys.length ? keys : points, at } : null;
    explorer.paint();
  }

  stop() {
    this.cease();
    cancelAnimationFrame(this.tick);
    this.explorer.root.removeEventListener("keydown", this.escape);
  }
}
