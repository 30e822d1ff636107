// An output that the visitor changes by hand, while the point follows on the map. This is the base class of the
// body (body.js) and of the picture under a brush (painting.js).

import { inSlices } from "../kit/slices.js";
import { Explanations } from "./explanations.js";

/** @import { OutputPicture } from "../kit/output_picture.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Explorer } from "../map/explorer.js" */
/** @import { LatentPoints } from "../geometry/points.js" */
/** @import { Seeds } from "./seeds.js" */

const TRAIL_MS = 1600;
const MOST_KEPT = 60; // changes for undo and redo

/** @template {{ point: Float64Array, seeds: Seeds }} Search */
export class Grasp {
  /**
   * model: of the output, which may be one of several views; other: the name of another explanation; open: makes the search near the
   * points of a map.
   * @param {Explorer<any>} explorer
   * @param {OutputPicture} picture
   * @param {LatentModel} model
   * @param {string} other
   * @param {(model: LatentModel, points: LatentPoints) => Search} open
   */
  constructor(explorer, picture, model, other, open) {
    this.explorer = explorer;
    this.picture = picture;
    this.canvas = picture.canvas;
    this.model = model;
    this.drawing = model.drawing;
    this.host = explorer.hostOf(picture);
    this.canvas.parentElement?.classList.add("grasp");
    this.open = open;
    /** @type {Search | null} */
    this.drag = null;
    /** What the visitor had changed at each kept latent point, for undo and redo. @type {Map<string, Float64Array>} */
    this.kept = new Map();
    /** The point that the last change has reached. @type {string | null} */
    this.at = null;
    /** The requested animation frame of the trail. */
    this.fading = 0;
    this.cease = () => {};
    this.other = other;
    this.explanations = new Explanations(this);
  }

  /** Listen to an event of the picture, before the listeners that turn the figure. @param {string} name @param {(event: any) => void} heard */
  on(name, heard) {
    this.canvas.addEventListener(name, heard, { capture: true });
  }

  /** Whether the visitor is changing the output. */
  get busy() {
    return false;
  }

  /** Prepare the search, so that the first touch does not wait. */
  wake() {
    if (this.drag) return this.drag;
    this.drag = this.open(this.model, this.explorer.model);
    this.cease = inSlices(this.drag.seeds.prepare(), () => {});
    return this.drag;
  }

  /** Whether the changed output is shown. */
  get shown() {
    const { state } = this.explorer;
    return this.drag !== null && this.at !== null && String(state.point) === this.at && state.hover === null && state.hovered < 0;
  }

  /** Keep the latent point as one step of undo, with what the visitor has changed there. @param {Float64Array} change */
  keepHere(change) {
    const { explorer, kept } = this;
    explorer.keep();
    if (!explorer.map.follows()) explorer.map.refresh();
    this.at = String(explorer.state.point);
    kept.delete(this.at);
    kept.set(this.at, change.slice());
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value ?? "");
  }

  /** Follow the visitor by one frame; called before the explorer draws. @param {number} _now in milliseconds */
  step(_now) {}

  /** Draw all small pictures again. */
  redraw() {
    this.explanations.show();
  }

  /** Show a place without keeping it. @param {Float64Array} point */
  goTo(point) {
    this.explorer.dispatch({ type: "move", point });
    this.at = String(this.explorer.state.point);
  }

  /** Start or continue the trail on the map. @param {number} now in milliseconds */
  trace(now) {
    this.explorer.state.trail.push({ point: /** @type {Search} */ (this.drag).point.slice(), time: now });
    if (!this.fading) this.fade();
  }

  /** Let the trail on the map fade; this draws only the map's upper canvas. */
  fade() {
    const { state, map } = this.explorer;
    this.fading = requestAnimationFrame((now) => {
      while (state.trail.length && now - state.trail[0].time > TRAIL_MS) state.trail.shift();
      state.trailTime = now;
      if (!this.busy) map.drawUpper();
      this.fading = 0;
      if (state.trail.length) this.fade();
    });
  }

  /** @param {string} words for screen readers */
  say(words) {
    if (this.explorer.parts.announce) this.explorer.parts.announce.textContent = words;
  }

  /** Release what is held, because the visitor went to another latent point. */
  left() {}

  /** Forget every change, because the model's outputs are now others. */
  restart() {
    this.kept.clear();
    this.left();
    this.drag = null;
  }

  /** Show another explanation that was chosen. */
  chosen() {
    this.explorer.paint();
  }

  stop() {
    cancelAnimationFrame(this.fading);
    this.cease();
    this.explanations.cease();
  }
}
