// The strip of offered rows, as small pictures.

import { element, fitCanvas, pushButton } from "../kit/dom.js";
import { drawOutput } from "../kit/output.js";
import { START_TURN } from "../kit/turn.js";

/** @import { Frame } from "../kit/frame.js" */
/** @import { Drawing } from "../kit/geometry.js" */
/** @import { Theme } from "../kit/theme.js" */

/** @typedef {{ id: string, title: string, values: Float32Array }} StripRow */

/**
 * Return the offered rows.
 * @param {Frame} content from wire/completion.py, pack_items
 * @returns {StripRow[]}
 */
export function rowsOf({ header, arrays }) {
  const width = arrays.rows.length / header.items.length;
  return header.items.map((/** @type {{ id: string, title: string }} */ { id, title }, /** @type {number} */ n) => ({
    id, title, values: arrays.rows.subarray(n * width, (n + 1) * width),
  }));
}

export class Strip {
  /** @type {StripRow[]} */
  rows = [];
  /** @type {Drawing} */
  drawing;

  /**
   * @param {HTMLElement} root
   * @param {{ theme: Theme }} state
   * @param {{ choose: (id: string) => void, more: () => void }} actions
   */
  constructor(root, state, actions) {
    this.root = root;
    this.state = state;
    this.actions = actions;
  }

  /** @param {StripRow[]} rows @param {Drawing} drawing @param {boolean} more whether there are other rows */
  show(rows, drawing, more) {
    this.rows = rows;
    this.drawing = drawing;
    const others = pushButton(() => this.actions.more(), { class: "more", title: "Show other rows" }, element("b", { "aria-hidden": "true" }, "⟳"), "Others");
    others.hidden = !more;
    this.root.replaceChildren(...rows.map(({ id, title }) =>
      pushButton(() => this.actions.choose(id), { "data-id": id, title, "aria-label": title, "aria-pressed": "false" }, element("canvas"))), others);
    this.draw();
  }

  /** Mark the chosen row. @param {string} id */
  mark(id) {
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.root.querySelectorAll("[data-id]"))) {
      button.setAttribute("aria-pressed", String(button.dataset.id === id));
    }
  }

  draw() {
    const canvases = this.root.querySelectorAll("canvas");
    this.rows.forEach(({ values }, n) => {
      const width = canvases[n].clientWidth || 64;
      const height = width * 1.1;
      canvases[n].style.height = `${height}px`;
      const options = { theme: this.state.theme, turn: START_TURN, small: true };
      drawOutput(fitCanvas(canvases[n], width, height), this.drawing, values, width, height, options);
    });
  }
}
