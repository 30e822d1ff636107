// The brush: strokes with a pointer or a finger, and a cursor for the keys.

/** @import { HiddenRow } from "./hidden_row.js" */

/**
 * The drawing of the brush: its position, its size, and the cells that it covers.
 * @typedef {{ place: [number, number], cells: number[], radius: number | undefined }} BrushMark
 */

export class Brush {
  /**
   * canvas: the row's canvas; actions: { frame() returns the positions, cells() their geometry, row() the
   * HiddenRow or null; stroke(begin) is called when a stroke begins, done(changed) when it ends, settle()
   * after a key; undo(); paint() draws again; say(words) informs screen readers }.
   * @param {HTMLCanvasElement} canvas
   * @param {HTMLInputElement} slider
   * @param {any} actions
   */
  constructor(canvas, slider, actions) {
    this.canvas = canvas;
    this.slider = slider;
    this.actions = actions;
    this.tool = "hide";
    this.limb = false;
    this.clear();
    const on = (/** @type {string} */ name, /** @type {(event: any) => void} */ handler) => canvas.addEventListener(name, handler.bind(this));
    on("pointerdown", this.down);
    on("pointermove", this.move);
    on("pointerup", this.up);
    on("pointercancel", this.up);
    on("pointerleave", () => this.clear());
    on("blur", () => this.clear());
    on("keydown", this.key);
    slider.addEventListener("input", () => actions.paint());
  }

  clear() {
    this.hover = null;
    /** The cell at the keys' cursor. @type {number | null} */
    this.cursor = null;
    this.actions.paint();
  }

  /** @param {MouseEvent} event @returns {[number, number]} */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** @param {[number, number]} place */
  under(place) {
    const reach = this.actions.row().drawing.kind === "skeleton" ? this.limb : Number(this.slider.value);
    return this.actions.cells().under(...place, reach, this.actions.frame());
  }

  /** Return the brush for the drawing: its position, its size, and the cells that it would change. */
  shown() {
    const cells = this.actions.cells();
    const frame = this.actions.frame();
    /** @type {[number, number] | null} */
    const place = this.cursor === null ? this.hover : cells.place(this.cursor, frame);
    if (!place || Number.isNaN(place[0])) return null;
    return { place, cells: this.under(place), radius: cells.radius?.(Number(this.slider.value), frame) };
  }

  /** Whether a stroke has changed a cell. @param {number} cell */
  marked(cell) {
    return Boolean(this.actions.row().mask[cell]);
  }

  /** Describe the state of a cell. @param {number} cell @returns {string} */
  wordsOf(cell) {
    return this.actions.row().gap(cell) ? "hidden" : "shown";
  }

  /** @param {number[]} cells @param {number} value */
  apply(cells, value) {
    const { mask } = this.actions.row();
    for (const cell of cells) mask[cell] = value;
  }

  /** @param {PointerEvent} event */
  down(event) {
    const row = this.actions.row();
    if (event.button !== 0 || !row) return;
    event.preventDefault();
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    this.cursor = null;
    const cells = this.under(this.at(event));
    // A click on a hidden joint or column shows it again.
    const turned = row.drawing.kind !== "image" && cells.length > 0 && cells.every((/** @type {number} */ cell) => this.marked(cell));
    this.stroke = { id: event.pointerId, value: this.tool === "show" || turned ? 0 : 1, last: this.at(event), before: row.text() };
    this.actions.stroke();
    this.apply(cells, this.stroke.value);
    this.actions.paint();
  }

  /** @param {PointerEvent} event */
  move(event) {
    this.hover = this.at(event);
    if (this.stroke?.id === event.pointerId) {
      const [x, y] = this.hover;
      const [fromX, fromY] = this.stroke.last;
      // The stroke is applied in steps of a few pixels, so that a quick stroke has no holes.
      const steps = Math.max(1, Math.ceil(Math.hypot(x - fromX, y - fromY) / 4));
      for (let i = 1; i <= steps; i++) {
        this.apply(this.under([fromX + ((x - fromX) * i) / steps, fromY + ((y - fromY) * i) / steps]), this.stroke.value);
      }
      this.stroke.last = [x, y];
    }
    this.actions.paint();
  }

  /** @param {PointerEvent} event */
  up(event) {
    if (this.stroke?.id !== event.pointerId) return;
    const changed = this.actions.row().text() !== this.stroke.before;
    this.stroke = null;
    if (event.pointerType === "touch") this.hover = null;
    this.actions.done(changed);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const row = this.actions.row();
    if (!row) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "z") {
      event.preventDefault();
      this.actions.undo();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const cells = this.actions.cells();
    const start = this.cursor ?? cells.middle;
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (move) {
      const far = event.shiftKey ? 5 : 1;
      this.cursor = cells.step(start, far * move[0], far * move[1]);
      this.actions.say(`${cells.name(this.cursor)}, ${this.wordsOf(Number(this.cursor))}`);
    } else if (event.key === " " || event.key === "Enter") {
      this.cursor = start;
      const value = this.marked(start) ? 0 : 1;
      this.actions.stroke();
      this.apply([start, ...this.under(cells.place(start, this.actions.frame()))], value);
      this.actions.say(`${cells.name(start)}, ${this.wordsOf(start)}`);
      this.actions.settle();
    } else if (event.key === "[" || event.key === "]") {
      this.slider.value = String(Number(this.slider.value) + (event.key === "]" ? 1 : -1));
    } else return;
    event.preventDefault();
    this.actions.paint();
  }
}
