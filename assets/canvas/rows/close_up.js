// One new row: its given values, the values that the model expects at its place, the difference, and its nearest training rows.

import { element, pushButton } from "../kit/dom.js";
import { decimalsOf, formatData, formatFixed } from "../kit/format.js";
import { drawSmall } from "../kit/output.js";
import { chanceWords, ownText } from "../kit/table.js";
import { START_TURN } from "../kit/turn.js";
import { onRange } from "../map/values.js";
import { levelOf } from "./answers.js";

/** @import { NewRow } from "./answers.js" */
/** @import { Overlay } from "./layer.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Scene } from "../map/scene.js" */
/** The values of a row with filled gaps, standard deviations, and 1 where a value was missing. @typedef {{ filled: Float32Array, deviations: Float32Array, missing: Uint8Array }} RowValues */

const ROW_MOST_WIDTH = 230; // CSS pixels of a picture
const ROW_INSIDE_95 = 1.96;

export class CloseUp {
  /**
   * @param {HTMLElement} host
   * @param {LatentModel} model
   * @param {Scene} state
   * @param {Overlay} overlay
   * @param {{ fillIn: (n: number) => void, ask: (n: number) => void, close: () => void, explain: (k: number) => void }} page
   */
  constructor(host, model, state, overlay, page) {
    this.host = host;
    this.model = model;
    this.state = state;
    this.overlay = overlay;
    this.page = page;
  }

  show() {
    const { host, overlay: { answers, current, explanation, listing } } = this;
    host.hidden = !answers || current < 0 || current >= answers.rows.length;
    if (host.hidden || !answers) return;
    const row = answers.rows[current];
    const values = answers.values(current);
    const heading = element("h2", {}, row.name, " ", element("small", {}, row.p === null ? "" : levelOf(row, listing.threshold)));
    const fill = pushButton(() => this.page.fillIn(current), { title: "Hide parts of this row, and see what else the model finds possible" }, "Open in Fill in");
    const close = pushButton(() => this.page.close(), { class: "icon", "aria-label": "Close", title: "Close" }, "×");
    host.replaceChildren(element("div", { class: "head" }, heading, fill, close), ...this.words(row));
    if (!values) {
      this.page.ask(current);
      host.append(element("p", { class: "quiet" }, "Loading the row's values …"));
    } else {
      const place = answers.place(current, this.model.nLatent, Math.max(explanation, 0));
      host.append(...this.explanations(row), this.values(explanation < 0 ? values : this.filledAt(values, place), row, place));
    }
    host.append(this.near(row));
  }

  /** @param {NewRow} row */
  words(row) {
    const words = [row.typical, ...row.reasons.map(({ words: sentence }) => sentence)].filter(Boolean);
    return [...words.map((each) => element("p", {}, each)),
      ...(row.unlike ? [element("p", {}, "This row is unlike anything the model has seen, so its place and its filled values are not reliable.")] : [])];
  }

  /** Return the choice between the explanations of a row that has several. @param {NewRow} row @returns {HTMLElement[]} */
  explanations({ weights }) {
    if (!weights.length) return [];
    const choices = [-1, ...weights.keys()].map((k) =>
      pushButton(() => this.page.explain(k), { "aria-pressed": String(k === this.overlay.explanation) }, k < 0 ? "Together" : chanceWords(weights[k])));
    return [element("div", { class: "several" },
      element("span", {}, `${weights.length} places on the map explain this row. Show the values of:`),
      element("span", { class: "segments", role: "group", "aria-label": "Explanations, with their weights" }, ...choices))];
  }

  /** Return the values of a row with its gaps filled at one place of the map. @param {RowValues} values @param {Float64Array} place @returns {RowValues} */
  filledAt({ filled, deviations, missing }, place) {
    const model = /** @type {LatentModel} */ (this.model);
    const found = { filled: filled.slice(), deviations: deviations.slice(), missing };
    const expected = new Float64Array(model.nOutputs);
    const answers = model.table?.answers(place, null);
    if (!answers) model.predict(place, expected);
    const spreads = answers ? null : model.moments(place, null).variances;
    missing.forEach((gap, d) => {
      if (!gap) return;
      const answer = answers?.[d];
      if (!answer) {
        found.filled[d] = expected[d];
        if (spreads) found.deviations[d] = Math.sqrt(spreads[d] + model.noise(d) ** 2);
      } else if ("chances" in answer) found.filled[d] = answer.chances.indexOf(Math.max(...answer.chances));
      else {
        found.filled[d] = answer.value;
        found.deviations[d] = (answer.high - answer.low) / (2 * ROW_INSIDE_95);
      }
    });
    return found;
  }

  /** @param {RowValues} values @param {NewRow} row @param {Float64Array} place */
  values(values, row, place) {
    const { drawing, header } = /** @type {any} */ (this.model);
    if (drawing.table) return this.cells(values, row, drawing.table.map((/** @type {any} */ column) => column.name), null);
    if (header.column_ranges && drawing.columns) return this.cells(values, row, drawing.columns, place);
    return this.pictures(values, place);
  }

  /**
   * Return a line for every column: the value on the range of the training rows; filled values have a ±.
   * @param {RowValues} values
   * @param {NewRow} row
   * @param {string[]} names
   * @param {Float64Array | null} place
   */
  cells({ filled, deviations, missing }, row, names, place) {
    const { model } = this;
    const expected = new Float64Array(model.nOutputs);
    if (place) model.predict(place, expected);
    const spreads = place ? model.moments(place, null).variances : null;
    const lines = names.map((name, d) => {
      const reason = row.reasons.find(({ column }) => column === d);
      const title = element("span", { class: "column", title: name }, name);
      const column = model.drawing.table?.[d];
      if (column && !column.range) {
        const beside = reason ? `(${reason.word})` : missing[d] ? "filled" : "";
        return element("li", reason ? { class: "odd" } : {}, title, element("span", { class: "word" }, ownText(column, filled[d])), element("b", {}, ""), element("small", {}, beside));
      }
      const range = column?.range ?? model.header.column_ranges[d];
      const middle = reason ? reason.expected : missing[d] || !place ? filled[d] : expected[d];
      const half = ROW_INSIDE_95 * (reason ? Number(reason.std) : missing[d] || !spreads ? deviations[d] : Math.sqrt(spreads[d] + model.noise(d) ** 2));
      const seen = onRange(filled[d], half, range, [middle - half, middle + half]);
      const bar = element("span", { class: "bar", role: "img", "aria-label": seen.words },
        element("i", { class: "band", style: `left:${seen.band[0]}%; width:${seen.band[1] - seen.band[0]}%` }),
        element("i", { class: "mark", "data-side": seen.side, style: `left:${seen.mark}%` }));
      const width = range[2] - range[0];
      const beside = missing[d] ? `filled ± ${formatFixed(ROW_INSIDE_95 * deviations[d], width)}` : place || reason ? `(${formatFixed(middle, width)})` : "";
      return element("li", reason ? { class: "odd" } : missing[d] ? { class: "filled" } : {}, title, bar, element("b", {}, missing[d] ? seen.value : formatData(filled[d], decimalsOf([filled[d]]), width)), element("small", {}, beside));
    });
    return element("div", { class: "values" }, element("ul", { "aria-label": "Values of the row" }, ...lines),
      element("p", {}, ["The mark is the value, and the band holds 95 % of similar rows.",
        ...(place ? ["The value in brackets is expected from the map; for a column that makes the row odd, it is expected from the other columns."] : []),
        "The line is the range of the training rows."].join(" ")));
  }

  /** Return pictures of the row with filled gaps, the output at the row's place, and the difference. @param {RowValues} values @param {Float64Array} place */
  pictures({ filled, missing }, place) {
    const { model } = this;
    const expected = new Float64Array(model.nOutputs);
    model.predict(place, expected);
    const given = Float64Array.from(filled, (value, d) => (missing[d] ? NaN : value));
    const gaps = missing.some(Boolean);
    const whole = Float64Array.from(filled);
    const heat = Float64Array.from(filled, (value, d) => (missing[d] ? 0 : Math.abs(value - expected[d])));
    const most = Math.max(Number(model.header.spread) * 2, 1e-12);
    const image = model.drawing.kind === "image";
    return element("div", { class: "trio" },
      this.picture("Given", given, {}),
      ...(gaps ? [this.picture("Filled", whole, {})] : []),
      this.picture("Expected at its place", expected, {}),
      ...(image ? [this.picture("Difference", heat, { heat: [0, most] })] : []));
  }

  /** @param {string} title @param {Float64Array} values @param {{ heat?: [number, number] }} options */
  picture(title, values, options) {
    const { model, state: { theme } } = this;
    const canvas = element("canvas", { role: "img", "aria-label": title });
    const width = Math.min(ROW_MOST_WIDTH, Math.max((this.host.clientWidth - 48) / 3, 120));
    canvas.style.width = `${width}px`;
    drawSmall(canvas, model.drawing, values, width, { theme, turn: START_TURN, tallest: Infinity, ...options });
    return element("figure", {}, canvas, element("figcaption", {}, title));
  }

  /** @param {NewRow} row */
  near(row) {
    return element("p", { class: "quiet" }, `Nearest training rows: ${row.near.join("; ")}.`);
  }
}
