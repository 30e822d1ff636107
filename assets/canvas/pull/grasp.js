// An output that the visitor changes by hand, while the point follows on the map. This is the base class of the
// body (body.js) and of the picture under a brush (painting.js).

import { Explanations } from "./explanations.js";

/** @import { OutputPicture } from "../kit/output_picture.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Explorer } from "../map/explorer.js" */
/** @import { Explanation } from "./drag.js" */

const TRAIL_MS = 1600;

export class Grasp {
  /** @param {Explorer<LatentModel>} explorer @param {OutputPicture} picture @param {string} other the title of a button that shows another explanation */
  constructor(explorer, picture, other) {
    this.explorer = explorer;
    this.picture = picture;
    this.canvas = picture.canvas;
    this.drawing = explorer.model.drawing;
    /** @type {any} */
    this.drag = null;
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

  /** Show a latent point without a step of undo. @param {Float64Array} point */
  goTo(point) {
    this.explorer.dispatch({ type: "move", point });
    this.at = String(this.explorer.state.point);
  }

  /** Start or continue the trail on the map. @param {number} now in milliseconds */
  trace(now) {
    this.explorer.state.trail.push({ point: this.drag.point.slice(), time: now });
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
