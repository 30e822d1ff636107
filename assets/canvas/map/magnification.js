// The map's other shading: how much the output changes from place to place, instead of how unsure it is.

import { element } from "../kit/dom.js";
import { formatNumber } from "../kit/format.js";
import { inSlices } from "../kit/slices.js";
import { css } from "../kit/theme.js";
import { contour, levelsBetween, smoothGrid } from "./contours.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { LatentMap } from "./map.js" */
/** @import { OutputMetric } from "./metric.js" */
/** @import { Slice } from "./model.js" */
/** @import { Piece } from "./contours.js" */

const STEP = 1e-4; // of what the points extend over: for the plane's tangents, by differences
const CELL = 9; // CSS pixels between the places that lines go by
const SURE = 0.25; // of the prior's variance: the deviation is less than half of it
const FACTOR = 4; // from line to line
const SMOOTHED = 16; // times (25 pixels): lines are of regions, the shading of what is between neighbours
const LEAST_LINE = 1e-3; // of the most, below which nothing changes that could be seen
const WAIT_MS_LINES = 120; // after the map moved

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
      for (let i = 0; i < us.length; i++) out[offset + i] = metric.magnification(...tangents(place, us[i], v, [du, dv])) ** 2;
    },
  };
}

/**
 * A place of a plane, and how it moves with the two that are shown.
 * @param {(u: number, v: number) => Float64Array} place
 * @param {number} u
 * @param {number} v
 * @param {[number, number]} steps
 * @returns {[Float64Array, Float64Array, Float64Array]}
 */
function tangents(place, u, v, [du, dv]) {
  const x = place(u, v);
  return [x, place(u + du, v).map((value, q) => (value - x[q]) / du), place(u, v + dv).map((value, q) => (value - x[q]) / dv)];
}

/** Shades a map by magnification, with lines of the mean's own where the model is sure. */
export class Magnification {
  /** @param {LatentMap} map @param {OutputMetric} metric that is prepared */
  constructor(map, metric) {
    this.map = map;
    this.metric = metric;
    /** In latent units. @type {Piece[]} */
    this.lines = [];
    /** What they are of. */
    this.found = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.cease = () => {};
  }

  /** The plane that is shown: its places in all dimensions, and steps along it. @param {Float64Array} x a point of it @returns {[(u: number, v: number) => Float64Array, [number, number]]} */
  plane(x) {
    const { near, model, state: { a, b } } = this.map;
    const follows = this.map.follows();
    const [du, dv] = [a, b].map((q) => STEP * ((range) => range[1] - range[0] || 1)(model.range(q)));
    return [(u, v) => {
      const place = x.slice();
      [place[a], place[b]] = [u, v];
      return follows ? near.follow(place) : place;
    }, [du, dv]];
  }

  /** @param {Float64Array} x a point of the plane */
  slice(x) {
    return magnificationSlice(this.metric, ...this.plane(x));
  }

  /** What the ends of the scale say. @param {number[]} range */
  words([least, most]) {
    return ["× 1", `× ${formatNumber(most / least, 2)}`];
  }

  /** Where the plane or the view changed, find the lines anew when it rests. */
  refresh() {
    const { view, width, height, state: { a, b, point } } = this.map;
    const wanted = JSON.stringify([view, width, height, a, b, this.map.follows() || Array.from(point)]);
    this.stop();
    if (wanted === this.found) return;
    this.timer = setTimeout(() => {
      this.cease = inSlices(this.find(), (lines) => {
        [this.lines, this.found] = [lines, wanted];
        this.map.drawLower();
      });
    }, WAIT_MS_LINES);
  }

  /** @returns {Generator<void, Piece[]>} */
  *find() {
    const { metric, map: { view: { u, v, su, sv }, width, height, state } } = this;
    const { model } = metric;
    const [place, steps] = this.plane(state.point);
    const [columns, rows] = [width, height].map((size) => Math.ceil(size / CELL) + 1);
    const [du, dv] = [(2 * su) / (columns - 1), (2 * sv) / (rows - 1)];
    const values = new Float64Array(columns * rows);
    for (let j = 0, at = 0; j < rows; j++) {
      for (let i = 0; i < columns; i++, at++) {
        const [x, across, up] = tangents(place, u - su + i * du, v + sv - j * dv, steps);
        const sure = model.variance(x) < SURE * model.kernelDiagonal(x);
        values[at] = sure ? metric.meanMagnification(x, across, up) : NaN;
      }
      yield;
    }
    const most = values.reduce((highest, value) => (value > highest ? value : highest), 0);
    // Smoothed as logarithms, so that a valley counts as much as a hill.
    const told = smoothGrid(values.map((value) => Math.log(Math.max(value, LEAST_LINE * most))), columns, SMOOTHED).map(Math.exp);
    return levelsBetween(told, FACTOR).flatMap((level) => contour(told, columns, level))
      .map(([x0, y0, x1, y1]) => [u - su + x0 * du, v + sv - y0 * dv, u - su + x1 * du, v + sv - y1 * dv]);
  }

  /** @param {CanvasRenderingContext2D} context */
  draw(context) {
    const { map } = this;
    context.beginPath();
    for (const [u0, v0, u1, v1] of this.lines) {
      context.moveTo(...map.toPixel(u0, v0));
      context.lineTo(...map.toPixel(u1, v1));
    }
    context.lineWidth = 1;
    context.strokeStyle = css(map.state.theme.text, 0.4);
    context.stroke();
  }

  stop() {
    clearTimeout(this.timer);
    this.cease();
  }
}

const SHADES = {
  uncertainty: { ends: ["sure", "unsure"], title: "Shading: the standard deviation of the prediction, in the units of the data" },
  magnification: { ends: ["slow", "fast"], title: "Shading: how fast the output changes with the place, beside where it does so least on this map (magnification factor). Lines: the same of the mean alone, smoothed over regions, four times as much from line to line, where the model is sure (the deviation is less than half of what it is without data)" },
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
    map.shadeBy?.stop();
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
