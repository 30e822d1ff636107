// The map's other shading: how much the output changes from place to place, instead of how unsure it is.

import { element } from "../kit/dom.js";
import { formatNumber } from "../kit/format.js";
import { inSlices } from "../kit/slices.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { LatentMap } from "./map.js" */
/** @import { OutputMetric } from "./metric.js" */
/** @import { Slice } from "./model.js" */

const STEP = 1e-4; // of what the points extend over: for the plane's tangents, by differences

/**
 * Magnification on the plane that a map shows: √det of the metric between the plane's tangents. Where
 * the further dimensions follow the data they are functions of the two, so the tangents have them all.
 * @param {OutputMetric} metric
 * @param {(u: number, v: number) => Float64Array} place in all dimensions
 * @param {[number, number]} steps across and up
 * @returns {Slice<null>} squares, as of a deviation
 */
export function magnificationSlice(metric, place, [du, dv]) {
  return {
    columns: () => null,
    variances(us, _, v, out, offset) {
      for (let i = 0; i < us.length; i++) {
        const x = place(us[i], v);
        const across = place(us[i] + du, v).map((value, q) => (value - x[q]) / du);
        const up = place(us[i], v + dv).map((value, q) => (value - x[q]) / dv);
        out[offset + i] = metric.magnification(x, across, up) ** 2;
      }
    },
  };
}

/** Shades a map by magnification. */
export class Magnification {
  /** @param {LatentMap} map @param {OutputMetric} metric that is prepared */
  constructor(map, metric) {
    this.map = map;
    this.metric = metric;
  }

  /** @param {Float64Array} x a point of the plane */
  slice(x) {
    const { map, metric } = this;
    const { a, b } = map.state;
    const { near, model } = map;
    const follows = map.follows();
    const [du, dv] = [a, b].map((q) => STEP * ((range) => range[1] - range[0] || 1)(model.range(q)));
    return magnificationSlice(metric, (u, v) => {
      const place = x.slice();
      [place[a], place[b]] = [u, v];
      return follows ? near.follow(place) : place;
    }, [du, dv]);
  }

  /** What the ends of the scale say. @param {number[]} range */
  words([least, most]) {
    return ["× 1", `× ${formatNumber(most / least, 2)}`];
  }
}

const SHADES = {
  uncertainty: { ends: ["sure", "unsure"], title: "Shading: the standard deviation of the prediction, in the units of the data" },
  magnification: { ends: ["slow", "fast"], title: "Shading: how fast the output changes with the place, beside where it does so least on this map (magnification factor)" },
};

/**
 * A choice of what is shaded, beside the map's key.
 * @param {Explorer<any>} explorer
 * @param {OutputMetric} metric
 */
export function addShadeChoice({ map, controls, parts }, metric) {
  const choice = element("select", { "aria-label": "Shading" },
    ...Object.keys(SHADES).map((name) => element("option", { value: name }, name[0].toUpperCase() + name.slice(1))));
  const show = (/** @type {Magnification | null} */ shadeBy) => {
    map.shadeBy = shadeBy;
    map.calibrate();
    const { ends, title } = SHADES[shadeBy ? "magnification" : "uncertainty"];
    [parts.sure.textContent, parts.unsure.textContent] = ends;
    parts.shade.title = title;
    controls.showShade();
    map.refresh();
  };
  let cease = () => {};
  choice.addEventListener("change", () => {
    cease();
    if (choice.value === "uncertainty") show(null);
    else cease = inSlices(metric.prepare(), () => show(new Magnification(map, metric)));
  });
  parts.shade.prepend(choice, " ");
}
