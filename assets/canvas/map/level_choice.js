// The choice of a value of the known factors that the map leaves out, beside the picture.

import { element, pushButton } from "../kit/dom.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { Levels } from "../geometry/levels.js" */

const SIDE_BY_SIDE = 5; // more values, and longer ones, are in a menu
const LETTERS = 30;

export class LevelChoice {
  /** @param {Explorer<any>} explorer @param {Levels} levels */
  constructor(explorer, levels) {
    this.explorer = explorer;
    this.levels = levels;
    /** Called with every choice of the visitor. @type {(level: number) => void} */
    this.chosen = () => {};
    const { name, words, numbers } = levels;
    /** @type {HTMLElement[]} */
    this.buttons = [];
    this.output = element("output", {});
    /** @type {HTMLInputElement | HTMLSelectElement | null} */
    this.field = null;
    const { level: host } = explorer.parts;
    host.hidden = false;
    if (!numbers && words.length <= SIDE_BY_SIDE && words.join("").length <= LETTERS) {
      this.buttons = words.map((word, level) => pushButton(() => this.choose(level), {}, word));
      host.replaceChildren(element("dt", {}, name), element("dd", { class: "segments", role: "group", "aria-label": name }, ...this.buttons));
    } else {
      const field = numbers ? element("input", { type: "range", min: "0", max: String(words.length - 1), step: "1" })
        : element("select", {}, ...words.map((word, level) => element("option", { value: String(level) }, word)));
      field.setAttribute("aria-label", name);
      field.addEventListener("input", () => this.choose(Number(field.value)));
      host.replaceChildren(element("dt", {}, name, " ", this.output), element("dd", {}, field));
      this.field = field;
    }
    this.mark();
  }

  /** @param {number} level */
  choose(level) {
    this.explorer.dispatch({ type: "set", name: "level", value: level });
    this.chosen(level);
  }

  /** Show the chosen value. */
  mark() {
    const { levels: { words, numbers }, buttons, field, output, explorer: { state: { chosen: { level } } } } = this;
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(at === level)));
    if (!field) return;
    field.value = String(level);
    if (!numbers) return;
    output.textContent = words[level];
    field.setAttribute("aria-valuetext", words[level]);
  }

  /** Draw all that depends on the chosen value. */
  show() {
    this.mark();
    const { levels, explorer, explorer: { model, map, state: { chosen: { level } } } } = this;
    if (!levels.has(level)) return; // the server sends this map
    model.showLevel(level);
    for (const grasp of explorer.grasps) grasp.restart();
    map.calibrate();
    map.refresh();
    explorer.controls.showShade();
    explorer.wall?.draw();
    explorer.paths?.changed();
    explorer.shades?.show();
    explorer.paint();
  }
}
