// The choice of a map's shading, beside the map's key.

import { element } from "../kit/dom.js";
import { inSlices } from "../kit/slices.js";
import { Chance } from "./chance.js";
import { Magnification } from "./magnification.js";
import { UNCERTAINTY } from "./shade.js";
import { chancesOf } from "./switches.js";

/** @import { OutputMetric } from "../geometry/metric.js" */
/** @import { Explorer } from "./explorer.js" */

const SHADES = {
  uncertainty: { ends: ["sure", "unsure"], title: "Shading: the standard deviation of the prediction, in the units of the data" },
  magnification: { ends: ["slow", "fast"], title: "Shading: how fast the output changes with the place, relative to the slowest place on this map (magnification factor). Lines show the mean output's magnification where the model is sure; each line is a factor of four." },
};
const WITHOUT_UNITS = "Shading: the standard deviation of the prediction, as a share of the data's";

export class ShadeChoice {
  /**
   * @param {Explorer<any>} explorer
   * @param {OutputMetric | null} metric
   */
  constructor(explorer, metric) {
    this.explorer = explorer;
    this.metric = metric;
    /** The words whose probabilities can shade the map. */
    this.chances = chancesOf(explorer.model.table?.cells ?? []);
    /** Ends the preparation of the magnification. */
    this.cease = () => {};
    const option = (/** @type {string} */ value, /** @type {string} */ text) => element("option", { value }, text);
    const names = [...new Set(this.chances.map(({ name }) => name))];
    this.menu = element("select", { "aria-label": "Shading" },
      ...Object.keys(SHADES).filter((name) => explorer.state.chosen.offer.shades.includes(name)).map((name) => option(name, name[0].toUpperCase() + name.slice(1))),
      ...names.map((name) => element("optgroup", { label: `Probability: ${name}` }, ...this.chances.filter((each) => each.name === name).map(({ shade, text }) => option(shade, text)))));
    this.menu.addEventListener("change", () => explorer.dispatch({ type: "set", name: "shade", value: this.menu.value }));
    explorer.parts.shade.prepend(this.menu, " ");
  }

  show() {
    const { metric, explorer: { map, state, model } } = this;
    this.cease();
    const { shade } = state.chosen;
    this.menu.value = shade;
    const chance = this.chances.find((each) => each.shade === shade);
    if (chance) this.use(new Chance(map, model.table, chance.column, chance.word), ["", ""], `Shading: the probability of “${chance.text}” in the column ${chance.name}`);
    else if (shade === "magnification" && metric) {
      const { ends, title } = SHADES.magnification;
      this.cease = inSlices(metric.prepare(), () => this.use(new Magnification(map, metric), ends, title));
    } else this.use(null, SHADES.uncertainty.ends, model.table ? WITHOUT_UNITS : SHADES.uncertainty.title);
  }

  /** @param {Magnification | Chance | null} shadeBy @param {string[]} ends in words @param {string} title */
  use(shadeBy, ends, title) {
    const { map, controls, parts } = this.explorer;
    map.shadeBy?.stop();
    map.shadeBy = shadeBy;
    map.shading.tone = controls.colours.tone = shadeBy instanceof Chance ? shadeBy.tone : UNCERTAINTY;
    map.calibrate();
    [parts.sure.textContent, parts.unsure.textContent] = ends;
    parts.shade.title = title;
    controls.showShade();
    controls.colours.showRamp();
    map.refresh();
  }

  stop() {
    this.cease();
  }
}
