// The base of what a page shows: its parts, colours and size, and one drawing per frame.

import { partsOf } from "./dom.js";
import { NextFrame } from "./next_frame.js";
import { readTheme, takeTheme } from "./theme.js";

export class Shell {
  /**
   * @param {ParentNode} root
   * @param {string} [outer] the part that contains all others
   */
  constructor(root, outer = "explorer") {
    this.parts = partsOf(root);
    /** @type {HTMLElement} */
    this.root = this.parts[outer];
    this.theme = readTheme(this.root);
    takeTheme(this.root, this.theme);
    this.next = new NextFrame((now) => this.draw(now));
    this.observer = new ResizeObserver(() => this.resize());
  }

  /** Call `resize` whenever an element changes its size. @param {...HTMLElement} nodes */
  observe(...nodes) {
    for (const node of nodes) this.observer.observe(node);
  }

  /** Draw at the next frame. */
  paint() {
    this.next.ask();
  }

  /** Draw everything. @param {number} _now the time of the frame */
  draw(_now) {}

  /** Use a new size. */
  resize() {
    this.draw(performance.now());
  }

  /** Draw again after a change of Streamlit's theme. */
  retheme() {
    takeTheme(this.root, this.theme);
    this.recolour();
  }

  /** Draw everything in new colours. */
  recolour() {
    this.draw(performance.now());
  }

  stop() {
    this.next.stop();
    this.observer.disconnect();
  }
}
