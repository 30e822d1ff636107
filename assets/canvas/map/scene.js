// What the parts of an explorer share: what a visitor chose, and what passes with the pointer.

import { START_TURN } from "../kit/turn.js";

/** @import { Theme } from "../kit/theme.js" */
/** @import { Turn } from "../kit/geometry.js" */
/** @import { Chosen } from "./state.js" */
/** @import { Switches } from "./switches.js" */

/**
 * What a map draws. Widgets read it; of an explorer, only `dispatch` changes what is chosen.
 * @typedef {object} MapState
 * @property {number} a the dimension across
 * @property {number} b the dimension up
 * @property {Float64Array} point the chosen one
 * @property {{ points: Float64Array[], at: Float64Array | null } | null} path from a place to another, and where on it the output is;
 *   its start alone while the end is to be chosen
 * @property {Set<number>} held dimensions that stay where the chosen point is
 * @property {boolean} follow whether the dimensions outside the plane go where the data are
 * @property {[number, number] | null} hover where the pointer is, in the plane
 * @property {number} hovered the training point that the pointer is on, or −1
 * @property {Float64Array[]} marks places whose outputs are shown beside the map
 * @property {number} marked the one of them that the pointer is on, or −1
 * @property {number} factor the fact that the points are coloured by, or −1: by their labels
 * @property {ReadonlySet<number>} selected labels that are set off from the others
 * @property {ArrayLike<number>} rows training points that are, in order
 * @property {Switches["show"]} show
 * @property {Theme} theme
 * @property {Turn} turn of all stick figures
 */

/** @implements {MapState} */
export class Scene {
  /** @param {Readonly<Chosen>} chosen @param {Theme} theme */
  constructor(chosen, theme) {
    this.theme = theme;
    this.turn = { ...START_TURN };
    /** @type {MapState["path"]} */
    this.path = null;
    /** @type {Set<number>} */
    this.held = new Set();
    /** @type {[number, number] | null} */
    this.hover = null;
    this.hovered = -1;
    /** @type {Float64Array[]} */
    this.marks = [];
    this.marked = -1;
    this.chosen = chosen;
    /** Where the point is. */
    this.point = Float64Array.from(chosen.place.point);
    /** @type {ReadonlySet<number>} */
    this.selected = new Set(chosen.labels);
  }

  /** Show another state. @param {Readonly<Chosen>} chosen */
  take(chosen) {
    const { place, labels } = this.chosen;
    this.chosen = chosen;
    if (place !== chosen.place) this.point = Float64Array.from(chosen.place.point);
    if (labels !== chosen.labels) this.selected = new Set(chosen.labels);
  }

  get a() {
    return this.chosen.place.dims[0];
  }

  get b() {
    return this.chosen.place.dims[1];
  }

  get follow() {
    return this.chosen.place.follow;
  }

  get factor() {
    return this.chosen.by;
  }

  get rows() {
    return this.chosen.rows;
  }

  get show() {
    return this.chosen.show;
  }

  /** The pointer is on nothing. */
  leave() {
    this.hover = null;
    this.hovered = -1;
  }
}
