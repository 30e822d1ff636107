// The menus of the two dimensions of a plane, and the button that swaps them.

import { element } from "./dom.js";

/** @import { Parts } from "./dom.js" */

/**
 * A group of dimensions in menus and sliders; dimensions in use have sliders.
 * @typedef {object} Group
 * @property {string} [id]
 * @property {string} title
 * @property {number[]} dims
 * @property {boolean} used
 * @property {boolean} [heading] above the group's sliders
 * @property {string} [words]
 * @property {string} [subject] name of the group, inside a sentence
 */

/**
 * Return two groups: the dimensions that a model uses, and the others.
 * @param {number[]} on
 * @param {number} count the number of all dimensions
 * @returns {Group[]}
 */
export function usedGroups(on, count) {
  const off = Array.from({ length: count }, (_, q) => q).filter((q) => !on.includes(q));
  return [
    { title: "In use, by relevance", dims: on, used: true },
    { title: "Switched off by the model", dims: off, used: false },
  ];
}

/**
 * Return the pair after a dimension was chosen for one side; choosing the other side's dimension swaps the two.
 * @param {"across" | "up"} side
 * @param {number} q
 * @param {[number, number]} pair
 * @param {(taken: number) => number} [spare] returns a dimension other than `taken`; needed if a swap would move time to a side that cannot show it
 * @returns {[number, number]}
 */
export function pairAfter(side, q, [a, b], spare = () => a) {
  if (side === "across") return [q, q === b ? (a < 0 ? spare(q) : a) : b];
  return [q === a ? b : a, q];
}

export class PairMenus {
  /**
   * Put the menus `across` and `up`, and the button `swap` between them, into the part `pair`.
   * @param {Parts} parts
   * @param {{ a: number, b: number }} state
   * @param {(a: number, b: number) => void} choose
   * @param {(taken: number) => number} [spare] see pairAfter
   */
  constructor(parts, state, choose, spare) {
    const swap = `Swap the two ${parts.pair.dataset.word}`;
    const built = {
      across: element("select", { "data-part": "across" }),
      swap: element("button", { type: "button", class: "icon", "data-part": "swap", title: swap, "aria-label": swap }, "⇄"),
      up: element("select", { "data-part": "up" }),
    };
    const field = (/** @type {string} */ name, /** @type {HTMLElement} */ menu) => element("label", { class: "field" }, element("span", {}, name), menu);
    parts.pair.replaceChildren(field("Across", built.across), built.swap, field("Up", built.up));
    this.parts = Object.assign(parts, built);
    this.state = state;
    for (const side of /** @type {const} */ (["across", "up"])) {
      parts[side].addEventListener("change", () => {
        const [a, b] = pairAfter(side, Number(parts[side].value), [state.a, state.b], spare);
        choose(a, b);
      });
    }
    parts.swap.addEventListener("click", () => choose(state.b, state.a));
  }

  /**
   * Fill the menus.
   * @param {Group[]} groups
   * @param {string[]} names of the dimensions
   * @param {boolean} time whether time can be the horizontal axis, as −1
   */
  fill(groups, names, time = false) {
    for (const side of ["across", "up"]) {
      const menu = groups.map(({ title, dims }) =>
        element("optgroup", { label: title }, ...dims.map((q) => element("option", { value: q }, names[q]))));
      if (time && side === "across") this.parts[side].replaceChildren(element("option", { value: -1 }, "Time"), ...menu);
      else this.parts[side].replaceChildren(...menu);
    }
  }

  show() {
    this.parts.across.value = String(this.state.a);
    this.parts.up.value = String(this.state.b);
  }
}
