// The time track: the colours of time, the known, hidden and forecast intervals, and above them the
// uncertainty of the outputs.

import { fitCanvas } from "../kit/dom.js";
import { drawHatching } from "../kit/image.js";
import { inkDisc, inkLine, inkPath } from "../kit/ink.js";
import { css, mix } from "../kit/theme.js";
import { timeColour } from "./reel.js";
import { FORECAST } from "./trajectory.js";

/** @import { PlayerState, Reel } from "./reel.js" */

const TIMELINE_HEIGHT = 92;
const SPREAD_HEIGHT = 38;
const TRACK_TOP = 46;
const TRACK_HEIGHT = 12;

export class Timeline {
  /** The sequence; undefined until it has arrived. @type {Reel} */
  reel;

  /**
   * seek(time): called by pointer and keys.
   * @param {HTMLCanvasElement} canvas
   * @param {PlayerState} state
   * @param {(time: number) => void} seek
   */
  constructor(canvas, state, seek) {
    this.canvas = canvas;
    this.state = state;
    this.seek = seek;
    this.picture = document.createElement("canvas");
    this.width = 0;
    canvas.style.height = `${TIMELINE_HEIGHT}px`;
    const follow = (/** @type {PointerEvent} */ event) => {
      const x = event.clientX - canvas.getBoundingClientRect().left;
      this.seek(this.toTime(x));
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !this.reel) return;
      canvas.setPointerCapture(event.pointerId);
      canvas.focus({ preventScroll: true });
      follow(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons && canvas.hasPointerCapture(event.pointerId)) follow(event);
    });
  }

  /** @param {Reel} reel */
  setReel(reel) {
    this.reel = reel;
    this.canvas.setAttribute("aria-valuemin", String(reel.start));
    this.canvas.setAttribute("aria-valuemax", String(reel.end));
    this.drawPicture();
  }

  /** @param {number} width */
  resize(width) {
    this.width = width;
    this.drawPicture();
  }

  get ends() {
    return [11, this.width - 11];
  }

  /** @param {number} time */
  toPixel(time) {
    const [left, right] = this.ends;
    const { start, end } = this.reel;
    return left + ((time - start) / Math.max(end - start, 1e-12)) * (right - left);
  }

  /** @param {number} x */
  toTime(x) {
    const [left, right] = this.ends;
    const { start, end } = this.reel;
    return start + Math.min(Math.max((x - left) / (right - left), 0), 1) * (end - start);
  }

  /** Draw everything that does not move with the time. */
  drawPicture() {
    if (!this.width || !this.reel) return;
    const context = fitCanvas(this.picture, this.width, TIMELINE_HEIGHT);
    this.drawGround(context);
    this.drawSpread(context);
    this.drawTrack(context);
    this.drawTicks(context);
    this.draw();
  }

  /** Draw the forecast and hidden intervals in the background. @param {CanvasRenderingContext2D} context */
  drawGround(context) {
    const { theme } = this.state;
    const { reel } = this;
    const [, right] = this.ends;
    const bottom = TRACK_TOP + TRACK_HEIGHT;
    const label = (/** @type {string} */ words, /** @type {number} */ x, /** @type {CanvasTextAlign} */ align) => {
      context.font = `600 11px ${theme.font}`;
      context.textBaseline = "top";
      context.textAlign = align;
      context.fillStyle = css(mix(theme.background, theme.text, 0.75));
      context.fillText(words, x, 1);
    };
    if (reel.firstForecast >= 0) {
      const x = this.toPixel(reel.known);
      context.fillStyle = css(FORECAST, theme.dark ? 0.2 : 0.1);
      context.fillRect(x, 0, right - x, bottom);
      if (right - x > 60) label("forecast", x + 5, "left");
    }
    for (const [first, last] of reel.stretches("hidden")) {
      const [x0, x1] = [this.toPixel(reel.times[first]), this.toPixel(reel.times[last])];
      drawHatching(context, x0, 0, Math.max(x1 - x0, 2), bottom, theme);
    }
  }

  /**
   * Draw the standard deviation of the outputs, on a scale from zero to at least the data's standard
   * deviation.
   * @param {CanvasRenderingContext2D} context
   */
  drawSpread(context) {
    const { theme } = this.state;
    const { reel } = this;
    const { spread } = reel.arrays;
    if (!spread) return;
    const most = Math.max(1, ...spread);
    const y = (/** @type {number} */ share) => TRACK_TOP - 3 - (share / most) * (SPREAD_HEIGHT - 4);
    context.beginPath();
    context.moveTo(this.toPixel(reel.start), y(0));
    spread.forEach((/** @type {number} */ share, /** @type {number} */ i) => context.lineTo(this.toPixel(reel.times[i]), y(share)));
    context.lineTo(this.toPixel(reel.end), y(0));
    inkPath(context, { fill: css(theme.text, 0.22) });
    context.beginPath();
    spread.forEach((/** @type {number} */ share, /** @type {number} */ i) => context.lineTo(this.toPixel(reel.times[i]), y(share)));
    inkPath(context, { line: css(theme.text, 0.55), width: 1.2 });
    context.font = `11px ${theme.font}`;
    context.textBaseline = "top";
    context.textAlign = "left";
    context.fillStyle = css(theme.muted);
    context.fillText("uncertainty of the outputs", this.ends[0] + 6, 1);
  }

  /** @param {CanvasRenderingContext2D} context */
  drawTrack(context) {
    const { theme } = this.state;
    const [left, right] = this.ends;
    const ramp = context.createLinearGradient(left, 0, right, 0);
    for (let k = 0; k <= 12; k++) ramp.addColorStop(k / 12, css(timeColour(k / 12, theme)));
    context.fillStyle = ramp;
    context.beginPath();
    context.roundRect(left, TRACK_TOP, right - left, TRACK_HEIGHT, TRACK_HEIGHT / 2);
    context.fill();
  }

  /** @param {CanvasRenderingContext2D} context */
  drawTicks(context) {
    const { theme } = this.state;
    const [left, right] = this.ends;
    const bottom = TRACK_TOP + TRACK_HEIGHT;
    context.font = `11px ${theme.font}`;
    context.textBaseline = "top";
    context.textAlign = "center";
    context.fillStyle = css(theme.muted);
    context.strokeStyle = css(theme.muted, 0.6);
    context.lineWidth = 1;
    context.beginPath();
    for (const { at, word } of this.reel.ticks(this.reel.start, this.reel.end, this.width / 90)) {
      const x = Math.round(this.toPixel(at)) + 0.5;
      context.moveTo(x, bottom + 3);
      context.lineTo(x, bottom + 8);
      const half = context.measureText(word).width / 2;
      if (x - half > left - 11 && x + half < right - 26) context.fillText(word, x, bottom + 11);
    }
    context.stroke();
    context.textAlign = "right";
    context.fillText("time", right, bottom + 11);
  }

  /** Draw the track, and mark the current time. */
  draw() {
    if (!this.width || !this.reel) return;
    const { theme, time } = this.state;
    const context = fitCanvas(this.canvas, this.width, TIMELINE_HEIGHT);
    context.drawImage(this.picture, 0, 0, this.width, TIMELINE_HEIGHT);
    const x = this.toPixel(time);
    const middle = TRACK_TOP + TRACK_HEIGHT / 2;
    inkLine(context, [x, 2], [x, middle], { line: css(theme.text, 0.75), width: 1.5 });
    inkDisc(context, x, middle, 8.5, { fill: css(theme.background), line: css(theme.text), width: 2.5 });
  }
}
