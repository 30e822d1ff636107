// Small pictures of other bodies that explain the same handles.

import { element, fitCanvas } from "../kit/dom.js";
import { drawOutput } from "../kit/output.js";
import { inSlices } from "../kit/slices.js";

/** @import { Body } from "./body.js" */
/** @import { Explanation } from "./drag.js" */

const OTHER_SIZE = 54; // CSS pixels

export class Explanations {
  /** @param {Body} body */
  constructor(body) {
    this.body = body;
    /** @type {Explanation[]} */
    this.found = [];
    this.next = 0;
    this.cease = () => {};
    this.small = element("div", { class: "explanations", role: "group", "aria-label": "Other explanations", hidden: "" });
  }

  /** Look for them, in slices of time. */
  search() {
    const { drag } = this.body;
    this.cease();
    if (!drag?.holds) return;
    this.cease = inSlices(drag.others(), (others) => {
      this.found = others;
      this.next = 0;
      this.show();
    });
  }

  /** Go to the next explanation. */
  another() {
    if (this.found.length) this.take(this.next++ % this.found.length);
    else this.body.say("No other explanation");
  }

  /** Go to an explanation; the present one takes its place. @param {number} i */
  take(i) {
    const { drag, explorer } = this.body;
    if (!drag || !this.found[i]) return;
    const own = { point: drag.point.slice(), pose: drag.pose.slice(), score: 0 };
    this.cease();
    drag.choose(this.found[i]);
    this.found[i] = own;
    this.body.say(`Explanation ${i + 1} of ${this.found.length}`);
    this.show();
    explorer.paint();
  }

  show() {
    const { small, found, body: { drawing, explorer: { state } } } = this;
    small.hidden = !found.length;
    small.replaceChildren(...found.map(({ pose }, i) => {
      const canvas = element("canvas", { style: `width:${OTHER_SIZE}px; height:${OTHER_SIZE}px`, "aria-hidden": "true" });
      drawOutput(fitCanvas(canvas, OTHER_SIZE, OTHER_SIZE), drawing, pose, OTHER_SIZE, OTHER_SIZE, { theme: state.theme, turn: state.turn, small: true });
      const button = element("button", { type: "button", title: "Another body for these handles (A)", "aria-label": `Other explanation ${i + 1}` }, canvas);
      button.addEventListener("click", () => this.take(i));
      return button;
    }));
  }

  forget() {
    this.cease();
    this.found = [];
    this.show();
  }
}
