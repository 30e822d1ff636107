// The values of a table at a place: for every column, the value on the range of the data, or the probable words.

import { element, pushButton } from "../kit/dom.js";
import { formatFixed } from "../kit/format.js";
import { chanceWords } from "../kit/table.js";
import { css, labelStyle } from "../kit/theme.js";
import { threeFractions } from "../kit/triangle.js";
import { intervalWords } from "../geometry/table.js";
import { FractionPicture } from "./fractions.js";
import { shadeOf } from "./switches.js";

/** @import { Answer } from "../geometry/table.js" */
/** @import { TableColumn } from "../kit/table.js" */
/** @import { Explorer } from "./explorer.js" */
/** @import { LatentModel } from "../geometry/model.js" */

export const INSIDE_95 = 1.96; // standard deviations to either side of a Gaussian's 95 % interval
const MARKS = "Mark: value here. Band: 95 % of rows here. Line: all rows, with their median. Circle: the row of the data at this place.";
const WORDS_NOTE = "Press a word to shade the map by its probability.";
const WORDS_SHOWN = 3; // words of a column
const LEAST_CHANCE = 0.01; // lowest probability of a shown word

/**
 * The least, the median and the greatest value of a column in the training rows.
 * @typedef {readonly [number, number, number]} Range
 */

/**
 * Return a value's position on the range of its column, in percent of the line; a value beyond the range is drawn at
 * its end, and the text says so.
 * @param {number} value
 * @param {number} spread half the width of the 95 % interval
 * @param {Range} range
 * @param {[number, number]} [ends] ends of the interval, if the value is not in its middle
 */
export function onRange(value, spread, [low, median, high], ends = [value - spread, value + spread]) {
  const width = high - low;
  const percent = (/** @type {number} */ x) => (width > 0 ? Math.min(Math.max((100 * (x - low)) / width, 0), 100) : 50);
  const side = value < low ? "below" : value > high ? "above" : "";
  const number = (/** @type {number} */ x) => formatFixed(x, width);
  const where = side ? `${side} the range of the data, ${number(low)} to ${number(high)}` : `range of the data ${number(low)} to ${number(high)}, median ${number(median)}`;
  return {
    side,
    mark: percent(value),
    median: percent(median),
    band: ends.map(percent),
    value: number(value),
    spread: `± ${number(spread)}`,
    words: `${number(value)}, plus or minus ${number(spread)}; ${where}`,
  };
}

/** A number or a count on the range of its column. */
export class NumberRow {
  /** @param {HTMLElement} title @param {Range} range @param {TableColumn | null} column of a table with words */
  constructor(title, range, column) {
    this.range = range;
    this.column = column;
    this.band = element("i", { class: "band" });
    this.median = element("i", { class: "median" });
    this.mark = element("i", { class: "mark" });
    this.ownMark = element("i", { class: "own-mark", hidden: "" });
    this.bar = element("span", { class: "bar", role: "img" }, this.band, this.median, this.mark, this.ownMark);
    this.value = element("b");
    this.spread = element("small");
    /** The value of the training row at this place. */
    this.own = element("em");
    /** The controls that hold the column. @type {{ show(answer: { value: number }, text: string): void } | null} */
    this.hand = null;
    this.row = element("li", {}, title, this.bar, this.value, this.spread, this.own);
  }

  /** @param {number} value of the training row at this place; NaN: missing, or no row is here @param {string} text */
  showOwn(value, text) {
    this.own.textContent = text;
    this.ownMark.hidden = !Number.isFinite(value);
    if (Number.isFinite(value)) this.ownMark.style.left = `${onRange(value, 0, this.range).mark}%`;
  }

  /** @param {{ value: number, low: number, high: number }} answer */
  show({ value, low, high }) {
    const count = this.column?.kind === "count";
    const seen = onRange(value, (high - low) / 2, this.range, [low, high]);
    this.band.style.left = `${seen.band[0]}%`;
    this.band.style.width = `${seen.band[1] - seen.band[0]}%`;
    this.median.style.left = `${seen.median}%`;
    this.mark.style.left = `${seen.mark}%`;
    this.mark.dataset.side = seen.side;
    this.value.textContent = count ? formatFixed(value, Math.max(10 * value, 1)) : seen.value;
    this.spread.textContent = count && this.column ? intervalWords(/** @type {any} */ (this.column), { low, high }) : seen.spread;
    this.hand?.show({ value }, this.value.textContent);
    this.bar.setAttribute("aria-label", count ? `${this.value.textContent} on average; 95 % of rows here have ${low} to ${high}` : seen.words);
  }
}

/** The row of a column's most probable words, with their probabilities. */
export class WordsRow {
  /** @param {HTMLElement} title @param {number} c @param {string[]} words @param {Explorer<LatentModel>} explorer */
  constructor(title, c, words, explorer) {
    this.c = c;
    this.words = words;
    this.explorer = explorer;
    this.chips = Array.from({ length: Math.min(WORDS_SHOWN, words.length) }, () => {
      const dot = element("i", { class: "dot" });
      const [text, share] = [element("span"), element("b")];
      const chip = pushButton(() => this.shade(chip), { class: "word" }, dot, text, " ", share);
      return { chip, dot, text, share };
    });
    this.own = element("em");
    /** Holds the column. @type {{ show(): void } | null} */
    this.hand = null;
    this.host = element("span", { class: this.chips.length > 2 ? "words two-lines" : "words" }, ...this.chips.map(({ chip }) => chip));
    this.row = element("li", {}, title, this.host, this.own);
  }

  /** @param {number} _ @param {string} text the word of the training row at this place */
  showOwn(_, text) {
    [this.own.textContent, this.own.title] = [text, text];
  }

  /** Shade the map by the probability of a chip's word, or stop doing so. @param {HTMLElement} chip */
  shade(chip) {
    const { explorer } = this;
    const value = String(chip.dataset.shade);
    explorer.dispatch({ type: "set", name: "shade", value: explorer.state.chosen.shade === value ? "uncertainty" : value });
    explorer.paint();
  }

  /** @param {{ chances: Float64Array }} answer */
  show({ chances }) {
    const { words, c, explorer: { model, state: { theme, chosen } } } = this;
    const order = Array.from(chances.keys()).sort((p, q) => chances[q] - chances[p] || p - q);
    this.chips.forEach(({ chip, dot, text, share }, i) => {
      const word = order[i];
      chip.hidden = i > 0 && chances[word] < LEAST_CHANCE;
      chip.dataset.shade = shadeOf(c, word);
      chip.dataset.rank = String(i);
      chip.setAttribute("aria-pressed", String(chosen.shade === chip.dataset.shade));
      chip.title = `Shade the map by the probability of “${words[word]}”`;
      dot.style.background = css(labelStyle(word, model.header.palette, theme).colour);
      text.textContent = words[word];
      share.textContent = chanceWords(chances[word]);
    });
    this.hand?.show();
  }
}

export class TableValues {
  /**
   * The values replace the picture of the output.
   * @param {Explorer<LatentModel>} explorer of a table
   */
  constructor(explorer) {
    const { model, parts } = explorer;
    this.explorer = explorer;
    this.values = new Float64Array(model.nOutputs);
    this.names = /** @type {string[]} */ (model.drawing.columns);
    const { table } = model.drawing;
    this.rows = this.names.map((name, d) => {
      const title = model.coloured.length
        ? element("button", { type: "button", class: "column", title: `Colour the map by ${name}` }, name)
        : element("span", { class: "column", title: name }, name);
      const by = model.factorNames.length - model.coloured.length + d;
      title.addEventListener("click", () => explorer.dispatch({ type: "set", name: "by", value: explorer.state.chosen.by === by ? -1 : by }));
      const words = table?.[d].words;
      const line = words ? new WordsRow(title, d, words, explorer) : new NumberRow(title, table?.[d].range ?? model.header.column_ranges[d], table?.[d] ?? null);
      return { by, title, line };
    });
    this.note = element("p");
    this.explain(MARKS);
    const three = model.table && threeFractions(model.table.cells);
    this.triangle = three ? new FractionPicture(model, three) : null;
    const head = element("div", { class: "head", "aria-hidden": "true" }, element("span"), element("span"), element("b", {}, "model"), element("span"), element("em", {}, "data"));
    this.host = element("div", { class: "values" }, ...(this.triangle ? [this.triangle.canvas] : []), head, element("ul", { "aria-label": "Values at this place", tabindex: 0 }, ...this.rows.map(({ line }) => line.row)), this.note);
    parts.output.before(this.host);
    parts.output.hidden = true;
    parts.inspector.dataset.table = "true";
  }

  /** Explain the marks below the rows. @param {string} marks */
  explain(marks) {
    const { drawing: { table } } = this.explorer.model;
    this.note.textContent = [marks, ...(table?.some(({ words }) => words) ? [WORDS_NOTE] : [])].join(" ");
  }

  /** Return whether a model's outputs are the values of a table. @param {LatentModel} model */
  static fits({ header, drawing, table }) {
    return Boolean(table || (header.column_ranges && drawing.columns));
  }

  /**
   * @param {Float64Array} point
   * @param {Float64Array | null} hidden variances of the dimensions that follow the data
   * @param {number} row the training row at this place, whose values are beside the model's; -1: none
   */
  show(point, hidden, row) {
    const { explorer: { state, model } } = this;
    this.triangle?.show(point, row, state.theme);
    const answers = this.answers(point, hidden);
    const suits = row >= 0 && (model.levels?.suits(row, state.chosen.level) ?? true);
    const own = suits && model.itemSize === this.rows.length ? model.item(row) : null;
    this.rows.forEach(({ by, title, line }, d) => {
      title.setAttribute("aria-pressed", String(state.chosen.by === by));
      line.show(/** @type {any} */ (answers[d]));
      if (own) line.showOwn(own[d], model.itemText(d, own[d]));
      else line.showOwn(NaN, "");
    });
  }

  /** @param {Float64Array} point @param {Float64Array | null} hidden @returns {Answer[]} */
  answers(point, hidden) {
    const { explorer: { model, whatIf }, values } = this;
    // If columns are held, their remaining uncertainty replaces that of the dimensions outside the plane.
    const open = whatIf?.freedom(point) ?? null;
    const beside = open ? null : hidden;
    if (model.table) return model.table.answers(point, beside, open);
    const { variances } = model.moments(point, beside);
    model.predict(point, values);
    return Array.from(values, (value, d) => {
      const half = INSIDE_95 * Math.sqrt(variances[d] + (open?.[d] ?? 0) + model.noise(d) ** 2);
      return { value, low: value - half, high: value + half };
    });
  }
}
