// The colours of the training points: by label, or by a numeric fact of the rows.

import { element, fitCanvas } from "../kit/dom.js";
import { formatNumber } from "../kit/format.js";
import { css, heatColour, labelStyle, mix, tracePath } from "../kit/theme.js";

/** @import { Parts } from "../kit/dom.js" */
/** @import { Theme } from "../kit/theme.js" */
/** @import { MapState } from "./scene.js" */
/** @import { Action } from "./state.js" */
/** @import { LatentPoints } from "../geometry/points.js" */

/**
 * Colour and marker of a training point.
 * @param {LatentPoints} model
 * @param {MapState} state
 * @param {number} n
 */
export function pointStyle(model, { factor, theme }, n) {
  if (factor < 0) return labelStyle(model.label(n), model.header.palette, theme);
  return factStyle(model, theme, factor, model.factor(factor, n));
}

/**
 * Colour and marker of a value of a fact.
 * @param {LatentPoints} model
 * @param {Theme} theme
 * @param {number} factor
 * @param {number} value
 */
export function factStyle(model, theme, factor, value) {
  const [low, high] = model.factorRange(factor);
  if (Number.isNaN(value)) return { colour: theme.faint, marker: "circle" };
  const colour = heatColour((value - low) / (high - low));
  // The scale begins almost black.
  return { colour: theme.dark ? mix(colour, [255, 255, 255], 0.25) : colour, marker: "circle" };
}

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
    const names = model.factorNames;
    this.menu = parts.colour;
    if (this.menu) {
      const labels = model.labels ? "Label" : "None";
      this.menu.replaceChildren(...[labels, ...names].map((name, i) => element("option", { value: i - 1 }, name)));
      const more = model.header.more_factors;
      if (more) this.menu.append(element("option", { disabled: "" }, `${more} more ${more === 1 ? "fact is" : "facts are"} not offered`));
      parts["colour-field"].hidden = !names.length;
      this.menu.addEventListener("change", () => choose({ type: "set", name: "by", value: Number(this.menu.value) }));
    }
  }

  show() {
    const { parts, state } = this;
    if (state.factor < 0) this.showLabels();
    else this.showScale(state.factor);
    if (this.menu) this.menu.value = String(state.factor);
    parts.ramp.style.background = `linear-gradient(90deg, ${css(state.theme.known)}, ${css(state.theme.unknown)})`;
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
      `${model.factorNames[factor]}: ${formatNumber(low)}`, element("i", { class: "heat" }), formatNumber(high)));
  }

  showLabels() {
    const { parts, model, state } = this;
    const { theme } = state;
    const present = model.presentLabels();
    parts.legend.hidden = present.length < 2;
    parts.legend.replaceChildren(...present.map((label) => {
      const mark = element("canvas", { "aria-hidden": "true" });
      const { colour, marker } = labelStyle(label, model.header.palette, theme);
      const context = fitCanvas(mark, 12, 12);
      tracePath(context, marker, 6, 6, 4.4);
      context.fillStyle = css(colour);
      context.fill();
      const name = model.header.label_names[label] ?? String(label);
      const chip = element("button", { type: "button", "data-label": label }, mark, name);
      chip.addEventListener("click", () => this.toggle(label));
      return chip;
    }));
    this.mark();
  }

  /** @param {number} label */
  toggle(label) {
    const set = [...this.state.selected];
    this.choose({ type: "set", name: "labels", value: set.includes(label) ? set.filter((each) => each !== label) : [...set, label] });
  }
}
