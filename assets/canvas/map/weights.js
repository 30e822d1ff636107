// The dimensions by their ARD weight: a bar each, which puts its dimension onto an axis when pressed.

import { element } from "../kit/dom.js";
import { formatNumber } from "../kit/format.js";
import { pairAfter } from "../kit/pair.js";

/** @import { MapModel, MapState } from "./map.js" */

const DECADES = 4; // Below the largest weight; what is smaller still has no height.
const WORDS = "How fast the output changes along each dimension (ARD weight, logarithmic). Press a bar to put it across, with Shift up.";

/**
 * Heights of the bars, 0 to 1: logarithms of the weights below the largest.
 * @param {ArrayLike<number>} weights
 */
export function barHeights(weights) {
  const most = Math.max(...Array.from(weights));
  return Array.from(weights, (weight) => (weight > 0 ? Math.max(0, 1 + Math.log10(weight / most) / DECADES) : 0));
}

export class Weights {
  /**
   * choose(a, b): what a press asks for.
   * @param {HTMLElement} host
   * @param {MapModel} model
   * @param {MapState} state
   * @param {(a: number, b: number) => void} choose
   */
  constructor(host, model, state, choose) {
    this.state = state;
    const { header, relevance } = model;
    /** In use, most relevant first, then the others. @type {number[]} */
    const order = [...header.on, ...header.axes.keys()].filter((q, place, all) => all.indexOf(q) === place);
    const heights = barHeights(relevance);
    this.bars = order.map((q) => {
      const used = header.on.includes(q);
      const name = `${header.axes[q]}: weight ${formatNumber(relevance[q])}${used ? "" : ", switched off"}`;
      const bar = element("i", { style: `height: ${Math.round(100 * heights[q])}%` });
      const button = element("button", { type: "button", title: name, class: used ? "" : "off" }, element("span", {}, bar), String(q + 1));
      button.addEventListener("click", (event) =>
        choose(...pairAfter(event.shiftKey ? "up" : "across", q, [state.a, state.b])));
      return { q, button, name };
    });
    host.replaceChildren(element("h4", { title: WORDS }, "ARD weights"), ...this.bars.map(({ button }) => button));
    host.hidden = model.nLatent < 2;
    this.show();
  }

  /** Which bars are on the axes. */
  show() {
    const { a, b } = this.state;
    for (const { q, button, name } of this.bars) {
      const axis = q === a ? "across" : q === b ? "up" : "";
      button.setAttribute("aria-pressed", String(axis !== ""));
      button.setAttribute("aria-label", axis ? `${name}, ${axis}` : name);
    }
  }
}
