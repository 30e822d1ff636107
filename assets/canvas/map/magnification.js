// The map's alternative shading: how fast the output changes with the place, with contour lines.

import { magnificationLines, magnificationSlice } from "../geometry/magnification.js";
import { formatNumber } from "../kit/format.js";
import { inkPath } from "../kit/ink.js";
import { inSlices } from "../kit/slices.js";
import { css } from "../kit/theme.js";

/** @import { LatentMap } from "./map.js" */
/** @import { OutputMetric } from "../geometry/metric.js" */
/** @import { Slice } from "../geometry/slice.js" */
/** @import { Piece } from "../geometry/contours.js" */

const STEP = 1e-4; // step of the finite differences for tangents, as a fraction of the points' range
const WAIT_MS_LINES = 120; // pause after a move of the map, before lines are computed

/** Shading by magnification, with contour lines of the mean's magnification where the model is sure. */
export class Magnification {
  /** @param {LatentMap} map @param {OutputMetric} metric after `prepare` */
  constructor(map, metric) {
    this.map = map;
    this.metric = metric;
    /** The contour lines in latent units. @type {Piece[]} */
    this.lines = [];
    /** The state on which the lines depend. */
    this.found = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.cease = () => {};
  }

  /** Return the shown plane: places in all dimensions, and steps along the plane. @param {Float64Array} x a point of it @returns {[(u: number, v: number) => Float64Array, [number, number]]} */
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

  /** Return the labels at the ends of the scale. @param {number[]} range */
  words([least, most]) {
    return ["× 1", `× ${formatNumber(most / least, 2)}`];
  }

  /** Recompute the lines after a change of the plane or view, once the map rests. */
  refresh() {
    const { view, width, height, state: { a, b, point } } = this.map;
    const wanted = JSON.stringify([view, width, height, a, b, this.map.follows() || Array.from(point)]);
    this.stop();
    if (wanted === this.found) return;
    this.timer = setTimeout(() => {
      this.cease = inSlices(magnificationLines(this.metric, ...this.plane(point), view, width, height), (lines) => {
        [this.lines, this.found] = [lines, wanted];
        this.map.drawLower();
      });
    }, WAIT_MS_LINES);
  }

  /** @param {CanvasRenderingContext2D} context */
  draw(context) {
    const { map } = this;
    context.beginPath();
    for (const [u0, v0, u1, v1] of this.lines) {
      context.moveTo(...map.toPixel(u0, v0));
      context.lineTo(...map.toPixel(u1, v1));
    }
    inkPath(context, { line: css(map.state.theme.text, 0.4) });
  }

  stop() {
    clearTimeout(this.timer);
    this.cease();
  }
}
