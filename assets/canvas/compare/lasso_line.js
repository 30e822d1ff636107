// A line that is drawn around dots, on a canvas of its own above a map.

import { fitCanvas } from "../kit/dom.js";
import { css } from "../kit/theme.js";

/** @import { Panel } from "./panel.js" */

const LEAST_ENCLOSING = 3; // places of the pointer; fewer enclose nothing

export class LassoLine {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Panel} panel
   * @param {(rows: number[], add: boolean) => void} take
   */
  constructor(canvas, panel, take) {
    this.canvas = canvas;
    this.panel = panel;
    /** Where the pointer went. @type {[number, number][]} */
    this.line = [];
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.draw([this.at(event)]);
    });
    canvas.addEventListener("pointermove", (event) => this.line.length && this.draw([...this.line, this.at(event)]));
    canvas.addEventListener("pointerup", (event) => {
      const rows = this.line.length < LEAST_ENCLOSING ? [] : Array.from(panel.map.enclosed(this.line));
      this.draw([]);
      take(rows, event.shiftKey);
    });
    canvas.addEventListener("pointercancel", () => this.draw([]));
  }

  /** @param {PointerEvent} event @returns {[number, number]} */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** @param {[number, number][]} line */
  draw(line) {
    const { map, state: { theme } } = this.panel;
    this.line = line;
    const context = fitCanvas(this.canvas, map.width, map.height);
    context.beginPath();
    for (const place of line) context.lineTo(...place);
    context.closePath();
    context.fillStyle = css(theme.accent, 0.15);
    context.fill();
    context.lineWidth = 1.5;
    context.strokeStyle = css(theme.accent);
    context.stroke();
  }
}
