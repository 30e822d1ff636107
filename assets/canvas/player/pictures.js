// The pictures beside the map that follow the time: one panel for each picture of a reel.

import { element, fitCanvas } from "../kit/dom.js";
import { formatNumber } from "../kit/format.js";
import { drawOutput, outputHeight } from "../kit/output.js";
import { css } from "../kit/theme.js";
import { turnBy, turnable } from "../kit/turn.js";

/** @import { Drawing } from "../kit/geometry.js" */
/** @import { DrawOptions } from "../kit/output.js" */
/** @import { Theme } from "../kit/theme.js" */
/** @import { PlayerState, Reel, Stage } from "./reel.js" */

const HEIGHTS = [350, 330, 160]; // height of each panel beside the map for 1, 2, 3 or more panels

/**
 * @typedef {object} Panel
 * @property {HTMLCanvasElement} canvas
 * @property {HTMLElement} caption
 * @property {HTMLElement} figure
 * @property {[number, number]} [size] in CSS pixels
 * @property {string} [title]
 * @property {string} [words] the caption
 * @property {[number, number]} [heat] the ends of the colour scale, if the values are standard deviations
 * @property {boolean} [spread] whether there are standard deviations
 * @property {Drawing} [drawing] the panel's drawing, if it differs from the stage's drawing
 * @property {number[]} [shape] the shape of a picture
 * @property {string} [nothing] the text that is shown where there is no picture
 */

export class PlayerPictures {
  /** The sequence; undefined until it has arrived. @type {Reel} */
  reel;
  /** The drawing of the stage's outputs. @type {Drawing} */
  drawing;
  /** The titles of the panels. */
  titles = "";
  /** @type {Panel[]} */
  panels = [];

  /**
   * root: the element for the panels; state: has theme, turn, time, show; redraw(): called after a turn.
   * @param {HTMLElement} root
   * @param {PlayerState} state
   * @param {() => void} redraw
   */
  constructor(root, state, redraw) {
    this.root = root;
    this.state = state;
    this.redraw = redraw;
  }

  /** @param {Stage} stage */
  setStage(stage) {
    this.drawing = stage.header.drawing;
  }

  /** @param {Reel} reel */
  setReel(reel) {
    this.reel = reel;
    const titles = reel.header.panels.map((/** @type {any} */ { title }) => title).join("|");
    if (titles !== this.titles) this.build();
    this.titles = titles;
    reel.header.panels.forEach((/** @type {any} */ panel, /** @type {number} */ n) => Object.assign(this.panels[n], panel));
    this.words();
    this.resize();
  }

  /** Return the drawing of a panel. @param {Panel} panel @returns {Drawing} */
  shown({ drawing = this.drawing, shape = [] }) {
    // Pictures arrive as integers that are scaled to the range.
    return drawing.kind === "image" ? { ...drawing, shape, range: [0, this.reel.header.white] } : drawing;
  }

  build() {
    this.panels = this.reel.header.panels.map((/** @type {any} */ { title, drawing = this.drawing }) => {
      const canvas = element("canvas", { role: "img" });
      const caption = element("figcaption");
      const turns = drawing.kind === "skeleton";
      if (turns) {
        canvas.tabIndex = 0;
        canvas.classList.add("turns");
        canvas.title = "Drag to turn the figure";
        turnable(canvas, () => true, (yaw, pitch) => this.turn(yaw, pitch));
      }
      return { canvas, caption, figure: element("figure", {}, element("h2", {}, title), element("div", { class: "pane" }, canvas), caption) };
    });
    this.root.replaceChildren(...this.panels.map(({ figure }) => figure));
    this.root.dataset.count = String(this.panels.length);
    this.root.dataset.kind = this.drawing.kind;
  }

  /** @param {number} yaw @param {number} pitch */
  turn(yaw, pitch) {
    turnBy(this.state.turn, yaw, pitch);
    this.redraw();
  }

  words() {
    for (const { caption, words, heat } of this.panels) {
      caption.replaceChildren();
      if (heat) {
        const ends = heat.map((end) => element("span", {}, `± ${formatNumber(end, 2)}`));
        caption.append(element("i", { class: "heat" }), element("span", { class: "ends" }, ...ends));
      } else caption.textContent = words ?? "";
    }
  }

  resize() {
    const wide = (this.root.closest(".player")?.clientWidth ?? 0) >= 720;
    for (const panel of this.panels) {
      const width = (panel.canvas.parentElement?.clientWidth ?? 0) - 12;
      if (width <= 0) return;
      const most = wide ? HEIGHTS[Math.min(this.panels.length, 3) - 1] : 240;
      panel.size = [width, Math.min(outputHeight(this.shown(panel), width), most)];
      panel.canvas.style.height = `${panel.size[1]}px`;
    }
  }

  draw() {
    const { time, theme, turn, show } = this.state;
    this.panels.forEach((panel, n) => {
      const { canvas, size, heat, spread, title } = panel;
      if (!size) return;
      const context = fitCanvas(canvas, ...size);
      const values = this.reel.row(`values${n}`, time);
      /** @type {DrawOptions} */
      const options = { theme, turn, spread: spread && show.tube ? this.reel.row(`std${n}`, time) : null };
      if (heat) options.heat = [0, this.reel.header.white];
      const nothing = values.every(Number.isNaN);
      if (!nothing) drawOutput(context, this.shown(panel), values, ...size, options);
      else {
        const lacks = ["image", "skeleton"].includes(this.shown(panel).kind) ? "no picture here" : "no value here";
        this.drawNothing(context, ...size, theme, panel.nothing || (this.reel.isForecast(time) ? "beyond the data" : lacks));
      }
      if (!canvas.hasAttribute("aria-label")) canvas.setAttribute("aria-label", [title, this.shown(panel).kind === "skeleton" && "arrow keys turn the figure"].filter(Boolean).join("; "));
    });
  }

  /**
   * Draw a text in a panel that has no picture at this time.
   * @param {CanvasRenderingContext2D} context
   * @param {number} width
   * @param {number} height
   * @param {Theme} theme
   * @param {string} words
   */
  drawNothing(context, width, height, theme, words) {
    context.font = `13px ${theme.font}`;
    context.fillStyle = css(theme.muted);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(words, width / 2, height / 2);
  }
}
