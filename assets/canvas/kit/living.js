// The base of figures with animated curves.

import { Shell } from "./shell.js";

/** @template Act */
export class LivingFigure extends Shell {
  /**
   * @param {ParentNode} root
   * @param {(act: Act) => void} send
   */
  constructor(root, send) {
    super(root);
    this.send = send;
    /** @type {import("./frame.js").Frame | null} */
    this.frame = null;
    this.edit = 0;
    this.moving = !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.tick = 0;
    this.parts.moving.addEventListener("click", () => this.move(!this.moving));
    this.observe(this.root);
  }

  /** Start drawing; subclasses call this when their listeners are set. */
  begin() {
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

  /** Draw the moving parts, if any. */
  drawMoving() {}

  /** @override */
  stop() {
    cancelAnimationFrame(this.tick);
    super.stop();
  }
}
