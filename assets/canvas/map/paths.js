// Paths from the chosen point to another point, which are found, drawn, played and exported.

import { blend } from "../kit/algebra.js";
import { formatNumber } from "../kit/format.js";
import { inSlices } from "../kit/slices.js";
import { geodesic, straightWay } from "../geometry/geodesic.js";
import { OutputMetric } from "../geometry/metric.js";
import { PathPanel } from "./path_panel.js";
import { PATH_SECONDS, PathSaving } from "./path_saving.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { Sheet, Way } from "../geometry/geodesic.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { WayKind } from "./switches.js" */

const PATH_WORDS = {
  start: "to another point",
  wait: "Click the end of the path on the map. With keys: arrows move, Enter ends the path, Esc cancels.",
  search: "Looking for the shortest path …",
  length: "The expected change of the output, summed along the path (root mean square over the outputs, in the units of the data)",
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
    /** The paths between the two ends that are already found. @type {Record<string, Way | undefined>} */
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

  /** Look for the path between the chosen ends; without ends, draw and play nothing. */
  search() {
    const { metric, explorer: { state: { chosen: { path } } } } = this;
    this.cease();
    this.pause();
    Object.assign(this, { from: null, waiting: false, ways: {}, share: 1, forward: true, shownBeside: null });
    this.panel.say(path ? PATH_WORDS.search : PATH_WORDS.start);
    if (!metric || !path) return;
    const [from, to] = path.map((end) => Float64Array.from(end));
    const { ways } = this;
    const show = () => this.show();
    const sheet = this.sheet(from, to);
    this.cease = inSlices((function* search() {
      yield* metric.prepare();
      ways.straight = straightWay(metric, from, to);
      show();
      ways.geodesic = yield* geodesic(metric, from, to, sheet);
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

  /** Remove the path, or cancel the choice of its end. */
  clear() {
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
    // A tab that was inactive continues at its last place.
    const step = Math.min(Math.max(now - this.before, 0) / 1000, 0.25) / PATH_SECONDS;
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
    const { explorer, way, from } = this;
    this.panel.show(this);
    explorer.selecting?.letThrough(this.waiting);
    const points = way?.points ?? (this.waiting && from ? [from] : null);
    explorer.state.path = points && { points, at: way && this.shownBeside ? way.place(this.share) : null };
    explorer.paint();
  }

  stop() {
    this.cease();
    cancelAnimationFrame(this.tick);
    this.explorer.root.removeEventListener("keydown", this.escape);
  }
}
