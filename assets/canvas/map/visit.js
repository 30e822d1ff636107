// What a visitor does with the chosen point: move it, keep it, and go back to earlier places.

import { Shell } from "../kit/shell.js";
import { START_TURN } from "../kit/turn.js";

/** @import { LatentMap, MapModel } from "./map.js" */
/** @import { Paths } from "./paths.js" */
/** @import { Scene } from "./scene.js" */
/** @import { Action, Place } from "./state.js" */

const SETTLE_MS = 450; // after arrow keys and sliders, the point is kept after this pause

/** @template {MapModel} [Model=MapModel] */
export class Visit extends Shell {
  /** @type {Model} */
  model;
  /** @type {Scene} */
  state;
  /** @type {LatentMap} */
  map;
  /** @type {Paths | null} */
  paths = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;

  /** Apply an action and show the new state. @param {Action} _action */
  dispatch(_action) {}

  /** Update all texts about the chosen point. */
  tell() {}

  /** Limit a place in the plane to the region where the chosen point may be. @param {number} u @param {number} v @returns {[number, number]} */
  allowed(u, v) {
    const { a, b, point, held } = this.state;
    return [held.has(a) ? point[a] : u, held.has(b) ? point[b] : v];
  }

  /** Limit a latent point to the region where the chosen point may be. @param {Float64Array} point */
  reachable(point) {
    for (const q of this.state.held) point[q] = this.state.point[q];
    return point;
  }

  /**
   * Return the point moved within the plane; its hidden dimensions stay, or follow the data.
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
    this.dispatch({ type: "move", point: this.moved(this.state.point.slice(), u, v) });
  }

  /** Move the chosen point in all dimensions. @param {Float64Array} point */
  moveTo(point) {
    this.dispatch({ type: "move", point: this.reachable(point) });
  }

  /** Set one coordinate; a coordinate outside the plane stops the hidden dimensions from following the data. @param {number} q @param {number} value */
  fix(q, value) {
    const { state } = this;
    const { a, b } = state;
    state.leave();
    const point = state.point.slice();
    point[q] = value;
    if (q !== a && q !== b) this.dispatch({ type: "follow", on: false });
    this.dispatch({ type: "move", point: q === a || q === b ? this.moved(point, point[a], point[b]) : point });
    this.settle();
  }

  /** Set whether the dimensions outside the plane follow the data; the chosen point moves with them. @param {boolean} on */
  follow(on) {
    const { state } = this;
    this.dispatch({ type: "follow", on });
    if (!on) return;
    this.place(state.point[state.a], state.point[state.b]);
    this.settle();
  }

  /** Go to a place and keep it. @param {Float64Array} point */
  arrive(point) {
    this.moveTo(point);
    this.keep();
  }

  /** Return the visitor's place. @returns {Place} */
  here() {
    return this.state.chosen.place;
  }

  /** Go to an earlier place or a bookmark. @param {Action} action */
  go(action) {
    clearTimeout(this.timer);
    this.state.leave();
    this.dispatch(action);
    this.tell();
  }

  /** @param {number} a @param {number} b */
  setPair(a, b) {
    this.frameMap({ type: "pair", dims: [a, b] });
    this.keep();
  }

  reset() {
    this.paths?.clear();
    Object.assign(this.state.turn, START_TURN);
    this.frameMap({ type: "reset" });
    this.keep();
  }

  /** Show the whole map after an action. @param {Action} action */
  frameMap(action) {
    const { a, b } = this.state;
    this.state.hover = null;
    this.dispatch(action);
    // If the plane has changed, the map already shows it completely.
    if (this.state.a === a && this.state.b === b) {
      this.map.fit();
      if (this.map.revealPoint()) this.map.refresh();
    }
    this.paint();
  }

  settle() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), SETTLE_MS);
  }

  /** Keep the current point. */
  keep() {
    clearTimeout(this.timer);
    this.dispatch({ type: "keep" });
    this.tell();
  }
}
