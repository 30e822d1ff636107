// The choice of a map's shading, beside the map's key.

import { element } from "../kit/dom.js";
import { inSlices } from "../kit/slices.js";
import { Magnification } from "./magnification.js";

/** @import { OutputMetric } from "../geometry/metric.js" */
/** @import { Explorer } from "./explorer.js" */
/** @import { Shade } from "./switches.js" */

const SHADES = {
  uncertainty: { ends: ["sure", "unsure"], title: "Shading: the standard deviation of the prediction, in the units of the data" },
  magnification: { ends: ["slow", "fast"], title: "Shading: how fast the output changes with the place, relative to the slowest place on this map (magnification factor). Lines: the same for the mean where the model is sure; each line is a factor of four." },
};

export class ShadeChoice {
  /**
   * @param {Explorer<any>} explorer
   * @param {OutputMetric} metric
   */
  constructor(explorer, metric) {
    this.explorer = explorer;
    this.metric = metric;
    /** Ends the preparation of the magnification. */
    this.cease = () => {};
    this.menu = element("select", { "aria-label": "Shading" },
      ...Object.keys(SHADES).map((name) => element("option", { value: name }, name[0].toUpperCase() + name.slice(1))));
    this.menu.addEventListener("change", () => explorer.dispatch({ type: "set", name: "shade", value: /** @type {Shade} */ (this.menu.value) }));
    explorer.parts.shade.prepend(this.menu, " ");
  }

  show() {
    const { metric, explorer: { map, state } } = this;
    this.cease();
    this.menu.value = state.chosen.shade;
    if (state.chosen.shade === "uncertainty") this.use(null);
    else this.cease = inSlices(metric.prepare(), () => this.use(new Magnification(map, metric)));
  }

  /** @param {Magnification | null} shadeBy */
  use(shadeBy) {
    const { map, controls, parts } = this.explorer;
    map.shadeBy?.stop();
    map.shadeBy = shadeBy;
    map.calibrate();
    const { ends, title } = SHADES[shadeBy ? "magnification" : "uncertainty"];
    [parts.sure.textContent, parts.unsure.textContent] = ends;
    parts.shade.title = title;
    controls.showShade();
    map.refresh();
  }

  stop() {
    this.cease();
  }
}
