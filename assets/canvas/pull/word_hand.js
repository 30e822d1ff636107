// One column of words, to hold: a menu of its words, in which the first entry lets it go.

import { element } from "../kit/dom.js";

/** @import { WordsRow } from "../map/values.js" */
/** @import { WhatIf } from "./what_if.js" */

export class WordHand {
  /** @param {WhatIf} whatIf @param {WordsRow} line @param {number} c @param {string} name */
  constructor(whatIf, line, c, name) {
    this.whatIf = whatIf;
    this.c = c;
    this.row = line.row;
    this.free = element("option", { value: "" }, "Hold");
    this.menu = element("select", { class: "held-word", "aria-label": `Hold ${name}`, title: `Choose a word to hold ${name}` },
      this.free, ...line.words.map((word, k) => element("option", { value: k }, word)));
    this.menu.addEventListener("change", () => {
      whatIf.set(c, this.menu.value === "" ? NaN : Number(this.menu.value));
      whatIf.end();
    });
    line.host.prepend(this.menu);
    line.hand = this;
  }

  show() {
    const word = this.whatIf.heldAt(this.c);
    const held = !Number.isNaN(word);
    this.row.toggleAttribute("data-held", held);
    this.free.textContent = held ? "Let go" : "Hold";
    this.menu.value = held ? String(word) : "";
  }
}
