// The figures of a deep regression's layers: each layer's outputs over one input.

import { Graph, roomFor } from "../deep/graph.js";
import { element } from "../kit/dom.js";
import { css } from "../kit/theme.js";
import { gridOf, rangeOf } from "./sliders.js";

/** @import { Regression } from "../geometry/regression.js" */
/** @import { Parts } from "../kit/dom.js" */
/** @import { Theme } from "../kit/theme.js" */

const MOST_HIDDEN = 4; // the most outputs of a hidden layer that are drawn

export class LayersPanel {
  /** @param {Parts} parts @param {Regression} model @param {number} first the input that is chosen initially */
  constructor(parts, model, first) {
    this.model = model;
    this.select = /** @type {HTMLSelectElement} */ (parts.from);
    this.select.replaceChildren(...model.inputs.map(({ name }, q) => element("option", { value: q }, `Over ${name}`)));
    this.select.value = String(first);
    parts.verdict.textContent = verdictInWords(model.header.verdicts);
    const last = model.layers.length - 1;
    this.panels = model.layers.flatMap((layer, number) => Array.from({ length: Math.min(layer.nOutputs, MOST_HIDDEN) }, (_, d) => {
      const canvas = element("canvas", { role: "img" });
      const title = number === last ? model.header.target : `Layer ${number + 1}, output ${d + 1}`;
      canvas.setAttribute("aria-label", `${title} over the chosen input`);
      return { number, d, canvas, figure: element("figure", {}, canvas, element("figcaption", {}, element("b", {}, title))) };
    }));
    parts.layers.replaceChildren(...this.panels.map(({ figure }) => figure));
  }

  /** @param {() => void} changed */
  onChange(changed) {
    this.select.addEventListener("change", changed);
  }

  /** @param {Float64Array} x @param {Theme} theme */
  draw(x, theme) {
    const { model, panels } = this;
    const q = Number(this.select.value);
    const grid = gridOf(model.inputs[q]);
    const place = Float64Array.from(x);
    const found = Array.from(grid, (value) => {
      place[q] = value;
      return model.through(place);
    });
    for (const { number, d, canvas } of panels) {
      if (!canvas.clientWidth) continue;
      const mean = found.map((layers) => layers[number].mean[d]);
      const edge = (/** @type {number} */ side) => found.map((layers) => layers[number].mean[d] + 2 * side * Math.sqrt(layers[number].variance[d]));
      const [lower, upper] = [edge(-1), edge(1)];
      const graph = new Graph(canvas, rangeOf(model.inputs[q]), roomFor([lower, upper]), theme);
      graph.axes(3, { across: model.inputs[q].words });
      graph.clip();
      graph.band(grid, lower, upper, css(theme.accent, theme.dark ? 0.3 : 0.16));
      graph.line(grid, mean, css(theme.accent), 2.2);
      graph.context.restore();
    }
  }
}

/** Describe whether each layer is on. @param {string[]} verdicts one per layer, the first layer first */
export function verdictInWords(verdicts) {
  const off = verdicts.filter((verdict) => verdict.includes(" off"));
  const words = "Each curve is the output of a layer while one input moves; the band shows its uncertainty. ";
  if (!off.length) return `${words}Every layer is in use.`;
  return `${words}${off.length} of ${verdicts.length} layers ${off.length === 1 ? "is" : "are"} off, so a model with fewer layers does the same.`;
}
