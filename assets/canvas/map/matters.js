// The panel “What matters”: every dimension's editable name, its share, and its effect at this place.

import { element, fitCanvas } from "../kit/dom.js";
import { fold } from "../kit/folds.js";
import { formatCoordinate, formatNumber, formatShare } from "../kit/format.js";
import { drawOutput, outputHeight } from "../kit/output.js";
import { cellChange } from "../geometry/table.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { LatentModel } from "../geometry/model.js" */

const FILM_STEPS = [-2, -1, 0, 1, 2]; // steps along a dimension, in standard deviations of the rows
const HALF_A_STEP = 0.5; // how far the slider reaches beyond the outer pictures, in standard deviations
const OPEN = 3; // dimensions shown initially
const CHANGES = 3; // number of a table's columns that are shown, those that change most
const CARRIED = 0.95; // the text counts the dimensions that together cause this fraction of all change
const ALIKE = 0.5; // weaker correlations with facts of the rows are not mentioned
const NUMBERS = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];

/** @typedef {{ q: number, problem: HTMLElement, row: HTMLElement, input: HTMLInputElement, name: HTMLInputElement, film: HTMLElement, frames: HTMLCanvasElement[], mean: number, deviation: number }} MatterRow */

/** Return how many of the dimensions with these shares cause at least 95 % of all change. @param {number[]} shares */
export function carrying(shares) {
  let [count, left] = [0, CARRIED * shares.reduce((sum, share) => sum + share, 0)];
  for (const share of shares.slice().sort((p, q) => q - p)) {
    if (left <= 1e-12) break;
    left -= share;
    count += 1;
  }
  return count;
}

export class Matters {
  /** @param {Explorer<LatentModel>} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.host = explorer.parts.dimensions;
    /** @type {MatterRow[]} */
    this.rows = [];
    /** The place of the pictures. */
    this.drawn = "";
    /** The output whose columns change. */
    this.output = explorer.model.pictured[0];
    this.values = new Float64Array(this.output.nOutputs);
  }

  build() {
    const { model } = this.explorer;
    const { shares } = model.header;
    const used = this.explorer.groups().filter((group) => group.used).flatMap(({ dims }) => dims);
    const order = shares ? used.slice().sort((p, q) => shares[q] - shares[p]) : used;
    this.rows = order.map((q) => this.row(q));
    const rows = this.rows.map(({ row }) => row);
    const more = rows.length - OPEN;
    const rest = fold("dimensions", false, element("summary", {}, `${NUMBERS[more] ?? more} more ${more === 1 ? "dimension" : "dimensions"}`), ...rows.slice(OPEN));
    rest.addEventListener("toggle", () => {
      this.drawn = "";
      this.explorer.paint();
    });
    const ends = element("p", { class: "steps", "aria-hidden": "true" }, ...FILM_STEPS.map((step) => element("span", {}, formatCoordinate(step).replace(".00", "").replace(/^(?=[12])/, "+"))));
    const enough = shares ? carrying(used.map((q) => shares[q])) : 0;
    const carried = shares && enough < used.length ? [element("p", { class: "carried" }, `${enough} of ${used.length} dimensions ${enough === 1 ? "causes" : "cause"} ${formatShare(CARRIED)} of the change.`)] : [];
    this.host.replaceChildren(...rows.slice(0, OPEN), ...(this.pictured ? [ends] : []), ...carried, ...(more > 0 ? [rest] : []));
    this.explorer.parts.strip.hidden = model.nLatent < 2;
    this.drawn = "";
  }

  /** Whether effects are shown as pictures, not numbers. */
  get pictured() {
    const { kind, columns } = this.explorer.model.drawing;
    return kind === "image" || kind === "skeleton" || !columns;
  }

  /** @param {number} q @returns {MatterRow} */
  row(q) {
    const { explorer } = this;
    const { model, state } = explorer;
    const { mean, deviation } = alongOf(model, q);
    const share = model.header.shares?.[q];
    const title = model.header.axes[q];
    const name = element("input", { type: "text", class: "name", value: title, "aria-label": `Name of ${title}`, title: this.hint(q) });
    name.value = title;
    name.addEventListener("change", () => explorer.rename(q, name.value));
    name.addEventListener("keydown", (event) => event.key === "Enter" && name.blur());
    const reach = (FILM_STEPS[FILM_STEPS.length - 1] + HALF_A_STEP) * deviation || 1;
    const input = element("input", { type: "range", min: mean - reach, max: mean + reach, step: "any" });
    input.addEventListener("input", () => explorer.fix(q, Number(input.value)));
    input.disabled = state.held.has(q);
    const style = `aspect-ratio: 100 / ${frameHeight(model.drawing, 100)}`; // the size until the picture is drawn
    const frames = this.pictured ? FILM_STEPS.map(() => element("canvas", { "aria-hidden": "true", style })) : [];
    const film = element("div", { class: "film" }, ...frames);
    const bar = element("span", { class: "share", title: "This dimension's share of all changes of the output" },
      element("i", {}, element("b", { style: `width: ${Math.round(100 * (share ?? 0))}%` })), share === undefined ? "" : formatShare(share));
    const problem = element("p", { class: "problem", role: "alert", hidden: "" });
    const row = element("div", { class: this.pictured ? "dimension" : "dimension numbers", "data-q": q }, name, bar, film, input, problem);
    return { q, problem, row, input, name, film, frames, mean, deviation };
  }

  /** Show below a dimension why its name differs from the typed name, or a note about the name. @param {number} q @param {string} words @param {boolean} note */
  sayName(q, words, note) {
    for (const { q: at, problem } of this.rows) {
      problem.classList.toggle("note", note);
      problem.hidden = at !== q || !words;
      problem.textContent = at === q ? words : "";
    }
  }

  /** Return a hint that names the fact of the rows that correlates with a dimension. @param {number} q */
  hint(q) {
    const companion = this.explorer.model.companion(q);
    const like = companion && Math.abs(companion.r) >= ALIKE ? ` It goes with “${companion.name}” (correlation ${formatCoordinate(companion.r)}).` : "";
    return `Type to name this dimension.${like}`;
  }

  /** Mark the dimensions on the axes. */
  show() {
    const { a, b } = this.explorer.state;
    for (const { q, row } of this.rows) row.dataset.axis = q === a ? "across" : q === b ? "up" : "";
  }

  /** @param {ArrayLike<number>} shown */
  showPoint(shown) {
    const { model, state, map } = this.explorer;
    const follows = map.follows();
    for (const { q, input } of this.rows) {
      const outside = q !== state.a && q !== state.b;
      const at = follows || !outside ? shown[q] : state.point[q];
      input.value = String(at);
      const where = !outside ? "on the map" : follows ? "follows the data" : "stays fixed";
      input.setAttribute("aria-label", `${model.header.axes[q]}, ${where}`);
      input.setAttribute("aria-valuetext", model.coordinate(q, at));
    }
  }

  /** Show the effect of every dimension at a place, one row at a time. @param {ArrayLike<number>} point */
  * draw(point) {
    const { theme, turn } = this.explorer.state;
    const key = JSON.stringify([Array.from(point), theme.dark, turn, this.host.clientWidth]);
    if (key === this.drawn) return;
    const wide = this.rows.filter(({ row }) => row.clientWidth);
    const width = wide[0]?.frames[0]?.clientWidth ?? 0;
    for (const row of wide) {
      if (this.pictured) this.drawFilm(row, point, width);
      else this.tellChange(row, point);
      yield;
    }
    this.drawn = key;
  }

  /** Return the output with one dimension changed. @param {MatterRow} row @param {ArrayLike<number>} point @param {number} step */
  at({ q, mean, deviation }, point, step) {
    const place = Float64Array.from(point);
    place[q] = mean + step * deviation;
    this.output.predict(place, this.values);
    return this.values;
  }

  /** @param {MatterRow} row @param {ArrayLike<number>} point @param {number} width */
  drawFilm(row, point, width) {
    const { model: { drawing }, state: { theme, turn } } = this.explorer;
    if (!width) return;
    const height = frameHeight(drawing, width);
    row.frames.forEach((canvas, i) => {
      canvas.style.height = `${height}px`;
      drawOutput(fitCanvas(canvas, width, height), drawing, this.at(row, point, FILM_STEPS[i]), width, height, { theme, turn, small: true });
    });
    row.row.style.setProperty("--film", `${height}px`);
  }

  /** Show the columns that change most from one end of the dimension to the other. @param {MatterRow} row @param {ArrayLike<number>} point */
  tellChange(row, point) {
    const { table, drawing: { columns }, outputs: { scales } } = this.explorer.model;
    const low = this.at(row, point, FILM_STEPS[0]).slice();
    const high = this.at(row, point, FILM_STEPS[FILM_STEPS.length - 1]);
    if (table) {
      const changes = table.cells.map((cell, c) => ({ cell, ...cellChange(cell, low, high, table.links.columns[c].spread) }));
      const most = changes.sort((p, q) => q.size - p.size).slice(0, CHANGES);
      row.film.replaceChildren(...most.map(({ cell: { name }, words: [before, after] }) => element("span", { title: `${name}: ${before} → ${after}` }, element("small", {}, name), `${before} → `, element("b", {}, after))));
      return;
    }
    const change = (/** @type {number} */ d) => Math.abs(high[d] - low[d]) / (scales[d] || 1);
    const most = Array.from(low.keys()).sort((p, q) => change(q) - change(p)).slice(0, CHANGES);
    row.film.replaceChildren(...most.map((d) => element("span", { title: `${columns?.[d] ?? ""}: ${formatNumber(low[d])} → ${formatNumber(high[d])}` }, element("small", {}, columns?.[d] ?? ""), `${formatNumber(low[d])} → `, element("b", {}, formatNumber(high[d])))));
  }

  stop() {}
}

/** Return the height of a filmstrip's picture. @param {LatentModel["drawing"]} drawing @param {number} width */
function frameHeight(drawing, width) {
  return Math.min(outputHeight(drawing, width, true), 1.1 * width);
}

/** Return the mean and deviation of the rows along a dimension. @param {LatentModel} model @param {number} q */
function alongOf({ latent, nLatent, nPoints }, q) {
  let [sum, squares] = [0, 0];
  for (let n = 0; n < nPoints; n++) {
    const value = latent[n * nLatent + q];
    sum += value;
    squares += value * value;
  }
  const mean = sum / nPoints;
  return { mean, deviation: Math.sqrt(Math.max(squares / nPoints - mean * mean, 0)) };
}
