// The latent path of a sequence among the training points: its tube of two standard deviations, its
// colours of time, and its current position. Axis −1 is time.

import { drawAxisNames, drawMapAxes } from "../kit/axes.js";
import { fitCanvas } from "../kit/dom.js";
import { inkDisc, inkLine, inkPath } from "../kit/ink.js";
import { PlaneView, framed } from "../kit/plane.js";
import { css } from "../kit/theme.js";
import { timeColour } from "./reel.js";

/** @import { PlayerState, Reel, Stage } from "./reel.js" */

const TUBE = 2; // half the tube's width, in standard deviations
const TRAIL_SECONDS = 1.2;
export const FORECAST = [213, 94, 0];
const RINGS = 8;

export class Trajectory extends PlaneView {
  /** The training points; undefined until they have arrived. @type {Stage} */
  stage;
  /** The sequence; undefined until it has arrived. @type {Reel} */
  reel;
  /** Whether the view has been fitted to the path. */
  fitted = false;
  /** Position and half axes of the tube at every frame, in CSS pixels. @type {number[][]} */
  places = [];
  /** The frame that the pointer drags. @type {number | null} */
  frame = null;

  /**
   * state: {a, b, time, theme, show: {tube, points}}; seek(time): called by the pointer.
   * @param {HTMLCanvasElement} lower
   * @param {HTMLCanvasElement} upper
   * @param {PlayerState} state
   * @param {(time: number) => void} seek
   */
  constructor(lower, upper, state, seek) {
    super();
    this.lower = lower;
    this.upper = upper;
    this.state = state;
    this.seek = seek;
    upper.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !this.reel?.nLatent) return;
      upper.setPointerCapture(event.pointerId);
      this.frame = null;
      this.grab(event);
    });
    upper.addEventListener("pointermove", (event) => {
      if (event.buttons && upper.hasPointerCapture(event.pointerId)) this.grab(event);
    });
  }

  /** @param {Stage} stage */
  setStage(stage) {
    this.stage = stage;
  }

  /** @param {Reel} reel */
  setReel(reel) {
    this.reel = reel;
    this.fit();
  }

  /** @param {number} width @param {number} height */
  resize(width, height) {
    [this.width, this.height] = [width, height];
    this.drawLower();
  }

  // --- positions ------------------------------------------------------------------------------

  /** Return the coordinate of the path's frame i on an axis. @param {number} i @param {number} axis */
  at(i, axis) {
    return axis < 0 ? this.reel.times[i] : this.reel.arrays.latent_mean[i * this.reel.nLatent + axis];
  }

  /** Return half the tube's width at frame i along an axis. @param {number} i @param {number} axis */
  reach(i, axis) {
    const variance = this.reel.arrays.latent_variance;
    return axis < 0 || !variance ? 0 : TUBE * Math.sqrt(variance[i * this.reel.nLatent + axis]);
  }

  /** Fit the view to the path, its tube and the training points. */
  fit() {
    if (!this.reel || !this.stage) return;
    const { latent } = this.stage.arrays;
    const { nLatent } = this.stage;
    const range = (/** @type {number} */ axis) => {
      let [low, high] = [Infinity, -Infinity];
      const take = (/** @type {number} */ value, half = 0) => {
        low = Math.min(low, value - half);
        high = Math.max(high, value + half);
      };
      if (axis >= 0) for (let n = axis; n < latent.length; n += nLatent) take(latent[n]);
      if (this.reel.nLatent || axis < 0) for (let i = 0; i < this.reel.count; i++) take(this.at(i, axis), this.reach(i, axis));
      return framed([low, high], axis < 0 ? 0.04 : 0.12);
    };
    const [u, su] = range(this.state.a);
    const [v, sv] = range(this.state.b);
    this.show({ u, v, su, sv });
    this.fitted = true;
    this.drawLower();
  }

  /** Return the pixel position and the half axes of the tube at frame i. @param {number} i */
  pixel(i) {
    const { a, b } = this.state;
    const [x, y] = this.toPixel(this.at(i, a), this.at(i, b));
    const { view, width, height } = this;
    return [x, y, (this.reach(i, a) / (2 * view.su)) * width, (this.reach(i, b) / (2 * view.sv)) * height];
  }

  /** Return the pixel position and the half axes of the tube at any time, interpolated between frames. @param {number} time */
  pixelAt(time) {
    const { frame, share } = this.reel.place(time);
    const here = this.pixel(frame);
    if (!share) return here;
    const next = this.pixel(frame + 1);
    return here.map((value, k) => value + share * (next[k] - value));
  }

  /**
   * Select the path's frame under the pointer; during a drag, prefer frames near the current one.
   * @param {PointerEvent} event
   */
  grab(event) {
    const box = this.upper.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let [best, least] = [0, Infinity];
    for (let i = 0; i < this.reel.count; i++) {
      const [px, py] = this.places[i];
      const far = this.frame === null ? 0 : Math.min(Math.abs(i - this.frame), 60);
      const cost = (px - x) ** 2 + (py - y) ** 2 + far ** 2;
      if (cost < least) [best, least] = [i, cost];
    }
    this.frame = best;
    this.seek(this.reel.times[best]);
  }

  // --- drawing --------------------------------------------------------------------------------

  drawLower() {
    if (!this.width || !this.fitted) return;
    const context = fitCanvas(this.lower, this.width, this.height);
    const { theme, show } = this.state;
    context.fillStyle = css(theme.known);
    context.fillRect(0, 0, this.width, this.height);
    const { a, b } = this.state;
    const name = (/** @type {number} */ axis) => (axis < 0 ? "Time" : this.stage.header.axes[axis]);
    const dated = a < 0 && this.reel.header.dates.length > 0;
    drawMapAxes(context, this, theme, undefined, undefined, dated ? (low, high, count) => this.reel.ticks(low, high, count) : undefined);
    if (show.points) this.drawPoints(context);
    drawAxisNames(context, this, [name(a), name(b)], theme);
    if (!this.reel.nLatent) return;
    this.places = Array.from({ length: this.reel.count }, (_, i) => this.pixel(i));
    if (show.tube && this.reel.arrays.latent_variance) this.drawTube(context);
    this.drawPath(context);
  }

  /** Draw all training points faintly; if time is the horizontal axis, only those of this sequence. @param {CanvasRenderingContext2D} context */
  drawPoints(context) {
    const { latent } = this.stage.arrays;
    const { nLatent } = this.stage;
    const { a, b, theme } = this.state;
    if (a < 0) return;
    const ink = { fill: css(theme.text, 0.2) };
    for (let n = 0; n < latent.length; n += nLatent) inkDisc(context, ...this.toPixel(latent[n + a], latent[n + b]), 2.2, ink);
  }

  /** @param {CanvasRenderingContext2D} context */
  drawTube(context) {
    const { theme } = this.state;
    const turn = this.reel.firstForecast;
    const last = this.reel.count - 1;
    const knownEnd = turn < 0 ? last : Math.max(turn - 1, 0);
    if (turn !== 0) this.fillTube(context, 0, knownEnd, css(theme.accent, theme.dark ? 0.3 : 0.2));
    // If time is the horizontal axis, a forecast is beside the observed part. On a map it would cover this part.
    if (turn >= 0 && this.state.a < 0) this.fillForecast(context, last);
  }

  /**
   * Fill the tube of the forecast from the last observed frame up to a frame.
   * @param {CanvasRenderingContext2D} context
   * @param {number} until
   */
  fillForecast(context, until) {
    this.fillTube(context, Math.max(this.reel.firstForecast - 1, 0), until, css(FORECAST, this.state.theme.dark ? 0.26 : 0.16));
  }

  /** The last forecast frame that the map shows; −1 while the time is within the data. */
  get forecastShown() {
    const { a, show, time } = this.state;
    const shown = a >= 0 && show.tube && this.reel.arrays.latent_variance && this.reel.isForecast(time);
    return shown ? this.reel.nearest(time) : -1;
  }

  /**
   * Draw the ellipses of a forecast's tube at a few times up to a frame, to show how the tube widens.
   * @param {CanvasRenderingContext2D} context
   * @param {number} until
   */
  drawRings(context, until) {
    const first = this.reel.firstForecast;
    const step = Math.max((this.reel.count - 1 - first) / RINGS, 1);
    for (let i = first; i <= until; i += step) {
      const [x, y, rx, ry] = this.places[Math.round(i)];
      context.beginPath();
      context.ellipse(x, y, Math.max(rx, 1), Math.max(ry, 1), 0, 0, 2 * Math.PI);
      inkPath(context, { line: css(FORECAST, 0.55) });
    }
  }

  /**
   * Fill the union of the ellipses along a part of the path once, so that overlaps are not darker.
   * @param {CanvasRenderingContext2D} context
   * @param {number} first
   * @param {number} last
   * @param {string} colour
   */
  fillTube(context, first, last, colour) {
    context.fillStyle = colour;
    context.beginPath();
    if (this.state.a < 0) {
      for (let i = first; i <= last; i++) context.lineTo(this.places[i][0], this.places[i][1] - this.places[i][3]);
      for (let i = last; i >= first; i--) context.lineTo(this.places[i][0], this.places[i][1] + this.places[i][3]);
    } else {
      const ellipse = (/** @type {number[]} */ [x, y, rx, ry]) => {
        context.moveTo(x + Math.max(rx, 1), y);
        context.ellipse(x, y, Math.max(rx, 1), Math.max(ry, 1), 0, 0, 2 * Math.PI);
      };
      for (let i = first; i < last; i++) {
        const [here, next] = [this.places[i], this.places[i + 1]];
        const steps = Math.min(Math.ceil(Math.hypot(next[0] - here[0], next[1] - here[1]) / 3), 24);
        for (let k = 0; k < steps; k++) ellipse(here.map((value, j) => value + (k / steps) * (next[j] - value)));
      }
      ellipse(this.places[last]);
    }
    context.fill();
  }

  /** @param {CanvasRenderingContext2D} context */
  drawPath(context) {
    const { theme } = this.state;
    const { count, times, start, end, arrays } = this.reel;
    const colour = (/** @type {number} */ time) => css(timeColour((time - start) / Math.max(end - start, 1e-12), theme));
    context.lineCap = "round";
    for (let i = 0; i + 1 < count; i++) {
      inkLine(context, this.places[i], this.places[i + 1], { line: colour(times[i]), width: 2, dash: arrays.forecast[i + 1] ? [1, 5] : [] });
    }
    const radius = count > 500 ? 2 : 2.8;
    this.places.forEach(([x, y], i) => inkDisc(context, x, y, arrays.forecast[i] ? 1.4 : radius, { fill: colour(times[i]) }));
  }

  /** Draw the path's current position: a trail, the ellipse of the tube, and a ring. */
  drawUpper() {
    if (!this.width || !this.fitted) return;
    const context = fitCanvas(this.upper, this.width, this.height);
    if (!this.reel.nLatent) return;
    const { theme, time, show } = this.state;
    const [x, y, rx, ry] = this.pixelAt(time);
    const ahead = this.forecastShown;
    if (ahead >= 0) {
      this.fillForecast(context, ahead);
      this.drawRings(context, ahead);
    }
    this.drawTrail(context, time);
    if (show.tube && this.reel.arrays.latent_variance) {
      context.beginPath();
      if (this.state.a < 0) {
        context.moveTo(x, y - ry);
        context.lineTo(x, y + ry);
      } else context.ellipse(x, y, Math.max(rx, 1), Math.max(ry, 1), 0, 0, 2 * Math.PI);
      inkPath(context, { line: css(theme.text, 0.8), width: 1.4 });
    }
    inkDisc(context, x, y, 7, { line: css(theme.background, 0.9), width: 5 }, { line: css(theme.text), width: 2.4 });
  }

  /** @param {CanvasRenderingContext2D} context @param {number} time */
  drawTrail(context, time) {
    const from = Math.max(time - TRAIL_SECONDS * this.reel.header.rate, this.reel.start);
    const points = [];
    for (let k = 0; k <= 24; k++) points.push(this.pixelAt(from + (k / 24) * (time - from)));
    context.lineCap = "round";
    for (let k = 1; k < points.length; k++) {
      inkLine(context, points[k - 1], points[k], { line: css(this.state.theme.text, (0.75 * k) / 24), width: 1 + (4 * k) / 24 });
    }
  }
}
