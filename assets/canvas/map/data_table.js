// The table of all rows below the map: it sorts, its histograms are brushed, and it shares the map's selection.

import { Bins, brushedRows, ordered } from "../geometry/bins.js";
import { element, fitCanvas, pushButton } from "../kit/dom.js";
import { counted, formatData } from "../kit/format.js";
import { css, labelStyle } from "../kit/theme.js";

/** @import { Explorer } from "./explorer.js" */

const ROW_HEIGHT = 30; // the height of a line in CSS pixels, as in table.css
const BESIDE_VIEW = 8; // lines that are drawn above and below the visible ones
const [BIN_ROOM, BIN_HEIGHT] = [88, 26]; // size of a histogram in CSS pixels
const AT_THE_ROW = 1e-3; // a kept point is at a row if no coordinate differs by more

/**
 * brush: the first and the last brushed bin.
 * @typedef {{ name: string, bins: Bins, brush: [number, number] | null, cell: HTMLElement, canvas: HTMLCanvasElement }} DataColumn
 */

export class DataTable {
  /** @param {Explorer<any>} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    /** @type {HTMLElement} */
    this.host = explorer.parts.listing;
    /** @type {DataColumn[]} */
    this.columns = [];
    /** The column that orders the rows; −1: their names; null: their order in the data. @type {number | null} */
    this.by = null;
    this.down = false;
    /** Whether only selected rows are listed. */
    this.only = false;
    /** The listed rows, in order. @type {number[]} */
    this.rows = [];
    /** The selection that the table has made itself. @type {ArrayLike<number> | null} */
    this.made = null;
    /** The selection of the list. @type {ArrayLike<number> | null} */
    this.shown = null;
    this.kept = -1;
    /** @type {HTMLElement | undefined} */
    this.body = undefined;
  }

  get open() {
    return this.explorer.state.show.table;
  }

  /** Build the table at its first use. */
  build() {
    const { model } = this.explorer;
    const { label_names: names } = model.header;
    // The labels may be a column of the table too.
    const twice = model.factorNames.some((/** @type {string} */ _, /** @type {number} */ f) => names.length && String(model.factorWords(f)) === String(names));
    const labels = model.labels && !twice ? [{ name: model.labels === model.file.labels ? "Label" : "Your label", words: names.length ? names : null, value: (/** @type {number} */ n) => (model.label(n) < 0 ? NaN : model.label(n)) }] : [];
    const facts = model.factorNames.map((/** @type {string} */ name, /** @type {number} */ f) => ({ name, words: model.factorWords(f), value: (/** @type {number} */ n) => model.factor(f, n) }));
    this.columns = [...labels, ...facts].map(({ name, words, value }, c) => {
      const bins = new Bins(Float32Array.from({ length: model.nPoints }, (_, n) => value(n)), words);
      const button = pushButton(() => this.sort(c), { title: `Sort by “${name}”` }, element("span", {}, name));
      const canvas = element("canvas", { role: "img", style: `width:${BIN_ROOM}px; height:${BIN_HEIGHT}px`, title: "Drag over the histogram to keep only rows in this range; press it once more to release it" });
      const column = { name, bins, brush: null, canvas, cell: element("th", { scope: "col", "aria-sort": "none" }, button, canvas) };
      this.listen(column);
      return column;
    });
    const named = pushButton(() => this.sort(-1), { title: "Sort by name" }, element("span", {}, model.header.row_names ? "Name" : "Row"));
    this.named = element("th", { scope: "col", "aria-sort": "none" }, named);
    this.body = element("tbody");
    const choice = (/** @type {boolean} */ only) => pushButton(() => this.list(only));
    this.choices = [choice(false), choice(true)];
    this.words = element("span", { role: "status" });
    this.clear = pushButton(() => this.take([]), { title: "Select no rows" }, "Clear");
    const table = element("table", { "aria-label": "Rows" }, element("thead", {}, element("tr", {}, this.named, ...this.columns.map(({ cell }) => cell))), this.body);
    this.box = element("div", { class: "listing-box" }, table);
    this.box.addEventListener("scroll", () => this.draw(), { passive: true });
    this.host.replaceChildren(element("div", { class: "listing-head" }, element("span", { class: "segments" }, ...this.choices), this.words, this.clear), this.box);
    this.collator = new Intl.Collator("en", { numeric: true });
  }

  /** Build the table again after a change of the labels. */
  rebuild() {
    if (!this.body) return;
    [this.columns, this.body, this.by, this.shown] = [[], undefined, null, null];
    this.show();
  }

  /** Let the pointer brush a column's histogram. @param {DataColumn} column */
  listen(column) {
    const { canvas, bins } = column;
    // Columns may move while the list changes; a drag counts from where the histogram was at its start.
    let left = 0;
    const at = (/** @type {PointerEvent} */ event) => {
      const x = (event.clientX - left) / BIN_ROOM;
      return Math.min(Math.max(Math.floor(x * bins.count), 0), bins.count - 1);
    };
    let start = -1;
    /** @type {string} */
    let before;
    const brush = (/** @type {PointerEvent} */ event) => {
      const was = String(column.brush);
      column.brush = [Math.min(start, at(event)), Math.max(start, at(event))];
      if (String(column.brush) !== was) this.filter();
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      left = canvas.getBoundingClientRect().left;
      [start, before] = [at(event), String(column.brush)];
      brush(event);
    });
    canvas.addEventListener("pointermove", (event) => start >= 0 && brush(event));
    canvas.addEventListener("pointerup", () => {
      // A second press on the only brushed bin releases the brush.
      if (start >= 0 && before === String(column.brush) && before === `${start},${start}`) {
        column.brush = null;
        this.filter();
      }
      start = -1;
    });
    canvas.addEventListener("pointercancel", () => (start = -1));
  }

  /** Select the rows inside all brushes. */
  filter() {
    const some = this.columns.some(({ brush }) => brush);
    this.only = some;
    this.take(some ? brushedRows(this.explorer.model.nPoints, this.columns) : [], true);
  }

  /** Select rows. @param {ArrayLike<number>} rows sorted @param {boolean} [brushed] whether the brushes made this selection */
  take(rows, brushed = false) {
    if (!brushed) for (const column of this.columns) column.brush = null;
    this.made = rows;
    const before = this.explorer.state.rows;
    this.explorer.dispatch({ type: "set", name: "rows", value: rows });
    if (this.explorer.state.rows === before) this.show();
  }

  /** Select a row, or no longer. The list stays as it is, so that no line moves. @param {number} n @param {boolean} on */
  tick(n, on) {
    const rows = Array.from(this.explorer.state.rows).filter((row) => row !== n);
    if (on) rows.push(n);
    this.shown = rows.sort((p, q) => p - q);
    this.take(rows);
  }

  /** @param {number} c */
  sort(c) {
    // The third press returns to the order of the data.
    if (this.by !== c) [this.by, this.down] = [c, false];
    else if (!this.down) this.down = true;
    else [this.by, this.down] = [null, false];
    this.list(this.only);
  }

  /** List the selected rows, or all rows. @param {boolean} only */
  list(only) {
    const { explorer: { model, state }, by } = this;
    this.only = only;
    const all = only ? Array.from(state.rows).filter((n) => n < model.nPoints) : Array.from({ length: model.nPoints }, (_, n) => n);
    if (model.crowd) all.sort((m, n) => model.rowNumber(m) - model.rowNumber(n));
    if (by === null) this.rows = all;
    else if (by < 0) this.rows = all.sort((m, n) => (this.down ? -1 : 1) * (this.collator?.compare(model.rowName(m), model.rowName(n)) ?? 0));
    else this.rows = ordered(all, (n) => this.columns[by].bins.values[n], this.down);
    for (const [c, cell] of [[-1, this.named], ...this.columns.map((column, i) => [i, column.cell])]) {
      /** @type {HTMLElement} */ (cell).setAttribute("aria-sort", by !== c ? "none" : this.down ? "descending" : "ascending");
    }
    if (this.box) this.box.scrollTop = 0;
    this.show();
  }

  /** Show the table, after a change of the selection or of the theme. */
  show() {
    const { explorer: { state, model, root } } = this;
    const opened = this.open && this.host.hidden;
    this.host.hidden = !this.open;
    root.toggleAttribute("data-listed", this.open);
    if (!this.open) return;
    if (!this.body) this.build();
    const { rows } = state;
    if (rows !== this.shown || opened) {
      // A selection that was made elsewhere replaces the brushes.
      if (rows !== this.made) for (const column of this.columns) column.brush = null;
      this.shown = rows;
      this.list(rows.length > 0 || this.columns.some(({ brush }) => brush));
      if (opened) this.mark();
      return;
    }
    const brushed = this.columns.filter(({ brush }) => brush);
    const [all, some] = /** @type {HTMLButtonElement[]} */ (this.choices);
    all.textContent = `All ${model.nPoints.toLocaleString("en")}`;
    some.textContent = `Selected ${rows.length.toLocaleString("en")}`;
    all.setAttribute("aria-pressed", String(!this.only));
    some.setAttribute("aria-pressed", String(this.only));
    some.disabled = !rows.length && !brushed.length;
    /** @type {HTMLElement} */ (this.clear).hidden = some.disabled;
    /** @type {HTMLElement} */ (this.words).textContent = [
      brushed.map((column) => this.brushWords(column)).join(" and ") || (model.crowd ? `The table has ${counted(model.nPoints, "row")} of ${model.nRows.toLocaleString("en")}, spread evenly.` : ""),
      ...(model.header.more_factors ? [`${counted(model.header.more_factors, "more column")} not listed.`] : []),
    ].join(" ");
    for (const column of this.columns) this.histogram(column);
    this.draw();
  }

  /** Describe a brush. @param {DataColumn} column */
  brushWords({ name, bins, brush }) {
    const [from, to] = /** @type {[number, number]} */ (brush);
    if (bins.words) return `${name}: ${from === to ? bins.words[from] : `${bins.words[from]} to ${bins.words[to]}`}`;
    const [low, high] = bins.ends([from, to]).map((value) => this.text(bins, value));
    return `${name}: ${low === high ? low : `${low} to ${high}`}`;
  }

  /** @param {Bins} bins @param {number} value */
  text(bins, value) {
    if (Number.isNaN(value)) return "–";
    if (bins.words) return bins.words[value] ?? "–";
    return formatData(value, bins.decimals, bins.width * bins.count);
  }

  /** Draw a column's histogram: all rows, the selected rows in front, and the brush. @param {DataColumn} column */
  histogram({ name, bins, brush, canvas }) {
    const { state: { rows, theme } } = this.explorer;
    const context = fitCanvas(canvas, BIN_ROOM, BIN_HEIGHT);
    const step = BIN_ROOM / bins.count;
    const most = Math.max(...bins.all, 1);
    if (brush) {
      context.fillStyle = css(theme.accent, 0.18);
      context.fillRect(brush[0] * step, 0, (brush[1] - brush[0] + 1) * step, BIN_HEIGHT);
    }
    const bars = (/** @type {Uint32Array} */ counts, /** @type {string} */ colour) => {
      context.fillStyle = colour;
      counts.forEach((count, i) => {
        const height = count ? Math.max((count / most) * (BIN_HEIGHT - 2), 1.5) : 0;
        context.fillRect(i * step, BIN_HEIGHT - height, Math.max(step - 1, 0.7), height);
      });
    };
    const chosen = rows.length || this.columns.some((each) => each.brush);
    bars(bins.all, css(theme.text, chosen ? 0.2 : 0.45));
    if (rows.length) bars(bins.counts(rows), css(theme.accent));
    const [low, high] = bins.words ? [bins.words[0], bins.words[bins.count - 1]] : bins.ends([0, bins.count - 1]).map((value) => this.text(bins, value));
    canvas.setAttribute("aria-label", `Histogram of ${name}, from ${low} to ${high}`);
  }

  /** Draw the visible lines. */
  draw() {
    const { box, body, rows, explorer: { state: { rows: chosen } } } = this;
    if (!box || !body) return;
    const first = Math.max(Math.floor(box.scrollTop / ROW_HEIGHT) - BESIDE_VIEW, 0);
    const lines = rows.slice(first, first + Math.ceil((box.clientHeight || 400) / ROW_HEIGHT) + 2 * BESIDE_VIEW);
    const lit = new Set(Array.from(chosen));
    const room = (/** @type {number} */ count) => element("tr", { class: "room", style: `height:${count * ROW_HEIGHT}px`, "aria-hidden": "true" });
    body.replaceChildren(room(first), ...lines.map((n) => this.line(n, lit.has(n))), room(rows.length - first - lines.length));
    if (!rows.length) body.append(element("tr", {}, element("td", { colspan: this.columns.length + 1, class: "none" }, "No row is in this range.")));
  }

  /** @param {number} n @param {boolean} chosen */
  line(n, chosen) {
    const { explorer } = this;
    const { model, state } = explorer;
    const name = model.rowName(n);
    const tick = element("input", { type: "checkbox", "aria-label": `Select ${name}` });
    tick.checked = chosen;
    tick.addEventListener("change", () => this.tick(n, tick.checked));
    const go = pushButton(() => {
      state.leave();
      explorer.arrive(model.position(n));
    }, { title: `Go to ${model.name(n)}` }, name);
    const dot = model.label(n) < 0 ? [] : [element("i", { class: "dot", style: `background:${css(labelStyle(model.label(n), model.header.palette, state.theme).colour)}` })];
    const line = element("tr", { "data-row": n, ...(n === this.kept ? { "aria-current": "true" } : {}) }, element("th", { scope: "row" }, element("span", {}, tick, ...dot, go)),
      ...this.columns.map(({ bins }) => element("td", { class: bins.words ? "word" : "number" }, this.text(bins, bins.values[n]))));
    line.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "touch") return;
      [state.hover, state.hovered] = [null, n];
      explorer.paint();
    });
    line.addEventListener("pointerleave", () => {
      state.leave();
      explorer.paint();
    });
    return line;
  }

  /** Mark the row of the kept point, and scroll to its line. */
  mark() {
    const { explorer: { model, state: { point } }, box, rows } = this;
    const row = model.nearest(point);
    this.kept = model.position(row).every((/** @type {number} */ x, /** @type {number} */ q) => Math.abs(x - point[q]) < AT_THE_ROW) ? row : -1;
    if (!this.open || !box) return;
    const top = rows.indexOf(this.kept) * ROW_HEIGHT;
    if (top >= 0 && (top < box.scrollTop || top + 3 * ROW_HEIGHT > box.scrollTop + box.clientHeight)) box.scrollTop = Math.max(top - box.clientHeight / 3, 0);
    this.draw();
  }
}
