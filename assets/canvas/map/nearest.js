// The rows nearest to a place, shown as pictures with ids, or as a table of values.

import { element, pushButton } from "../kit/dom.js";
import { smallPicture } from "../kit/output.js";
import { css, labelStyle } from "../kit/theme.js";
import { untold } from "./outputs.js";
import { alikeRows } from "../geometry/typicality.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { LatentModel } from "../geometry/model.js" */

const SHOWN = 8;
const IN_A_TABLE = 5;
const COLUMNS = 4;
const ASKED = 9; // number of nearest rows that determine the label of a place

export class NearestRows {
  /** @param {Explorer<LatentModel>} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.host = explorer.parts.details;
    this.shown = "";
    /** The largest height at the present width. */
    [this.tallest, this.width] = [0, 0];
  }

  /** Return the commonest label among the nearest rows. @param {ArrayLike<number>} point */
  likeness(point) {
    const { model } = this.explorer;
    const found = model.labels ? alikeRows(model, point, ASKED) : null;
    return found && { name: model.header.label_names[found.label] ?? String(found.label), words: `${found.count} of ${found.asked}` };
  }

  /** @param {ArrayLike<number>} point @param {boolean} far whether the place is far from all rows */
  show(point, far) {
    const { model, state: { theme, turn } } = this.explorer;
    const table = !["image", "skeleton"].includes(model.drawing.kind) && Boolean(model.drawing.columns);
    const near = far ? [] : model.closest(point, table ? IN_A_TABLE : SHOWN);
    const key = JSON.stringify([near.map(({ row }) => row), theme.dark, turn, this.host.clientWidth]);
    if (key === this.shown) return;
    this.shown = key;
    const heading = element("h2", {}, "Nearest rows");
    this.host.replaceChildren(heading, !near.length ? element("p", {}, "No row is near.")
      : table ? this.table(near.map(({ row }) => row)) : this.pictures(near.map(({ row }) => row)));
    this.host.append(...untold(model.header));
    // What is below does not move where no row is near.
    this.host.style.minHeight = `${Math.max(this.host.offsetHeight, this.tallest)}px`;
    this.tallest = this.host.clientWidth === this.width ? Math.max(this.tallest, this.host.offsetHeight) : 0;
    this.width = this.host.clientWidth;
  }

  /** @param {number} row @param {...(Node | string)} children */
  button(row, ...children) {
    const name = this.explorer.model.name(row);
    return pushButton(() => this.explorer.arrive(this.explorer.model.position(row)), { title: name, "aria-label": `Go to ${name}` }, ...children);
  }

  /** @param {number} row */
  dot(row) {
    const { model, state: { theme } } = this.explorer;
    if (model.label(row) < 0) return [];
    return [element("i", { class: "dot", style: `background:${css(labelStyle(model.label(row), model.header.palette, theme).colour)}` })];
  }

  /** @param {number[]} rows */
  pictures(rows) {
    const { model, state: { theme, turn } } = this.explorer;
    const across = this.host.clientWidth < 400 ? SHOWN / 2 : SHOWN;
    const width = Math.max(Math.floor((this.host.clientWidth - (across - 1) * 6) / across), 32);
    const drawing = { ...model.drawing, shape: model.header.item_shape, range: model.header.item_range ?? model.drawing.range };
    return element("div", { class: "near" }, ...rows.map((row) => {
      const canvas = smallPicture(drawing, model.item(row), width, { theme, turn });
      const name = model.rowName(row).replace(/^Row /, "");
      return this.button(row, canvas, element("span", {}, ...this.dot(row), name));
    }));
  }

  /** @param {number[]} rows */
  table(rows) {
    const { model } = this.explorer;
    const columns = /** @type {string[]} */ (model.drawing.columns);
    const chosen = this.columns();
    const head = element("tr", {}, element("th", { scope: "col" }, "Row"), ...chosen.map((d) => element("th", { scope: "col", title: columns[d] }, columns[d])));
    const lines = rows.map((row) => {
      const values = model.itemSize === columns.length ? model.item(row) : null;
      return element("tr", {}, element("th", { scope: "row" }, this.button(row, ...this.dot(row), model.rowName(row))),
        ...chosen.map((d) => element("td", {}, values ? model.itemText(d, values[d]) : "–")));
    });
    return element("table", {}, element("thead", {}, head), element("tbody", {}, ...lines));
  }

  /** Return a few columns: first the column that colours the map, then the first columns of the data. */
  columns() {
    const { model, state } = this.explorer;
    const by = state.factor - (model.factorNames.length - model.coloured.length);
    const all = Array.from({ length: model.drawing.columns?.length ?? 0 }, (_, d) => d);
    return (by >= 0 ? [by, ...all.filter((d) => d !== by)] : all).slice(0, COLUMNS);
  }
}
