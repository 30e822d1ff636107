// Shortest ways between two places of a space with lengths: over a grid in a plane or from training
// point to training point, then relaxed.

import { blend } from "../kit/algebra.js";
import { relax } from "./relax.js";

/**
 * A space in which near places have distances; a station is a place with what its distances need.
 * @template Station
 * @typedef {object} Geometry
 * @property {number} nLatent Q
 * @property {(x: Float64Array) => Station} station
 * @property {(from: Station, to: Station) => number} squared the squared distance of two that are near
 * @property {(path: Float64Array[], gradient: Float64Array[]) => number} energy sum of the squared distances along a path; its gradient
 * @property {(x: Float64Array, step: Float64Array) => number} speed length of a small step
 * @property {(x: Float64Array) => Float64Array} at the metric, Q × Q
 */
/**
 * A plane through the space, and the part of it to look in.
 * @typedef {object} Sheet
 * @property {number} a the dimension across
 * @property {number} b the dimension up
 * @property {View} view what is shown
 * @property {(u: number, v: number) => Float64Array} lift the place in all dimensions
 * @property {number[]} free dimensions in which the way may bend
 * @property {LatentPoints | null} rows training points to go by, where the way may bend in all dimensions
 */
/**
 * Places with ways between them.
 * @typedef {object} Network
 * @property {number} start
 * @property {number} end the number after all others
 * @property {(node: number) => Float64Array} place
 * @property {(node: number) => number[]} around the nodes that a node leads to
 */
/** @import { View } from "../kit/plane.js" */
/** @import { LatentPoints } from "./points.js" */

const CELLS = 44; // of the grid, along each side
const COMPANIONS = 8; // nearest training points that one leads to
const ROUGH = 20; // pieces of a way while several are tried
const PIECES = 48; // of the best one while it is relaxed
const FINE = 160; // of a way that is measured and shown

/** To the nodes around, and a knight's move away: sixteen directions. */
const MOVES = [-2, -1, 0, 1, 2].flatMap((i) => [-2, -1, 0, 1, 2].map((j) => [i, j]))
  .filter(([i, j]) => Math.max(Math.abs(i), Math.abs(j)) === 1 || Math.abs(i * j) === 2);

/** Ways are measured and walked at constant speed. */
export class Way {
  /** @param {Geometry<any>} geometry @param {Float64Array[]} points */
  constructor(geometry, points) {
    this.points = points;
    /** The length up to each point. */
    this.reached = new Float64Array(points.length);
    for (let i = 1; i < points.length; i++) {
      const [x, y] = [points[i - 1], points[i]];
      this.reached[i] = this.reached[i - 1] + geometry.speed(blend(x, y, 0.5), y.map((value, q) => value - x[q]));
    }
  }

  get length() {
    return this.reached[this.reached.length - 1];
  }

  /** The place at a share of the length. @param {number} share */
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
    // Where nothing changes all places are as good.
    return blend(points[low], points[high], step > 0 ? (at - reached[low]) / step : share);
  }

  /** Points at equal lengths. @param {number} pieces */
  even(pieces) {
    return Array.from({ length: pieces + 1 }, (_, i) => this.place(i / pieces));
  }
}

/** The straight way. @param {Geometry<any>} geometry @param {Float64Array} from @param {Float64Array} to */
export function straightWay(geometry, from, to) {
  return new Way(geometry, Array.from({ length: FINE + 1 }, (_, i) => blend(from, to, i / FINE)));
}

/**
 * The shortest way, in steps between which other work can be done: never longer than the straight one.
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
  // Few pieces tell which way to go; the way itself takes more of them.
  yield* relaxed(best, PIECES);
  return best;
}

/**
 * The shortest way from training point to training point, in all dimensions.
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
  // A neighbour need not have one back; the end is reached from those around it, or at once.
  const around = (/** @type {number} */ node) => (node === start || last.includes(node) ? [...near(place(node)), end] : near(place(node)));
  return yield* shortest(geometry, { start, end, place, around });
}

/**
 * The shortest way over a grid in the plane.
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
 * The shortest way through a network, from node to node (Dijkstra).
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

/** What comes next: the least first (a binary heap). */
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
