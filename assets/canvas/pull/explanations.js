// Small pictures of other explanations: outputs that also fit the held joints or the painted pixels.

import { element, pushButton } from "../kit/dom.js";
import { smallPicture } from "../kit/output.js";
import { inSlices } from "../kit/slices.js";

/** @import { Grasp } from "./grasp.js" */
/** @import { Explanation } from "./drag.js" */

const OTHER_SIZE = 54; // CSS pixels

export class Explanations {
  /** @param {Grasp<any>} grasp @param {{ one: string, all: string, title: string }} [words] the names of one picture and of all pictures, and the title of a picture's button */
  constructor(grasp, words = { one: "Other explanation", all: "Other explanations", title: grasp.other }) {
    this.grasp = grasp;
    this.words = words;
    /** @type {Explanation[]} */
    this.found = [];
    this.next = 0;
    this.cease = () => {};
    this.small = element("div", { class: "explanations", role: "group", "aria-label": words.all, hidden: "" });
  }

  /** Look for other explanations, in slices of time. */
  search() {
    const { drag } = this.grasp;
    this.cease();
    if (!drag?.holds) return;
    this.cease = inSlices(drag.others(), (others) => this.put(others));
  }

  /** Show pictures of explanations. @param {Explanation[]} found */
  put(found) {
    this.found = found;
    this.next = 0;
    this.show();
  }

  /** Go to the next explanation. */
  another() {
    if (this.found.length) this.take(this.next++ % this.found.length);
    else this.grasp.say("There is no other explanation");
  }

  /** Enlarge an explanation; its small picture then shows the explanation that was large before. @param {number} i */
  take(i) {
    const { drag } = this.grasp;
    if (!drag || !this.found[i]) return;
    const own = { point: drag.point.slice(), pose: drag.pose.slice(), score: 0 };
    this.cease();
    drag.choose(this.found[i]);
    this.found[i] = own;
    this.grasp.say(`Explanation ${i + 1} of ${this.found.length}`);
    this.show();
    this.grasp.chosen();
  }

  show() {
    const { small, found, words, grasp: { drawing, explorer: { state } } } = this;
    small.hidden = !found.length;
    small.replaceChildren(...found.map(({ pose }, i) =>
      pushButton(() => this.take(i), { title: words.title, "aria-label": `${words.one} ${i + 1}` },
        smallPicture(drawing, pose, OTHER_SIZE, { theme: state.theme, turn: state.turn, tallest: 1.3 }))));
  }

  forget() {
    this.cease();
    this.found = [];
    this.show();
  }
}
