// The base class of outputs of which the visitor holds some parts, while the rest follows: the picture under a brush
// (painting.js) and the columns of a table (what_if.js). A change, such as a stroke, is one step of undo.

import { inSlices } from "../kit/slices.js";
import { Grasp } from "./grasp.js";

/** @import { Fit } from "./fit.js" */

const RESTS_AFTER_MS = 450; // after the last key, the change ends

/** @template {Fit<any, any>} Search @extends {Grasp<Search>} */
export class FitGrasp extends Grasp {
  pressed = false;
  /** Whether a change has ended and its final search is running. */
  ending = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined;

  /** Show what is held, beside the output. */
  show() {}

  /** Whether the output is changing. @override */
  get busy() {
    return this.pressed || this.ending || (this.drag !== null && !this.drag.still);
  }

  /** Begin a change at the latent point that is shown. */
  begin() {
    const { explorer } = this;
    const drag = this.wake();
    if (this.ending) this.keep();
    clearTimeout(this.timer);
    const point = explorer.shownPoint();
    const here = this.at !== null && String(point) === this.at;
    explorer.state.leave();
    if (!here) {
      drag.free();
      this.explanations.forget();
      explorer.paths?.leave();
    }
    drag.pull.fixed = explorer.fixedFor(this.model);
    drag.begin(point);
    this.goTo(point);
    this.pressed = true;
  }

  /** Draw the change that a key has made; the change ends when no key is pressed for a while. */
  settle() {
    this.explorer.paint();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), RESTS_AFTER_MS);
  }

  /** @override @param {number} now in milliseconds */
  step(now) {
    const { drag, explorer } = this;
    if (!drag) return;
    if (this.at !== null && String(explorer.state.point) !== this.at) this.left();
    if (this.ending || !drag.step()) return;
    this.goTo(drag.point);
    this.trace(now);
    explorer.paint();
  }

  /** End the change: search everywhere, then keep the latent point as one step of undo. */
  end() {
    const { drag, explorer } = this;
    clearTimeout(this.timer);
    this.pressed = false;
    if (!drag || this.at === null) return;
    drag.challenge = null;
    drag.still = true;
    this.cease();
    if (!drag.holds) {
      this.keep();
      this.explanations.forget();
      return;
    }
    this.ending = true;
    this.cease = inSlices(drag.settle(), (others) => {
      this.keep();
      this.explanations.put(others);
    });
    explorer.paint();
  }

  /** Keep the latent point, and store the held values with it. */
  keep() {
    const { drag, explorer } = this;
    if (!drag) return;
    this.cease();
    this.ending = false;
    this.goTo(drag.point);
    this.keepHere(drag.targets);
    this.show();
    explorer.paint();
  }

  /** @override */
  chosen() {
    this.keep();
  }

  /** Release everything; the output does not change. @param {string} words for screen readers */
  letAllGo(words) {
    this.drag?.free();
    this.forget();
    this.say(words);
    if (this.at !== null) this.kept.delete(this.at);
    this.show();
    this.explorer.paint();
  }

  /** Release the held values, because the visitor went to another latent point; restore the values that were held there earlier. @override */
  left() {
    const { explorer } = this;
    this.forget();
    this.drag?.free();
    const here = String(explorer.state.point);
    const held = this.kept.get(here);
    this.at = held ? here : null;
    if (held && this.drag) {
      this.drag.begin(explorer.state.point);
      this.drag.restore(held);
    }
    this.show();
  }

  forget() {
    this.cease();
    clearTimeout(this.timer);
    this.pressed = false;
    this.ending = false;
    this.explanations.forget();
  }

  /** @override */
  stop() {
    clearTimeout(this.timer);
    super.stop();
  }
}
