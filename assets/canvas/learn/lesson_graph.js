// The drawing of a panel: its axes and every kind of mark.

import { pathAt } from "../deep/bend.js";
import { Graph } from "../deep/graph.js";
import { contextOf } from "../kit/dom.js";
import { inkPath } from "../kit/ink.js";
import { css, heatColour, labelStyle, mix, tracePath } from "../kit/theme.js";

/** @import { Colour, Theme } from "../kit/theme.js" */
/** @typedef {{ kind: string, arrays: Record<string, string>, title: string, ink?: string, [look: string]: any }} LessonMark */
/** @typedef {{ title: string, across: [number, number], up: [number, number], alt: string, axes: [string, string], ticks: string[], bare: boolean, wide: boolean, tall: number, hand: import("./hand.js").HandRules | null, picks: [string, string] | null, marks: LessonMark[] }} LessonPanel */
/** @typedef {Record<string, any>} Arrays by name */

const INKS = { warm: [213, 94, 0], green: [0, 158, 115] };
const FIGURE = 30; // height in pixels of a stick figure
const NAME = 14; // height in pixels of an axis title
/** The canvas that all small pictures use. @type {{ canvas?: HTMLCanvasElement }} */
const shadePicture = {};

/** Return the colour of an ink. @param {string | undefined} name @param {Theme} theme */
export function lessonInk(name, theme) {
  if (name === "muted") return theme.muted;
  if (name === "text") return theme.text;
  if (name === "warm" || name === "green") return theme.dark ? mix(INKS[name], [255, 255, 255], 0.2) : INKS[name];
  return theme.accent;
}

/** @param {[number, number]} pixel @returns {[number, number]} */
const below = ([x, y]) => [x, y + 15];

export class LessonGraph extends Graph {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {LessonPanel} panel
   * @param {Theme} theme
   * @param {number} zoom the factor for large type
   */
  constructor(canvas, panel, theme, zoom) {
    super(canvas, panel.across, panel.up, theme);
    this.canvas = canvas;
    this.panel = panel;
    this.width /= zoom;
    this.height /= zoom;
    const { bare, axes: [across, up] } = panel; // axis titles are outside the plot
    if (across && !bare) this.edges.lower += NAME;
    if (up) this.edges.upper += NAME;
    this.context.scale(zoom, zoom);
  }

  /** @override */
  axes() {
    const { panel, context, theme } = this;
    const { bare, ticks, axes: [across, up] } = panel;
    if (!bare && !ticks.length) super.axes();
    context.font = `11px ${theme.font}`;
    context.fillStyle = css(theme.muted);
    context.textAlign = "center";
    ticks.forEach((word, i) => context.fillText(word, ...below(this.pixel(i + 1, panel.up[0]))));
    context.font = `600 11px ${theme.font}`;
    context.textAlign = "right";
    if (across) context.fillText(`${across} →`, this.width - 10, this.height - 7);
    context.textAlign = "left";
    if (up) context.fillText(`↑ ${up}`, 8, 13);
  }

  /** Return the pointer's position in the graph's pixels. @param {MouseEvent} event @returns {[number, number]} */
  at(event) {
    const { left, top, width } = this.canvas.getBoundingClientRect();
    const scale = this.width / width;
    return [(event.clientX - left) * scale, (event.clientY - top) * scale];
  }

  /** Draw all marks, clipped to the plot. @param {Arrays} arrays @param {string[]} palette @param {number} place position in the loop of moving curves, from 0 to 1 */
  marks(arrays, palette, place) {
    const { context, panel } = this;
    context.save();
    context.beginPath();
    const [left, top] = this.pixel(panel.across[0], panel.up[1]);
    const [right, low] = this.pixel(panel.across[1], panel.up[0]);
    context.rect(left - 6, top - 8, right - left + 12, low - top + 12);
    context.clip();
    for (const mark of panel.marks) {
      const own = Object.fromEntries(Object.entries(mark.arrays).map(([name, key]) => [name, arrays[key]]));
      if (mark.kind === "line") this.lines(mark, own, place);
      else if (mark.kind === "band") this.band(own.x, own.low, own.high, css(lessonInk(mark.ink, this.theme), this.theme.dark ? 0.26 : 0.16));
      else if (mark.kind === "dots") this.dots(mark, own, palette);
      else if (mark.kind === "bars") this.bars(mark, own);
      else if (mark.kind === "images") this.images(mark, own);
      else if (mark.kind === "figures") this.figures(mark, own);
      else if (mark.kind === "bodies") this.bodies(mark, own);
      else throw new Error(`Unknown kind of mark: ${mark.kind}.`);
    }
    context.restore();
  }

  /** @param {LessonMark} mark @param {Arrays} own @param {number} place */
  lines(mark, { x, y }, place) {
    const { frames = 0, width = 2.4, strength = 1, dashed = false } = mark;
    const colour = css(lessonInk(mark.ink, this.theme), strength);
    const count = y.length / x.length / (frames || 1);
    for (let s = 0; s < count; s++) {
      const values = frames ? pathAt(y, { frames, paths: count }, x.length, s, place * frames) : y.subarray(s * x.length, (s + 1) * x.length);
      this.line(x, values, colour, width, dashed ? [5, 4] : []);
    }
  }

  /** @param {LessonMark} mark @param {Arrays} own @param {string[]} palette */
  dots(mark, { x, y, labels, shade, spread }, palette) {
    const { context, theme } = this;
    const { radius = 3.6, hollow = false, strength = 1 } = mark;
    for (let i = 0; i < x.length; i++) {
      const { colour, marker } = labels ? labelStyle(labels[i], palette, theme)
        : { colour: shade ? heatColour(shade[i]) : lessonInk(mark.ink, theme), marker: "circle" };
      const [px, py] = this.pixel(x[i], y[i]);
      if (spread) {
        const [right] = this.pixel(x[i] + spread[2 * i], y[i]);
        const [, top] = this.pixel(x[i], y[i] + spread[2 * i + 1]);
        context.beginPath();
        context.moveTo(2 * px - right, py);
        context.lineTo(right, py);
        context.moveTo(px, 2 * py - top);
        context.lineTo(px, top);
        inkPath(context, { line: css(colour, 0.55 * strength), width: 1.4 });
      }
      tracePath(context, marker, px, py, radius);
      // A light rim keeps dark shades visible on a dark page.
      const rim = css(shade && theme.dark ? theme.muted : theme.background, strength);
      const own = css(colour, strength);
      inkPath(context, hollow ? { fill: css(theme.background), line: own, width: 2 } : { fill: own, line: rim });
    }
  }

  /** @param {LessonMark} mark @param {Arrays} own */
  bars(mark, { x, y, on }) {
    const { context, theme, panel } = this;
    for (let i = 0; i < x.length; i++) {
      const [left, top] = this.pixel(x[i] - mark.width / 2, y[i]);
      const [right, low] = this.pixel(x[i] + mark.width / 2, panel.up[0]);
      context.fillStyle = css(on[i] ? lessonInk(mark.ink, theme) : theme.muted, on[i] ? 1 : 0.6);
      // At least two pixels, so that bars of height zero stay visible.
      context.fillRect(left, Math.min(top, low - 2), right - left, Math.max(low - top, 2));
    }
  }

  /** Draw stick figures of equal size above their places. @param {LessonMark} mark @param {Arrays} own */
  figures({ parents }, { joints, x, y }) {
    for (let i = 0; i < x.length; i++) {
      const [px, py] = this.pixel(x[i], y[i]);
      this.bones(parents, joints, i, this.theme.text, 1.3, (u, v) => [px + FIGURE * u, py - FIGURE * (v + 0.7)]);
    }
  }

  /** Draw bodies in the units of the axes. @param {LessonMark} mark @param {Arrays} own */
  bodies({ parents, ink, strength = 1 }, { joints }) {
    const colour = lessonInk(ink, this.theme);
    for (let i = 0; i < joints.length / (2 * parents.length); i++) {
      this.bones(parents, joints, i, colour, 2.2, (u, v) => this.pixel(u, v), strength);
    }
  }

  /**
   * Draw the bones of body i. pixel: returns the pixel of a joint.
   * @param {number[]} parents
   * @param {ArrayLike<number>} joints
   * @param {number} i
   * @param {Colour} colour
   * @param {number} width
   * @param {(u: number, v: number) => [number, number]} pixel
   */
  bones(parents, joints, i, colour, width, pixel, strength = 1) {
    const { context } = this;
    const at = (/** @type {number} */ joint) => {
      const place = 2 * (i * parents.length + joint);
      return pixel(joints[place], joints[place + 1]);
    };
    context.lineCap = "round";
    context.beginPath();
    parents.forEach((parent, joint) => {
      if (parent < 0) return;
      context.moveTo(...at(parent));
      context.lineTo(...at(joint));
    });
    inkPath(context, { line: css(colour, strength), width });
  }

  /** @param {LessonMark} mark @param {Arrays} own */
  images(mark, { values, x, y }) {
    const { context } = this;
    const [rows, columns] = mark.shape;
    const [low, high] = mark.scale;
    const canvas = (shadePicture.canvas ??= document.createElement("canvas"));
    // The width is limited, so that neighbours with a distance of one unit do not overlap.
    const unit = 0.94 * (this.pixel(1, 0)[0] - this.pixel(0, 0)[0]);
    const size = Math.min(this.pixel(0, 0)[1] - this.pixel(0, mark.size)[1], (unit * rows) / columns);
    const across = (size * columns) / rows;
    for (let i = 0; i < x.length; i++) {
      [canvas.width, canvas.height] = [columns, rows];
      const pixels = contextOf(canvas);
      const image = pixels.createImageData(columns, rows);
      for (let p = 0; p < rows * columns; p++) {
        const grey = (255 * (values[i * rows * columns + p] - low)) / (high - low);
        image.data.set([grey, grey, grey, 255], 4 * p);
      }
      pixels.putImageData(image, 0, 0);
      const [px, py] = this.pixel(x[i], y[i]);
      context.drawImage(canvas, px - across / 2, py - size / 2, across, size);
    }
  }
}
