// The state that all parts of an explorer share: the visitor's choices, and the pointer's position.

import { START_TURN } from "../kit/turn.js";

/** @import { Theme } from "../kit/theme.js" */
/** @import { Turn } from "../kit/geometry.js" */
/** @import { Chosen } from "./state.js" */
/** @import { Switches } from "./switches.js" */

/**
 * The state that a map draws. Widgets read it; in an explorer, only `dispatch` changes the choices.
 * @typedef {object} MapState
 * @property {number} a the dimension across
 * @property {number} b the dimension up
 * @property {Float64Array} point the chosen one
 * @property {{ points: Float64Array[], keys: readonly ArrayLike<number>[], at: Float64Array | null } | null} path through its key frames, and the output's place on it;
   only its start until the end is chosen
 * @property {Set<number>} held dimensions that stay at the chosen point's coordinates
 * @property {boolean} follow whether the dimensions outside the plane follow the data
 * @property {[number, number] | null} hover the pointer's place in the plane
 * @property {number} hovered the training point under the pointer, or −1
 * @property {Float64Array[]} marks the places whose outputs are shown beside the map
 * @property {number} marked the mark under the pointer, or −1
 * @property {{ point: Float64Array, time: number }[]} [trail] where the point was during a drag, with times in milliseconds
 * @property {number} [trailTime] the time of this frame
 * @property {number} factor the fact that colours the points; −1: their labels do
 * @property {ReadonlySet<number>} selected highlighted labels
 * @property {ArrayLike<number>} rows selected training points, sorted
 * @property {Switches["show"]} show
 * @property {string} shade the meaning of the shading
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
    /** @type {{ point: Float64Array, time: number }[]} */
    this.trail = [];
    this.trailTime = 0;
    this.chosen = chosen;
    /** The latent point of the current place. */
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

  get shade() {
    return this.chosen.shade;
  }

  get show() {
    return this.chosen.show;
  }

  /** Forget the pointer's place: it left the map and the pictures. */
  leave() {
    this.hover = null;
    this.hovered = -1;
  }
}
