// The base of figures with animated curves: parts, colours, size, and animation frames.

import { partsOf } from "./dom.js";
import { readTheme, takeTheme } from "./theme.js";

/** @template Act */
export class LivingFigure {
  /**
   * @param {ParentNode} root
   * @param {(act: Act) => void} send
   */
  constructor(root, send) {
    this.parts = partsOf(root);
    this.root = /** @type {HTMLElement} */ (this.parts.explorer);
    this.send = send;
    this.theme = readTheme(this.root);
    /** @type {import("./frame.js").Frame | null} */
    this.frame = null;
    this.edit = 0;
    this.moving = !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.tick = 0;
    this.parts.moving.addEventListener("click", () => this.move(!this.moving));
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.root);
  }

  /** Start drawing; subclasses call this when their listeners are set. */
  begin() {
    takeTheme(this.root, this.theme);
    this.move(this.moving);
    this.root.dataset.ready = "true";
  }

  /** @param {boolean} on */
  move(on) {
    this.moving = on;
    this.parts.moving.setAttribute("aria-pressed", String(on));
    cancelAnimationFrame(this.tick);
    if (on) this.animate();
  }

  animate() {
    this.drawMoving();
    this.tick = requestAnimationFrame(() => this.animate());
  }

  /** Draw everything. */
  draw() {}

  /** Draw the moving parts, if any. */
  drawMoving() {}

  retheme() {
    takeTheme(this.root, this.theme);
    this.draw();
  }

  stop() {
    cancelAnimationFrame(this.tick);
    this.observer.disconnect();
  }
}
