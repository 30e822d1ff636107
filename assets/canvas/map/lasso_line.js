// A line drawn around dots, on a separate canvas above a map.

import { fitCanvas } from "../kit/dom.js";
import { inkPath } from "../kit/ink.js";
import { css } from "../kit/theme.js";

/** @import { LatentMap } from "./map.js" */

const LEAST_ENCLOSING = 3; // a line with fewer places encloses nothing

export class LassoLine {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {() => LatentMap} mapOf returns the map below the canvas
   * @param {(rows: Uint32Array, add: boolean) => void} take
   */
  constructor(canvas, mapOf, take) {
    this.canvas = canvas;
    this.mapOf = mapOf;
    /** The pointer's track. @type {[number, number][]} */
    this.line = [];
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.draw([this.at(event)]);
    });
    canvas.addEventListener("pointermove", (event) => this.line.length && this.draw([...this.line, this.at(event)]));
    canvas.addEventListener("pointerup", (event) => {
      if (!this.line.length) return;
      const rows = this.enclosed();
      this.draw([]);
      take(rows, event.shiftKey);
    });
    canvas.addEventListener("pointercancel", () => this.draw([]));
  }

  /** Return the rows inside the line, without rows whose labels are faded. */
  enclosed() {
    const { model, state: { selected } } = this.mapOf();
    const inside = Uint32Array.from(this.line.length < LEAST_ENCLOSING ? [] : this.mapOf().enclosed(this.line));
    return selected.size ? inside.filter((n) => selected.has(model.label(n))) : inside;
  }

  /** @param {PointerEvent} event @returns {[number, number]} */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** @param {[number, number][]} line */
  draw(line) {
    const { width, height, state: { theme } } = this.mapOf();
    this.line = line;
    const context = fitCanvas(this.canvas, width, height);
    context.beginPath();
    for (const place of line) context.lineTo(...place);
    context.closePath();
    inkPath(context, { fill: css(theme.accent, 0.15), line: css(theme.accent), width: 1.5 });
  }
}
