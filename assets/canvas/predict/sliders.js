// A slider and a field for every input of a regression.

import { element } from "../kit/dom.js";

/** @import { Input, Regression } from "../geometry/regression.js" */

const SLIDER_STEPS = 200; // number of steps of a slider whose input has fractions
const STEPS = 41; // number of places of a curve
const WORD = 0.45; // half the width of a word in a curve
const RANGE_MARGIN = 0.03; // margin beside the range of an input in its curve

/** The row of an input, and a function that shows a value in it. @typedef {{ row: HTMLElement, show: (value: number) => void }} Control */

export class Sliders {
  /**
   * @param {HTMLElement} list
   * @param {Regression} model
   * @param {ArrayLike<number>} x
   * @param {(q: number, value: number) => void} set NaN: not known
   */
  constructor(list, model, x, set) {
    this.model = model;
    this.x = x;
    this.controls = model.inputs.map((input, q) => input.words.length ? this.menuOf(input, q, set) : this.sliderOf(input, q, set));
    list.replaceChildren(...this.controls.map(({ row }) => row));
    for (let q = 0; q < x.length; q++) this.show(q, x[q]);
  }

  /** @param {Input} input @param {number} q @param {(q: number, value: number) => void} set @returns {Control} */
  menuOf({ name, words }, q, set) {
    const menu = element("select", { "aria-label": name }, ...words.map((word, k) => element("option", { value: k }, word)));
    if (this.model.averages) menu.append(element("option", { value: "" }, "unknown"));
    menu.addEventListener("change", () => set(q, menu.value === "" ? NaN : Number(menu.value)));
    const row = element("label", {}, element("span", { title: name }, name), menu);
    return { row, show: (value) => { menu.value = Number.isNaN(value) ? "" : String(value); } };
  }

  /** @param {Input} input @param {number} q @param {(q: number, value: number) => void} set @returns {Control} */
  sliderOf(input, q, set) {
    const { model } = this;
    const { name, low, high } = input;
    const step = stepOf(input);
    const slider = element("input", { type: "range", min: low, max: high, step, "aria-label": name });
    const field = element("input", {
      type: "number", step: input.whole ? 1 : "any", "aria-label": `${name}, number`,
      title: `${name}: ${shortNumber(low)} to ${shortNumber(high)} in the data${model.averages ? ". Empty: unknown." : ""}`,
      placeholder: model.averages ? "unknown" : "",
    });
    const row = element("label", {}, element("span", { title: name }, name), slider, field);
    slider.addEventListener("input", () => set(q, this.rounded(q, Number(slider.value))));
    field.addEventListener("input", () => {
      const value = field.value === "" ? NaN : Number(field.value);
      if (field.validity.badInput || (Number.isNaN(value) && !model.averages)) return;
      set(q, value);
    });
    // A field with invalid text shows the last valid value again.
    field.addEventListener("blur", () => this.show(q, this.x[q]));
    const show = (/** @type {number} */ value) => {
      if (!Number.isNaN(value)) slider.value = String(value);
      if (/** @type {Document | ShadowRoot} */ (field.getRootNode()).activeElement !== field) field.value = Number.isNaN(value) ? "" : shortNumber(value);
      else if (!field.validity.badInput && field.value !== "" && Number(field.value) !== value) field.value = shortNumber(value);
    };
    return { row, show };
  }

  /** @param {number} q @param {number} value */
  show(q, value) {
    const { row, show } = this.controls[q];
    row.classList.toggle("unknown", Number.isNaN(value));
    show(value);
  }

  /** Round a slider's value to the digits that its step needs. @param {number} q @param {number} value */
  rounded(q, value) {
    const input = this.model.inputs[q];
    if (input.whole) return Math.round(value);
    const digits = Math.max(0, Math.ceil(-Math.log10(stepOf(input))));
    return Number(value.toFixed(Math.min(digits, 12)));
  }
}

/** @param {Input} input */
function stepOf({ low, high, whole }) {
  return whole ? 1 : 10 ** Math.floor(Math.log10((high - low) / SLIDER_STEPS));
}

/** Return a number as a field shows it. @param {number} value */
function shortNumber(value) {
  return String(Number(value.toPrecision(6)));
}

/** Return the places of an input's curve; a word is as wide as its part of the axis. @param {Input} input */
export function gridOf({ low, high, words }) {
  if (words.length) return Float64Array.from(words.flatMap((_, k) => [k - WORD, k + WORD]));
  return Float64Array.from({ length: STEPS }, (_, n) => low + ((high - low) * n) / (STEPS - 1));
}

/** Return the ends of an input's curve. @param {Input} input @returns {[number, number]} */
export function rangeOf({ low, high, words }) {
  if (words.length) return [low - 0.5, high + 0.5];
  const margin = RANGE_MARGIN * (high - low);
  return [low - margin, high + margin];
}
