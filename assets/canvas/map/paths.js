// Ways from the chosen point to another one: found, drawn, walked, and taken home as files.

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
  start: "From the chosen point to another place",
  wait: "Click where the path ends, on the map or on a dot. With keys: arrows, then Enter; Esc gives up.",
  search: "Looking for the shortest way…",
  length: "What the output is expected to change by from place to place, added up: the root of the mean of the outputs' squares, in the units of the data",
};

export class Paths {
  /** host: an empty element, where the controls go. @param {Explorer<any>} explorer @param {HTMLElement} host */
  constructor(explorer, host) {
    this.explorer = explorer;
    /** @type {LatentModel} */
    this.model = explorer.model;
    /** Where the path begins, from when its end is asked for. @type {Float64Array | null} */
    this.from = null;
    this.waiting = false;
    /** The ways between the two ends, as far as they are found. @type {Record<string, Way | undefined>} */
    this.ways = {};
    /** Of the length. */
    this.share = 0;
    this.forward = true;
    this.playing = false;
    this.loop = false;
    /** While the output is that of a place on the path: the chosen point meanwhile. @type {Float64Array | null} */
    this.shownBeside = null;
    this.tick = 0;
    this.before = 0;
    /** Ends the work that is going on. */
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

  /** Ask for the end of a path that begins here, or no longer. */
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

  /** A visitor has kept a point: the end, if it is waited for; else the output is that point's again. */
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

  /** Look for the way between the ends that are chosen; without them nothing is drawn or played. */
  search() {
    const { metric, explorer: { state: { chosen: { path } } } } = this;
    this.cease();
    this.pause();
    Object.assign(this, { from: null, waiting: false, ways: {}, share: 0, forward: true, shownBeside: null });
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
   * The plane that is shown, to look for ways in: its other dimensions as on the map, or from those
   * of the one end to those of the other.
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

  /** Take the path away, or give up choosing its end. */
  clear() {
    if (this.explorer.state.chosen.path) this.explorer.dispatch({ type: "set", name: "path", value: null });
    else {
      this.search();
      this.show();
    }
  }

  // --- the way --------------------------------------------------------------------------------

  get kind() {
    return this.explorer.state.chosen.way;
  }

  /** The way that is drawn and walked: until the shortest is found, the straight one. */
  get way() {
    return this.ways[this.kind] ?? this.ways.straight;
  }

  /** @param {WayKind} kind */
  choose(kind) {
    this.explorer.dispatch({ type: "set", name: "way", value: kind });
  }

  /** Where the output is on the path, if it is there: until the chosen point moves; the pointer comes before a path at rest. */
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

  /** The output goes with the path. */
  enter() {
    this.shownBeside = Float64Array.from(this.explorer.state.point);
  }

  /** The output goes with the chosen point again. */
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

  /** Loop, or no longer. */
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
    // A tab that slept goes on where it was.
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

  // --- what is seen ---------------------------------------------------------------------------

  sayLength() {
    const { straight, geodesic: least } = this.ways;
    if (!straight || !least) return;
    const [mine, other] = this.kind === "straight" ? [straight, least] : [least, straight];
    const inUnits = (/** @type {Way} */ way) => formatNumber(way.length / Math.sqrt(this.model.nOutputs));
    this.panel.say(`Changes the output by ${inUnits(mine)} along the way (${this.kind === "straight" ? "geodesic" : "straight"}: ${inUnits(other)}), RMS in the data's units`, PATH_WORDS.length);
  }

  /** Controls, the path on the map, and the output. */
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
