// A choice of two rows by clicks on a map's dots: a click chooses a row, and the last choice becomes the other row.

import { pointWithin } from "./hand.js";

/** @import { LessonFigure } from "./lesson.js" */

const PICK_REACH = 18; // distance in pixels at which a click chooses a dot

/** Return the change of the state after a click: its two numbers become the last chosen row and this row. @param {[string, string]} names @param {Record<string, number>} state @param {number} row counted from 1 */
export function pickedRows([from, to], state, row) {
  return row === state[to] ? {} : { [from]: state[to], [to]: row };
}

export class Picker {
  /** @param {HTMLCanvasElement} canvas @param {LessonFigure} figure @param {number} p the number of the panel */
  constructor(canvas, figure, p) {
    this.canvas = canvas;
    this.figure = figure;
    this.p = p;
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    canvas.addEventListener("click", (event) => this.pick(event), { signal });
    canvas.addEventListener("pointermove", (event) => { if (this.names) canvas.style.cursor = this.rowAt(event) ? "pointer" : ""; }, { signal });
  }

  /** @returns {[string, string] | null} */
  get names() {
    return this.figure.frame?.header.panels[this.p]?.picks ?? null;
  }

  /** Return the row whose dot is at the pointer, counted from 1; 0: no row. @param {MouseEvent} event */
  rowAt(event) {
    const { frame, places } = this.figure;
    const { graph } = places[this.p];
    if (!frame || !graph) return 0;
    const { arrays } = frame;
    const { arrays: own } = frame.header.panels[this.p].marks.find((/** @type {{ kind: string }} */ { kind }) => kind === "dots");
    const dots = Array.from(arrays[own.x], (/** @type {number} */ x, /** @type {number} */ i) => graph.pixel(x, arrays[own.y][i]));
    return 1 + pointWithin(dots, graph.at(event), PICK_REACH);
  }

  /** @param {MouseEvent} event */
  pick(event) {
    const row = this.names ? this.rowAt(event) : 0;
    if (this.names && row) this.figure.change(pickedRows(this.names, this.figure.state, row));
  }

  stop() {
    this.listeners.abort();
  }
}
