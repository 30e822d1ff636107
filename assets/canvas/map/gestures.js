// Translates pointer, wheel, touch and keys on the map into calls:
// hover(x, y, touch), leave(), drag(x, y), commit(x, y, touch), pan(dx, dy), zoom(x, y, factor),
// nudge(du, dv), keep(), reset().

/**
 * The functions that gestures call; places are in CSS pixels from the element's corner.
 * @typedef {object} Actions
 * @property {(x: number, y: number, touch: boolean) => void} hover
 * @property {() => void} leave
 * @property {(x: number, y: number) => void} drag
 * @property {(x: number, y: number, touch: boolean) => void} commit
 * @property {(dx: number, dy: number) => void} pan
 * @property {(x: number, y: number, factor: number) => void} zoom
 * @property {(du: number, dv: number) => void} nudge by fractions of the visible part
 * @property {() => void} keep
 * @property {() => void} reset
 */

const CLICK_SLOP = 4; // the most CSS pixels that the pointer may move during a click
const LINE_PIXELS = 40; // pixels of a line, so that a notch of three lines zooms like a notch of 120 pixels
const SCROLL_MS = 500; // for this time after scrolling the page, the wheel does not zoom a map that has moved under the pointer
const GRAB = 14; // CSS pixels within which the chosen point can be grabbed

/** The time of the last scrolling of the page; one listener serves all maps, because maps are made and removed. */
export const pageScroll = { last: -Infinity };
globalThis.document?.addEventListener("scroll", ({ timeStamp }) => { pageScroll.last = timeStamp; }, { capture: true, passive: true });

export class Gestures {
  /** @param {HTMLElement} element @param {Actions} actions @param {() => [number, number]} chosenPixel */
  constructor(element, actions, chosenPixel) {
    this.element = element;
    this.actions = actions;
    this.chosenPixel = chosenPixel;
    /** The position of every finger. @type {Map<number, [number, number]>} */
    this.pointers = new Map();
    /** The position where the last finger touched the map first. @type {[number, number]} */
    this.start = [0, 0];
    this.moved = false;
    /** @type {"press" | "point" | "pan" | "touch" | "pinch" | "rest" | null} */
    this.mode = null;
    const on = (/** @type {string} */ name, /** @type {(event: any) => void} */ handler, /** @type {AddEventListenerOptions | undefined} */ options = undefined) => element.addEventListener(name, handler.bind(this), options);
    on("pointerdown", this.down);
    on("pointermove", this.move);
    on("pointerup", this.up);
    on("pointercancel", this.cancel);
    on("pointerleave", this.leave);
    on("wheel", this.wheel, { passive: false });
    on("keydown", this.key);
  }

  /** @param {MouseEvent} event @returns {[number, number]} */
  at(event) {
    const box = this.element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0) return;
    this.element.focus({ preventScroll: true });
    this.element.setPointerCapture(event.pointerId);
    const place = this.at(event);
    this.pointers.set(event.pointerId, place);
    this.start = place;
    if (this.pointers.size === 2) {
      this.mode = "pinch";
      this.actions.leave();
      return;
    }
    const [x, y] = this.chosenPixel();
    const grabbed = Math.hypot(place[0] - x, place[1] - y) < GRAB;
    if (event.pointerType === "touch") {
      this.mode = "touch";
      this.actions.hover(...place, true);
    } else this.mode = event.shiftKey ? "pan" : grabbed ? "point" : "press";
  }

  /** @param {PointerEvent} event */
  move(event) {
    const place = this.at(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "touch") return;
      const [x, y] = this.chosenPixel();
      this.element.style.cursor = Math.hypot(place[0] - x, place[1] - y) < GRAB ? "move" : "crosshair";
      this.actions.hover(...place, false);
      return;
    }
    const far = Math.hypot(place[0] - this.start[0], place[1] - this.start[1]) > CLICK_SLOP;
    if (this.mode === "press" && far) {
      this.mode = "pan";
      this.actions.leave();
    }
    if (this.mode === "pinch") this.pinch(event.pointerId, before, place);
    else if (this.mode === "touch") this.actions.hover(...place, true);
    else if (this.mode === "point" && (far || this.moved)) {
      this.moved = true;
      this.actions.drag(...place);
    } else if (this.mode === "pan") {
      this.element.style.cursor = "grabbing";
      this.actions.pan(place[0] - before[0], place[1] - before[1]);
    }
    this.pointers.set(event.pointerId, place);
  }

  /**
   * Pan with the middle of two fingers, and zoom with their distance.
   * @param {number} id
   * @param {[number, number]} before
   * @param {[number, number]} place
   */
  pinch(id, before, place) {
    const other = [...this.pointers].find(([key]) => key !== id)?.[1] ?? place;
    /** @returns {[number, number]} */
    const middle = (/** @type {[number, number]} */ p) => [(p[0] + other[0]) / 2, (p[1] + other[1]) / 2];
    const distance = (/** @type {[number, number]} */ p) => Math.max(Math.hypot(p[0] - other[0], p[1] - other[1]), 1);
    const [from, to] = [middle(before), middle(place)];
    this.actions.pan(to[0] - from[0], to[1] - from[1]);
    this.actions.zoom(...to, distance(place) / distance(before));
  }

  /** @param {PointerEvent} event */
  up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    const place = this.at(event);
    if (this.mode === "press" || this.mode === "touch") this.actions.commit(...place, this.mode === "touch");
    else if (this.mode === "point") {
      if (this.moved) this.actions.keep();
      else this.actions.commit(...place, false);
    }
    this.finish();
  }

  /** @param {PointerEvent} event */
  cancel(event) {
    this.pointers.delete(event.pointerId);
    this.actions.leave();
    this.finish();
  }

  finish() {
    this.moved = false;
    this.element.style.cursor = "crosshair";
    // After a pinch, a finger that remains has no effect until the visitor lifts it.
    this.mode = this.pointers.size ? "rest" : null;
  }

  leave() {
    if (!this.pointers.size) this.actions.leave();
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    // The wheel scrolls the page until the first click on the map, and while the page is being scrolled.
    const root = /** @type {ShadowRoot | Document} */ (this.element.getRootNode());
    if (!event.ctrlKey && (root.activeElement !== this.element || event.timeStamp - pageScroll.last < SCROLL_MS)) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? LINE_PIXELS : 1;
    const rate = event.ctrlKey ? 0.01 : 0.0018; // browsers report a trackpad's pinch as small steps with Ctrl
    this.actions.zoom(...this.at(event), Math.exp(-event.deltaY * lines * rate));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.shiftKey ? 0.1 : 0.02;
    /** @type {Record<string, [number, number]>} */
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    const { width, height } = this.element.getBoundingClientRect();
    if (moves[event.key]) this.actions.nudge(...moves[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.actions.keep();
    else if (event.key === "+" || event.key === "=") this.actions.zoom(width / 2, height / 2, 1.25);
    else if (event.key === "-") this.actions.zoom(width / 2, height / 2, 0.8);
    else if (event.key === "0") this.actions.reset();
    else return;
    event.preventDefault();
  }
}
