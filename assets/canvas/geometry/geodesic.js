// Shortest paths between two places in a space with a metric: found over a grid in a plane or between training
// points, and then relaxed to a geodesic.

import { blend } from "../kit/algebra.js";
import { relax } from "./relax.js";

/**
 * A space in which distances between near places are defined; a station is a place with precomputed values.
 * @template Station
 * @typedef {object} Geometry
 * @property {number} nLatent Q
 * @property {(x: Float64Array) => Station} station
 * @property {(from: Station, to: Station) => number} squared returns the squared distance of two near stations
 * @property {(path: Float64Array[], gradient: Float64Array[]) => number} energy returns the sum of the squared distances along a path; overwrites the gradient
 * @property {(x: Float64Array, step: Float64Array) => number} speed returns the length of a small step
 * @property {(x: Float64Array) => Float64Array} at returns the metric, Q × Q
 */
/**
 * A plane through the space, and its part in which to search.
 * @typedef {object} Sheet
 * @property {number} a the horizontal dimension
 * @property {number} b the vertical dimension
 * @property {View} view the shown part of the plane
 * @property {(u: number, v: number) => Float64Array} lift returns a place in all dimensions
 * @property {number[]} free dimensions in which the path may bend
 * @property {LatentPoints | null} rows training points for the network, if the path may bend in all dimensions
 */
/**
 * A network of places.
 * @typedef {object} Network
 * @property {number} start
 * @property {number} end the number of the end node, which follows all other numbers
 * @property {(node: number) => Float64Array} place
 * @property {(node: number) => number[]} around the neighbours of a node
 */
/** @import { View } from "../kit/plane.js" */
/** @import { LatentPoints } from "./points.js" */

const CELLS = 44; // cells along each side of the grid
const COMPANIONS = 8; // neighbours of a training point in the network
const ROUGH = 20; // segments of a path while several paths are tried
const PIECES = 48; // segments of the best path during relaxation
const FINE = 160; // segments of a path that is measured and shown

/** The sixteen directions of steps: to adjacent nodes, and by a knight's move. */
const MOVES = [-2, -1, 0, 1, 2].flatMap((i) => [-2, -1, 0, 1, 2].map((j) => [i, j]))
  .filter(([i, j]) => Math.max(Math.abs(i), Math.abs(j)) === 1 || Math.abs(i * j) === 2);

/** A path with its length; `place` returns the place at a fraction of the length. */
export class Way {
  /** @param {Geometry<any>} geometry @param {Float64Array[]} points */
  constructor(geometry, points) {
    this.points = points;
    /** The length of the path up to each point. */
    this.reached = new Float64Array(points.length);
    for (let i = 1; i < points.length; i++) {
      const [x, y] = [points[i - 1], points[i]];
      this.reached[i] = this.reached[i - 1] + geometry.speed(blend(x, y, 0.5), y.map((value, q) => value - x[q]));
    }
    /** The length of the path up to each of the places that it joins. */
    this.stops = [0, this.length];
  }

  /** Join paths into one; each path begins where the previous path ends. @param {Geometry<any>} geometry @param {Way[]} ways */
  static joined(geometry, ways) {
    const joined = new Way(geometry, ways.flatMap(({ points }, i) => points.slice(Math.min(i, 1))));
    let last = 0;
    joined.stops = [0, ...ways.map(({ points }) => joined.reached[(last += points.length - 1)])];
    return joined;
  }

  get length() {
    return this.reached[this.reached.length - 1];
  }

  /** Return the place at a fraction of the length. @param {number} share */
  place(share) {
    const { points, reached, length } = this;
    const at = Math.min(Math.max(share, 0), 1) * length;
    let [low, high] = [0, points.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (reached[middle] <= at) low = middle;
      else high = middle;
    }
    const step = reached[high] - reached[low];
    // If the output does not change at all, all places are equivalent.
    return blend(points[low], points[high], step > 0 ? (at - reached[low]) / step : share);
  }

  /** Return points at equal distances along the path. @param {number} pieces */
  even(pieces) {
    return Array.from({ length: pieces + 1 }, (_, i) => this.place(i / pieces));
  }
}

/** Return the straight path. @param {Geometry<any>} geometry @param {Float64Array} from @param {Float64Array} to */
export function straightWay(geometry, from, to) {
  return new Way(geometry, Array.from({ length: FINE + 1 }, (_, i) => blend(from, to, i / FINE)));
}

/**
 * Find the shortest path, never longer than the straight path. It is a generator, so that other work can run between steps.
 * @param {Geometry<any>} geometry
 * @param {Float64Array} from
 * @param {Float64Array} to
 * @param {Sheet} sheet
 * @returns {Generator<void, Way>}
 */
export function* geodesic(geometry, from, to, sheet) {
  const straight = straightWay(geometry, from, to);
  let best = straight;
  const better = (/** @type {Way} */ found) => {
    const way = new Way(geometry, found.even(FINE));
    if (way.length < best.length) best = way;
  };
  /** @param {Way} start @param {number} pieces */
  function* relaxed(start, pieces) {
    const points = start.even(pieces);
    yield* relax(geometry, points, sheet.free);
    better(new Way(geometry, points));
    yield;
  }
  const starts = [yield* gridWay(geometry, from, to, sheet), straight];
  if (sheet.rows) starts.push(yield* dataWay(geometry, from, to, sheet.rows));
  for (const start of starts) {
    if (start !== straight) better(start);
    yield* relaxed(start, ROUGH);
  }
  // Few segments are enough to choose a path; the result needs more segments.
  yield* relaxed(best, PIECES);
  return best;
}

/**
 * Find the shortest path between training points, in all dimensions.
 * @param {Geometry<any>} geometry
 * @param {Float64Array} from
 * @param {Float64Array} to
 * @param {LatentPoints} rows
 * @returns {Generator<void, Way>}
 */
export function* dataWay(geometry, from, to, rows) {
  const [start, end] = [rows.nPoints, rows.nPoints + 1];
  const place = (/** @type {number} */ node) => (node === start ? from : node === end ? to : rows.position(node));
  const near = (/** @type {Float64Array} */ x) => rows.closest(x, COMPANIONS + 1).map(({ row }) => row);
  const last = near(to);
  // A point's nearest points need not have this point among their own. The path can reach its end from the points
  // that are nearest to the end, or directly from the start.
  const around = (/** @type {number} */ node) => (node === start || last.includes(node) ? [...near(place(node)), end] : near(place(node)));
  return yield* shortest(geometry, { start, end, place, around });
}

/**
 * Find the shortest path over a grid in the plane.
 * @param {Geometry<any>} geometry
 * @param {Float64Array} from
 * @param {Float64Array} to
 * @param {Sheet} sheet
 * @returns {Generator<void, Way>}
 */
export function* gridWay(geometry, from, to, { a, b, view, lift }) {
  const low = [Math.min(view.u - view.su, from[a], to[a]), Math.min(view.v - view.sv, from[b], to[b])];
  const high = [Math.max(view.u + view.su, from[a], to[a]), Math.max(view.v + view.sv, from[b], to[b])];
  const side = CELLS + 1;
  const [start, end] = [side * side, side * side + 1];
  const place = (/** @type {number} */ node) => node === start ? from : node === end ? to
    : lift(low[0] + ((node % side) / CELLS) * (high[0] - low[0]), low[1] + (Math.floor(node / side) / CELLS) * (high[1] - low[1]));
  const cornersOf = (/** @type {Float64Array} */ x) => {
    const [i, j] = [a, b].map((q, k) => Math.min(Math.floor(((x[q] - low[k]) / (high[k] - low[k])) * CELLS), CELLS - 1));
    return [0, 1, side, side + 1].map((more) => j * side + i + more);
  };
  const [near, last] = [cornersOf(from), cornersOf(to)];
  const around = (/** @type {number} */ node) => {
    if (node === start) return near;
    const [i, j] = [node % side, Math.floor(node / side)];
    const found = MOVES.map(([di, dj]) => [i + di, j + dj])
      .filter(([p, q]) => p >= 0 && q >= 0 && p < side && q < side).map(([p, q]) => q * side + p);
    return last.includes(node) ? [...found, end] : found;
  };
  return yield* shortest(geometry, { start, end, place, around });
}

/**
 * Find the shortest path through a network (Dijkstra).
 * @param {Geometry<any>} geometry
 * @param {Network} network
 * @returns {Generator<void, Way>}
 */
function* shortest(geometry, { start, end, place, around }) {
  /** @type {any[]} */
  const stations = [];
  const distance = new Float64Array(end + 1).fill(Infinity);
  const before = new Int32Array(end + 1).fill(-1);
  const done = new Uint8Array(end + 1);
  const queue = new Queue();
  distance[start] = 0;
  stations[start] = geometry.station(place(start));
  queue.add(start, 0);
  for (let node = queue.take(); node !== end; node = queue.take()) {
    if (done[node]) continue;
    done[node] = 1;
    for (const next of around(node)) {
      if (done[next]) continue;
      stations[next] ??= geometry.station(place(next));
      const total = distance[node] + Math.sqrt(geometry.squared(stations[node], stations[next]));
      if (total >= distance[next]) continue;
      distance[next] = total;
      before[next] = node;
      queue.add(next, total);
    }
    yield;
  }
  const points = [];
  for (let node = end; node >= 0; node = before[node]) points.unshift(Float64Array.from(place(node)));
  return new Way(geometry, points);
}

/** A priority queue that returns the least key first (a binary heap). */
class Queue {
  constructor() {
    /** @type {[number, number][]} */
    this.heap = [];
  }

  /** @param {number} node @param {number} key */
  add(node, key) {
    const { heap } = this;
    let at = heap.push([node, key]) - 1;
    for (let up = (at - 1) >> 1; at > 0 && heap[up][1] > key; at = up, up = (at - 1) >> 1) [heap[at], heap[up]] = [heap[up], heap[at]];
  }

  take() {
    const { heap } = this;
    const [node] = heap[0];
    const moved = /** @type {[number, number]} */ (heap.pop());
    if (heap.length) heap[0] = moved;
    for (let at = 0, down = 1; down < heap.length; at = down, down = 2 * at + 1) {
      if (down + 1 < heap.length && heap[down + 1][1] < heap[down][1]) down += 1;
      if (heap[at][1] <= heap[down][1]) break;
      [heap[at], heap[down]] = [heap[down], heap[at]];
    }
    return node;
  }
}
