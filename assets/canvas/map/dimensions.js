// The strip of dimensions: each has its ARD weight, a button that puts it on an axis, and the point's coordinate.

import { element, pushButton } from "../kit/dom.js";
import { formatCoordinate, formatNumber } from "../kit/format.js";
import { smallPicture } from "../kit/output.js";
import { pairAfter } from "../kit/pair.js";
import { START_TURN } from "../kit/turn.js";

/** @import { Explorer } from "./explorer.js" */

const DECADES = 4; // a weight this many powers of ten below the largest has a bar of length 0
const FRAMES = 5; // number of pictures along a dimension
const LEAST_CORRELATION = 0.3; // weaker correlations with facts of the rows are not mentioned
const WAIT_MS = 160; // delay before pictures are shown, so that a passing pointer does not open them
const WORDS = "Bars show how fast the output changes along each dimension. Press a name to put the dimension on an axis; point at a row to see the dimension's effect.";

/**
 * Return the lengths of the bars, 0 to 1: weights relative to the largest, or their logarithms.
 * @param {ArrayLike<number>} weights
 * @param {boolean} logarithmic
 */
export function barLengths(weights, logarithmic) {
  const most = Math.max(...Array.from(weights));
  if (!(most > 0)) return Array.from(weights, () => 0);
  return Array.from(weights, (weight) => (logarithmic
    ? (weight > 0 ? Math.max(0, 1 + Math.log10(weight / most) / DECADES) : 0) : weight / most));
}

export class DimensionStrip {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.host = explorer.parts.dimensions;
    this.logarithmic = true;
    /** @type {{ q: number, input: HTMLInputElement, value: HTMLElement, row: HTMLElement, axis: HTMLButtonElement }[]} */
    this.rows = [];
    this.film = element("div", { class: "film", hidden: "" });
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** Build the rows in their groups; called again when the used dimensions or the axes change. */
  build() {
    const { explorer } = this;
    const lengths = barLengths(explorer.model.relevance, this.logarithmic);
    this.rows = [];
    /** @type {HTMLElement[]} */
    const shown = [];
    /** @type {number[]} */
    const off = [];
    for (const { title, heading, dims, used } of explorer.groups()) {
      if (!used) off.push(...dims);
      if (!used || !dims.length) continue;
      if (heading) shown.push(element("h3", {}, title));
      for (const q of dims) {
        const row = this.row(q, lengths[q]);
        this.rows.push(row);
        shown.push(row.row);
      }
    }
    const scale = pushButton(() => {
      this.logarithmic = !this.logarithmic;
      this.build();
      this.show();
      this.host.querySelector(".plain")?.focus();
    }, { class: "plain", title: "How the bars are drawn" }, this.logarithmic ? "log" : "linear");
    const take = pushButton(() => this.takeFromNearest(), { "data-part": "take" }, "Take from nearest point");
    this.host.replaceChildren(
      element("h2", { title: WORDS }, "What matters most", scale), this.film, ...shown,
      ...(off.length ? [this.switchedOff(off)] : []),
      ...(explorer.map.canFollow() ? [take] : []),
    );
    explorer.parts.strip.hidden = explorer.model.nLatent < 2;
  }

  /** @param {number} q @param {number} length of its bar */
  row(q, length) {
    const { model, state } = this.explorer;
    const [low, high] = model.range(q);
    const margin = 0.1 * (high - low) || 1;
    const name = model.header.axes[q];
    const axis = this.axisButton(q, element("i", { style: `width: ${Math.round(100 * length)}%` }), element("span", {}, name));
    const input = element("input", { type: "range", min: low - margin, max: high + margin, step: "any" });
    const value = element("output");
    input.addEventListener("input", () => this.explorer.fix(q, Number(input.value)));
    const row = element("div", { class: "dimension", "data-q": q }, axis, input, value);
    const look = () => this.look(q, row);
    const leave = () => this.look(null, row);
    for (const come of ["pointerenter", "focusin"]) row.addEventListener(come, look);
    for (const go of ["pointerleave", "focusout", "pointerdown"]) row.addEventListener(go, leave);
    input.disabled = state.held.has(q);
    return { q, input, value, row, axis };
  }

  /** @param {number} q @param {...(Node | string)} children */
  axisButton(q, ...children) {
    const { model, state } = this.explorer;
    const title = `${model.header.axes[q]}: ARD weight ${formatNumber(model.relevance[q])}. Press for the horizontal axis, with Shift for the vertical one.`;
    return pushButton((event) => {
      // A press on the horizontal dimension makes it vertical, since touch screens have no Shift key.
      const side = event.shiftKey || q === state.a ? "up" : "across";
      this.explorer.setPair(...pairAfter(side, q, [state.a, state.b]));
    }, { class: "axis", title }, ...children);
  }

  /** Return one line with the unused dimensions. @param {number[]} off */
  switchedOff(off) {
    return element("p", { class: "off" }, "Switched off: ", ...off.map((q) => this.axisButton(q, String(q + 1))));
  }

  /** Set the dimensions outside the plane to the values of the training point that is nearest in the plane. */
  takeFromNearest() {
    const { model, state: { point, a, b } } = this.explorer;
    const nearest = model.position(model.nearest(point, [a, b]));
    [nearest[a], nearest[b]] = [point[a], point[b]];
    this.explorer.arrive(nearest);
  }

  /** Mark the dimensions on the axes. */
  show() {
    const { a, b } = this.explorer.state;
    for (const { q, axis } of this.rows) {
      const side = q === a ? "across" : q === b ? "up" : "";
      axis.setAttribute("aria-pressed", String(side !== ""));
      axis.dataset.axis = side;
    }
  }

  /**
   * Sliders show the chosen point; sliders of dimensions that follow the data show the current point.
   * @param {ArrayLike<number>} shown
   */
  showPoint(shown) {
    const { state, map, model } = this.explorer;
    const follows = map.follows();
    for (const { q, input, value } of this.rows) {
      const outside = q !== state.a && q !== state.b;
      const at = follows || !outside ? shown[q] : state.point[q];
      input.value = String(at);
      value.textContent = model.coordinate(q, at);
      const words = outside ? (follows ? "where the data are, at" : "fixed at") : "on the map, at";
      input.setAttribute("aria-label", `Dimension ${q + 1}, ${words} ${model.coordinate(q, at)}`);
    }
  }

  // --- the effect of a dimension ------------------------------------------------------------------

  /** Show pictures along a dimension after a delay; null hides them. @param {number | null} q @param {HTMLElement} row */
  look(q, row) {
    clearTimeout(this.timer);
    if (q === null) {
      this.film.hidden = true;
      return;
    }
    this.timer = setTimeout(() => {
      this.draw(q);
      this.film.style.bottom = `${this.host.clientHeight - row.offsetTop + 2}px`;
    }, WAIT_MS);
  }

  /** Draw the outputs along a dimension, from end to end, with all other coordinates of the chosen point. @param {number} q */
  draw(q) {
    const { model, state } = this.explorer;
    const [output] = model.pictured;
    const width = Math.floor((this.host.clientWidth - 4 * (FRAMES + 1)) / FRAMES);
    const [low, high] = model.range(q);
    const values = new Float64Array(output.nOutputs);
    const companion = model.companion(q);
    const words = companion && Math.abs(companion.r) >= LEAST_CORRELATION ? `goes with “${companion.name}” (r = ${formatCoordinate(companion.r)})` : "";
    this.film.replaceChildren(...(words ? [element("p", {}, words)] : []), ...Array.from({ length: FRAMES }, (_, i) => {
      const point = state.point.slice();
      point[q] = low + (i / (FRAMES - 1)) * (high - low);
      output.predict(point, values);
      return smallPicture(output.drawing, values, width, { theme: state.theme, turn: START_TURN });
    }));
    this.film.hidden = false;
  }

  stop() {
    clearTimeout(this.timer);
  }
}
