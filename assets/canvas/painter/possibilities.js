// Other completions of the hidden part: alternatives with their weights, and samples.

import { Cards } from "../kit/cards.js";
import { element } from "../kit/dom.js";
import { formatShare } from "../kit/format.js";

/** @import { Frame } from "../kit/frame.js" */

const USUAL_CARDS = 7; // the number of pictures that fill the width; fewer pictures do not grow

export class Possibilities extends Cards {
  /** The header of the shown completions, which identifies their request. @type {any} */
  shown = null;

  /** Remove the pictures: nothing is hidden, or there is no result. @override */
  clear() {
    this.shown = null;
    super.clear();
  }

  /** Fade the completions of an earlier request until the new ones arrive. @param {{ item: string, mask: string }} question */
  expect({ item, mask }) {
    this.section.classList.toggle("stale", !(this.shown && this.shown.item === item && this.shown.mask === mask));
  }

  /** @param {Frame} content from wire/completion.py, pack_possibilities */
  load({ header, arrays, shapes }) {
    this.section.classList.remove("stale");
    this.shown = header;
    /** @type {number[]} */
    const weights = header.weights;
    const D = shapes.samples[1];
    /** @type {(array: Float32Array, i: number) => Float32Array} */
    const row = (array, i) => array.subarray(i * D, (i + 1) * D);
    const heading = element("h2", {}, "Other possibilities");
    if (weights.length === 1) heading.append(element("small", {}, "Only one place on the map fits the visible part"));
    this.show(heading, [
      {
        title: "Alternatives and their weights",
        note: "Different places on the map that fit the visible part; the completion is their weighted mean",
        // A single alternative is the completion itself, so it is not shown.
        cards: (weights.length > 1 ? weights : []).map((weight, i) => ({
          values: row(arrays.alternatives, i), caption: formatShare(weight), weight, alt: `Alternative ${i + 1}, weight ${formatShare(weight)}`,
        })),
      },
      {
        title: "Samples of the hidden part",
        note: "Random values for the hidden part, including noise",
        cards: Array.from({ length: shapes.samples[0] }, (_, i) => ({
          values: row(arrays.samples, i), caption: `draw ${i + 1}`, alt: `Sample ${i + 1}`,
        })),
      },
    ], USUAL_CARDS);
    this.draw();
  }
}
