// The visitor's own labels: selections of rows that are kept under a name, in place of the labels of the data.

import { element } from "../kit/dom.js";
import { counted } from "../kit/format.js";
import { reoffered } from "./state.js";
import { OWN } from "./switches.js";

/** @import { LatentPoints } from "../geometry/points.js" */
/** @import { Explorer } from "./explorer.js" */

/** Labels, and the rows of each by their numbers in the data, from 0. @typedef {{ names: string[], rows: number[][] }} OwnData */

const LONGEST_LABEL = 40; // letters, as in gplvm_core/store/entry.py

/** Give a model the visitor's labels; null takes them away. @param {LatentPoints} model @param {OwnData | null | undefined} data */
export function giveOwn(model, data) {
  model.own = null;
  if (!data?.names.length) return;
  const labels = new Int32Array(model.nRows).fill(-1);
  const places = model.crowd ? new Map(Array.from(labels, (_, n) => [model.dataRow(n), n])) : null;
  data.rows.forEach((rows, label) => {
    for (const row of rows) labels[places?.get(row) ?? row] = label;
  });
  model.own = { names: data.names, labels };
}

export class OwnLabels {
  /** @param {Explorer<any>} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    /** Stores a label of rows; null in a file without a server. @type {((given: { name: string, rows: number[] }) => void) | null} */
    this.store = null;
    /** The name that was kept last. */
    this.kept = "";
    /** The labels that the server sent last, as text. */
    this.latest = "";
  }

  /** The labels as they are stored. @returns {OwnData} */
  data() {
    const { own } = this.explorer.model;
    /** @type {number[][]} */
    const rows = (own?.names ?? []).map(() => []);
    own?.labels.forEach((/** @type {number} */ label, /** @type {number} */ n) => label >= 0 && rows[label].push(this.explorer.model.dataRow(n)));
    return { names: own?.names ?? [], rows };
  }

  /** Return the label that was kept last. */
  last() {
    const names = this.explorer.model.own?.names ?? [];
    return names.includes(this.kept) ? names.indexOf(this.kept) : names.length - 1;
  }

  /** Return the name that is kept. @param {string} words */
  named(words) {
    return Array.from(words.replace(/[\p{C}\s]+/gu, " ").trim()).slice(0, LONGEST_LABEL).join("").trim();
  }

  /** Say how many selected rows leave other labels for this one. @param {string} words */
  leaving(words) {
    const { model: { own }, state: { rows } } = this.explorer;
    const counts = (own?.names ?? []).map(() => 0);
    for (const row of Array.from(rows)) if (own && own.labels[row] >= 0) counts[own.labels[row]] += 1;
    const left = counts.flatMap((/** @type {number} */ count, /** @type {number} */ label) => (count && own?.names[label] !== this.named(words) ? [`${counted(count, "row")} ${count === 1 ? "leaves" : "leave"} ${own?.names[label]}`] : []));
    return left.join(", ");
  }

  /** Keep the selected rows under a name. @param {string} words */
  keep(words) {
    const { explorer } = this;
    const { model, state: { rows } } = explorer;
    const name = this.named(words);
    if (!name) return;
    this.kept = name;
    const names = [...(model.own?.names ?? [])];
    if (!names.includes(name)) names.push(name);
    const labels = model.own ? model.own.labels.slice() : new Int32Array(model.nRows).fill(-1);
    for (let i = 0; i < rows.length; i++) labels[rows[i]] = names.indexOf(name);
    // Labels without rows are dropped.
    const kept = names.map((_, label) => label).filter((label) => labels.includes(label));
    model.own = { names: kept.map((label) => names[label]), labels: labels.map((/** @type {number} */ label) => kept.indexOf(label)) };
    this.changed(true);
    this.store?.({ name, rows: Array.from(rows, (n) => model.dataRow(n)) });
    // A selection makes all other rows faint; the label marks its rows from here on.
    explorer.dispatch({ type: "set", name: "rows", value: [] });
  }

  /** Adopt the labels that the server has now. @param {OwnData | null | undefined} data */
  take(data) {
    const text = JSON.stringify(data ?? { names: [], rows: [] });
    if (text === this.latest) return;
    this.latest = text;
    if (text === JSON.stringify(this.data())) return;
    giveOwn(this.explorer.model, data);
    this.changed(Boolean(data?.names.length));
  }

  /** Show changed labels. @param {boolean} chosen whether they colour the map */
  changed(chosen) {
    const { explorer } = this;
    const { state, controls, model } = explorer;
    const before = state.chosen;
    state.take(reoffered(before, model));
    controls.colours.list();
    const by = chosen ? OWN : before.by === OWN ? -1 : before.by;
    explorer.dispatch({ type: "set", name: "by", value: by });
    if (state.chosen.by === before.by) this.show();
  }

  /** Show the visitor's labels, or those of the data, everywhere. */
  show() {
    const { explorer } = this;
    explorer.model.useOwn(explorer.state.chosen.by === OWN);
    explorer.controls.colours.show();
    explorer.table?.rebuild();
    explorer.inspector?.showLabels();
    explorer.selecting?.show();
    explorer.map.drawLower();
    explorer.paint();
  }

  /** Return a form that keeps the selected rows under a name. */
  form() {
    const { model, state } = this.explorer;
    const name = element("input", { type: "text", "aria-label": "Name of the label", maxlength: LONGEST_LABEL, list: "own-labels", value: `Group ${(model.own?.names.length ?? 0) + 1}`, hidden: "" });
    const known = element("datalist", { id: "own-labels" }, ...(model.own?.names ?? []).map((/** @type {string} */ each) => element("option", { value: each })));
    const button = element("button", { title: `Give ${counted(state.rows.length, "row")} a label of yours, which colours the map` }, "Keep as label");
    const leaving = element("span", { role: "status" });
    const form = element("form", { class: "keep-label" }, name, known, button, leaving);
    const tell = () => (leaving.textContent = this.leaving(name.value));
    name.addEventListener("input", tell);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (name.hidden) {
        name.hidden = false;
        button.textContent = "Keep";
        name.focus();
        name.select();
        tell();
      } else this.keep(name.value);
    });
    return form;
  }
}
