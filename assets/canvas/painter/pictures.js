// The painter's three pictures: the row as the model sees it, the completion, and the completion's uncertainty.

import { fitCanvas } from "../kit/dom.js";
import { jointPlaces, vectorFrame } from "../kit/geometry.js";
import { drawPixels } from "../kit/image.js";
import { inkDisc, inkPath } from "../kit/ink.js";
import { drawOutput, outputHeight } from "../kit/output.js";
import { css, heatColour } from "../kit/theme.js";

/** @import { Parts } from "../kit/dom.js" */
/** @import { Drawing, Turn } from "../kit/geometry.js" */
/** @import { Colour, Theme } from "../kit/theme.js" */
/** @import { BrushMark } from "./brush.js" */
/** @import { Cells } from "./cells.js" */
/** @import { HiddenRow } from "./hidden_row.js" */

/**
 * A completion; std: undefined if the model has no standard deviations; summary: numbers for the captions.
 * @typedef {{ mean: Float32Array, std: Float32Array | undefined, summary: Record<string, number> }} Answer
 */

/** compare: whether the truth is shown. @typedef {{ theme: Theme, turn: Turn, compare: boolean }} PainterState */

export class PainterPictures {
  /** The row that is drawn. @type {HiddenRow} */
  row;
  /** @type {Cells} */
  cells;
  /** @type {Answer | null} */
  answer = null;
  /** @type {Drawing} */
  drawing;
  /** Width and height of the canvases; undefined until they have space. @type {[number, number]} */
  size;

  /** parts: the canvases item, mean, std; state: theme, turn, compare. @param {Parts} parts @param {PainterState} state */
  constructor(parts, state) {
    this.parts = parts;
    this.state = state;
  }

  /** Fit the canvases to their space; `wide`: whether they are side by side. @param {Drawing} drawing @param {boolean} wide */
  resize(drawing, wide) {
    const width = this.parts.item.parentElement.clientWidth - 16;
    if (width <= 0) return;
    this.size = [width, Math.min(outputHeight(drawing, width), wide ? 380 : 270)];
    for (const name of ["item", "mean", "std"]) this.parts[name].style.height = `${this.size[1]}px`;
  }

  /** Return the size and the values that determine the cells' positions. @param {HiddenRow} row @param {Answer | null} answer */
  frame(row, answer) {
    const [width, height] = this.size;
    return { width, height, values: row.filled(answer?.mean), turn: this.state.turn };
  }

  /**
   * row: a HiddenRow; answer: {mean, std, summary} or null; brush: {place, radius, cells} or null.
   * @param {HiddenRow} row
   * @param {Cells} cells
   * @param {Answer | null} answer
   * @param {BrushMark | null} brush
   */
  draw(row, cells, answer, brush) {
    if (!this.size) return;
    this.row = row;
    this.cells = cells;
    this.answer = answer;
    this.drawing = row.drawing;
    this.drawItem(brush);
    this.drawMean();
    this.drawStd();
  }

  /** @param {string} name */
  canvas(name) {
    return fitCanvas(this.parts[name], ...this.size);
  }

  /** @param {BrushMark | null} brush */
  drawItem(brush) {
    const context = this.canvas("item");
    const showAll = this.state.compare && this.row.whole;
    drawOutput(context, this.drawing, showAll ? this.row.values : this.row.seen(), ...this.size, this.state);
    if (this.drawing.kind === "skeleton") this.drawJoints(context);
    else if (showAll) this.drawVeil(context, 0.3);
    if (brush) this.drawBrush(context, brush);
  }

  drawMean() {
    const context = this.canvas("mean");
    if (!this.answer) return;
    const { mean } = this.answer;
    const vector = ["curve", "bars"].includes(this.drawing.kind);
    drawOutput(context, this.drawing, mean, ...this.size, { ...this.state, spread: vector ? this.answer.std : null });
    if (this.drawing.kind !== "image") this.drawVeil(context, 0.14);
    if (this.state.compare && this.row.whole) this.drawTruth(context);
  }

  drawStd() {
    const context = this.canvas("std");
    if (!this.answer?.std) return;
    const { mean, std, summary } = this.answer;
    const [width, height] = this.size;
    if (!["image", "skeleton"].includes(this.drawing.kind)) {
      // Deviations have a separate axis, because on the axis of the values they may be invisible.
      drawOutput(context, { ...this.drawing, range: [0, 1.08 * summary.most || 1], ...ownScales(this.drawing, std) }, std, width, height, this.state);
      return;
    }
    // The row is drawn faintly in the background, for orientation.
    drawOutput(context, this.drawing, mean, width, height, this.state);
    context.fillStyle = css(this.state.theme.background, this.drawing.kind === "image" ? 0.72 : 0.5);
    context.fillRect(0, 0, width, height);
    const all = summary.hidden === 0;
    const colourOf = (/** @type {number} */ cell) => {
      if (!all && !this.row.gap(cell)) return null;
      let value = 0;
      for (let d = cell * this.row.perCell; d < (cell + 1) * this.row.perCell; d++) value += std[d] / this.row.perCell;
      return heatColour(value / this.row.spread);
    };
    if (this.drawing.kind === "image") drawPixels(context, this.drawing, width, height, colourOf);
    else this.drawSpread(context, colourOf);
  }

  /**
   * Draw joints in the colours of their uncertainty, the most uncertain in front, each with a circle of one standard deviation.
   * @param {CanvasRenderingContext2D} context
   * @param {(cell: number) => Colour | null} colourOf
   */
  drawSpread(context, colourOf) {
    if (!this.answer?.std) return;
    const { mean, std } = this.answer;
    const [width, height] = this.size;
    const { theme, turn } = this.state;
    const scale = (0.48 * Math.min(width, height)) / this.drawing.extent.reach;
    const deviation = (/** @type {number} */ joint) => Math.hypot(std[3 * joint], std[3 * joint + 1], std[3 * joint + 2]) / Math.sqrt(3);
    jointPlaces(this.drawing, mean, width, height, turn)
      .map(([x, y], joint) => ({ x, y, joint, colour: colourOf(joint), reach: scale * deviation(joint) }))
      .sort((p, q) => p.reach - q.reach)
      .forEach(({ x, y, colour, reach }) => {
        if (!colour) return;
        inkDisc(context, x, y, Math.max(reach, 5), { fill: css(colour), line: css(theme.text, 0.65), width: 1.2 });
      });
  }

  /** Draw a tint over hidden cells. @param {CanvasRenderingContext2D} context @param {number} alpha */
  drawVeil(context, alpha) {
    const { theme } = this.state;
    const [width, height] = this.size;
    if (this.drawing.kind === "image") {
      context.globalAlpha = alpha;
      drawPixels(context, this.drawing, width, height, (cell) => (this.row.gap(cell) ? theme.accent : null));
      context.globalAlpha = 1;
    } else if (this.drawing.kind === "skeleton") {
      jointPlaces(this.drawing, this.answer?.mean ?? this.row.values, width, height, this.state.turn).forEach(([x, y], joint) => {
        if (this.row.gap(joint)) inkDisc(context, x, y, 3.2, { fill: css(theme.accent) });
      });
    } else {
      const { px, top, bottom, step, left, right } = vectorFrame(this.drawing, this.row.mask.length, width, height);
      context.fillStyle = css(theme.accent, alpha);
      for (let i = 0; i < this.row.mask.length; i++) {
        const [from, to] = [Math.max(px(i) - step / 2, left), Math.min(px(i) + step / 2, right)];
        if (this.row.gap(i)) context.fillRect(from, top, to - from, bottom - top);
      }
    }
  }

  /** Draw the joints as dots; a hidden joint is a ring. @param {CanvasRenderingContext2D} context */
  drawJoints(context) {
    const { theme } = this.state;
    this.places().forEach(([x, y], joint) => {
      if (Number.isNaN(x)) return;
      const gap = this.row.gap(joint);
      const [fill, line] = gap ? [theme.background, theme.accent] : [theme.muted, theme.background];
      inkDisc(context, x, y, gap ? 4 : 3, { fill: css(fill), line: css(line), width: 1.4, dash: gap ? [2, 2] : [] });
    });
  }

  /**
   * Draw the true values of the hidden part over the completion; for images, beside it.
   * @param {CanvasRenderingContext2D} context
   */
  drawTruth(context) {
    const { theme } = this.state;
    const [width, height] = this.size;
    if (this.drawing.kind === "image") return;
    const bars = this.drawing.kind === "bars";
    context.beginPath();
    if (this.drawing.kind === "skeleton") {
      const places = jointPlaces(this.drawing, this.row.values, width, height, this.state.turn);
      this.drawing.skeleton.parents.forEach((parent, joint) => {
        if (parent < 0 || !(this.row.gap(joint) || this.row.gap(parent))) return;
        context.moveTo(...places[parent]);
        context.lineTo(...places[joint]);
      });
    } else {
      const { px, py, step } = vectorFrame(this.drawing, this.row.mask.length, width, height);
      this.row.values.forEach((value, i) => {
        if (!this.row.gap(i)) return;
        if (bars) {
          context.moveTo(px(i) - 0.42 * step, py(value, i));
          context.lineTo(px(i) + 0.42 * step, py(value, i));
        } else if (i && this.row.gap(i - 1)) context.lineTo(px(i), py(value, i));
        else context.moveTo(px(i), py(value, i));
      });
    }
    inkPath(context, { line: css(theme.text, 0.85), width: 1.6, dash: bars ? [] : [4, 3] });
  }

  /** Return the positions of the row's joints. */
  places() {
    const { width, height, values, turn } = this.frame(this.row, this.answer);
    return jointPlaces(this.drawing, values, width, height, turn);
  }

  /** Draw the brush and the cells under it. @param {CanvasRenderingContext2D} context @param {any} it */
  drawBrush(context, { place, radius, cells }) {
    const { theme } = this.state;
    const ring = (/** @type {number[]} */ [x, y], /** @type {number} */ r) =>
      inkDisc(context, x, y, r, { line: css(theme.background, 0.85), width: 3.5 }, { line: css(theme.text), width: 1.5 });
    if (this.drawing.kind === "image") ring(place, radius);
    else if (this.drawing.kind === "skeleton") {
      const places = this.places();
      cells.forEach((/** @type {number} */ cell) => ring(places[cell], 6));
    } else if (cells.length) {
      const { px, top, bottom, step } = vectorFrame(this.drawing, this.row.mask.length, ...this.size);
      context.strokeStyle = css(theme.text, 0.7);
      context.lineWidth = 1.5;
      context.strokeRect(px(cells[0]) - step / 2, top, step * cells.length, bottom - top);
    }
  }
}

/** Return the deviations of a table with mixed units, as fractions of the columns' ranges. @param {Drawing} drawing @param {ArrayLike<number>} std */
function ownScales({ ranges }, std) {
  if (!ranges) return {};
  const most = Math.max(...ranges.map(([low, high], d) => std[d] / (high - low) || 0)) || 1;
  return { ranges: ranges.map(([low, high]) => /** @type {[number, number]} */ ([0, 1.08 * most * (high - low)])), ends: ["more", "less"] };
}
