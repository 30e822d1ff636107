// The colours of the training points: by their labels, or by another fact (a number or a word).

import { element, fitCanvas, pushButton } from "../kit/dom.js";
import { UNCERTAINTY } from "./shade.js";
import { OWN, shadeOf } from "./switches.js";
import { bareStyle, css, heatColour, labelStyle, mix, tracePath } from "../kit/theme.js";

/** @import { Parts } from "../kit/dom.js" */
/** @import { Colour, Theme } from "../kit/theme.js" */
/** @import { MapState } from "./scene.js" */
/** @import { Tone } from "./shade.js" */
/** @import { Action } from "./state.js" */
/** @import { LatentPoints } from "../geometry/points.js" */

/**
 * Return the colour and marker of a training point.
 * @param {LatentPoints} model
 * @param {MapState} state
 * @param {number} n
 */
export function pointStyle(model, { factor, theme }, n) {
  if (factor < 0) {
    const label = model.label(n);
    return label < 0 && model.labels ? bareStyle(theme) : labelStyle(label, model.header.palette, theme);
  }
  return factStyle(model, theme, factor, model.factor(factor, n));
}

/**
 * Return the colour and marker of a value of a fact.
 * @param {LatentPoints} model
 * @param {Theme} theme
 * @param {number} factor
 * @param {number} value
 */
export function factStyle(model, theme, factor, value) {
  if (Number.isNaN(value)) return bareStyle(theme);
  if (model.factorWords(factor)) return labelStyle(value, model.header.palette, theme);
  const [low, high] = model.factorRange(factor);
  const colour = heatColour((value - low) / (high - low));
  // The scale begins almost black, which would be invisible on a dark page.
  return { colour: theme.dark ? mix(colour, [255, 255, 255], 0.25) : colour, marker: "circle" };
}

/** Draw the mark of a label for a legend. @param {{ colour: Colour, marker: string }} style */
export function markOf({ colour, marker }) {
  const mark = element("canvas", { "aria-hidden": "true" });
  const context = fitCanvas(mark, 12, 12);
  tracePath(context, marker, 6, 6, 4.4);
  context.fillStyle = css(colour);
  context.fill();
  return mark;
}

/** Return the legend's name of rows without label, or without a value of a fact. @param {number} factor */
export const bareName = (factor) => (factor < 0 ? "No label" : "Missing");

/** The menu of colourings, and the legend. */
export class Colours {
  /**
   * @param {{ parts: Parts, model: LatentPoints, state: MapState }} shown
   * @param {(action: Action) => void} choose
   */
  constructor({ parts, model, state }, choose) {
    this.parts = parts;
    this.model = model;
    this.state = state;
    this.choose = choose;
    /** The meaning of the shading's colours. @type {Tone} */
    this.tone = UNCERTAINTY;
    this.menu = parts.colour;
    if (this.menu) {
      this.list();
      this.menu.addEventListener("change", () => choose({ type: "set", name: "by", value: Number(this.menu.value) }));
    }
  }

  /** List the colourings in the menu. */
  list() {
    if (!this.menu) return;
    const { factorNames: names, own, file, header: { more_factors: more } } = this.model;
    const option = (/** @type {string} */ name, /** @type {number} */ value) => element("option", { value }, name);
    this.menu.replaceChildren(option(file.labels ? "Label" : "None", -1), ...(own ? [option("Your label", OWN)] : []), ...names.map(option));
    if (more) this.menu.append(element("option", { disabled: "" }, `${more} more ${more === 1 ? "fact is" : "facts are"} not listed`));
    this.parts["colour-field"].hidden = !names.length && !own;
  }

  show() {
    const { state } = this;
    const words = state.factor < 0 ? null : this.model.factorWords(state.factor);
    if (words) this.showWords(state.factor, words);
    else if (state.factor < 0) this.showLabels();
    else this.showScale(state.factor);
    if (this.model.lacks(state.factor)) this.parts.legend.append(element("span", { class: "bare" }, markOf(bareStyle(state.theme)), bareName(state.factor)));
    if (this.menu) this.menu.value = String(state.factor);
    this.showRamp();
  }

  /** Show the colours of the shading. */
  showRamp() {
    const { parts, state: { theme } } = this;
    const [low, high] = this.tone.ends(theme);
    parts.ramp.style.background = `linear-gradient(90deg, ${css(low)}, ${css(high)})`;
  }

  /** Show the highlighted labels. */
  mark() {
    for (const chip of this.parts.legend.querySelectorAll("[data-label]")) {
      chip.setAttribute("aria-pressed", String(this.state.selected.has(Number(chip.dataset.label))));
    }
  }

  /** @param {number} factor */
  showScale(factor) {
    const { parts, model } = this;
    const [low, high] = model.factorRange(factor);
    parts.legend.hidden = false;
    parts.legend.replaceChildren(element("span", { class: "scale" },
      `${model.factorNames[factor]}: ${model.factorText(factor, low)}`, element("i", { class: "heat" }), model.factorText(factor, high)));
  }

  /** Show the words of a column; a press on a word shades the map by its probability. @param {number} factor @param {string[]} words */
  showWords(factor, words) {
    const { parts, model, state: { theme } } = this;
    parts.legend.hidden = false;
    parts.legend.replaceChildren(...model.inOrder([...words.keys()], words).map((word) => {
      const name = words[word];
      const shade = shadeOf(model.columnOf(factor), word);
      const chip = pushButton(() => this.choose({ type: "set", name: "shade", value: chip.getAttribute("aria-pressed") === "true" ? "uncertainty" : shade }), { "data-chance": shade, title: `Shade the map by the probability of “${name}”` }, markOf(labelStyle(word, model.header.palette, theme)), name);
      return chip;
    }));
    this.markShade();
  }

  /** Show the word that shades the map. */
  markShade() {
    for (const chip of this.parts.legend.querySelectorAll("[data-chance]")) {
      chip.setAttribute("aria-pressed", String(chip.dataset.chance === this.state.shade));
    }
  }

  showLabels() {
    const { parts, model, state } = this;
    const { theme } = state;
    const present = model.inOrder(model.presentLabels(), model.header.label_names);
    parts.legend.hidden = present.length < (state.factor === OWN || model.lacks(state.factor) ? 1 : 2);
    parts.legend.replaceChildren(...present.map((label) => {
      const name = model.header.label_names[label] ?? String(label);
      return pushButton(() => this.toggle(label), { "data-label": label }, markOf(labelStyle(label, model.header.palette, theme)), name);
    }));
    this.mark();
  }

  /** @param {number} label */
  toggle(label) {
    const set = [...this.state.selected];
    this.choose({ type: "set", name: "labels", value: set.includes(label) ? set.filter((each) => each !== label) : [...set, label] });
  }
}
