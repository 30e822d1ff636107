// A model's answers about new rows, and the choice and order of those that a table lists.

import { readFrame } from "../kit/frame.js";

/**
 * A column that makes a row odd: its number, values, a sentence, and the sentence's short form.
 * @typedef {{ column: number, given: number, expected: number, std: number | null, word: string | null, words: string, short: string }} Reason
 */
/**
 * A new row. p: the share of held-out training rows that were at least as odd, null if unknown; unlike:
 * whether the row is odder than all of them; typical: p in a sentence; gaps: the number of filled values;
 * near: names of training rows, nearest first; weights: those of the row's explanations, the best first, [] if there is only one.
 * @typedef {{ name: string, p: number | null, unlike: boolean, typical: string, reasons: Reason[], gaps: number, near: string[], weights: number[] }} NewRow
 */
/** @typedef {"all" | "odd" | "unlike" | "gaps" | "selected"} Filter */
/** @typedef {"row" | "p" | "gaps"} Order */
/**
 * What the table lists. threshold: rows with p at or below it are odd; selected: the rows inside the lasso, in order.
 * @typedef {{ filter: Filter, order: Order, down: boolean, threshold: number, find: string, selected: readonly number[] }} Listing
 */

/** Thresholds for p, and how many of 1,000 ordinary rows each threshold calls odd. */
export const THRESHOLDS = [
  { value: 0.05, words: "p ≤ 0.05", promise: "fifty" },
  { value: 0.01, words: "p ≤ 0.01", promise: "ten" },
];

/**
 * The thresholds that p can reach: the oddest of all rows has p = 1 / (known + 1). With very few rows, p
 * reaches none of the thresholds; then only the largest threshold is returned.
 * @param {number} known number of training rows behind p
 */
export function thresholdsFor(known) {
  const reached = THRESHOLDS.filter(({ value }) => value * (known + 1) >= 1);
  return reached.length ? reached : THRESHOLDS.slice(0, 1);
}

const MAY_BE_ODD = 2; // training rows

/**
 * The smallest threshold that p still reaches if two training rows are odd themselves, or the largest one.
 * @param {number} known number of training rows behind p
 */
export function usualThreshold(known) {
  const values = THRESHOLDS.map(({ value }) => value).filter((value) => value * (known + 1) >= MAY_BE_ODD + 1);
  return Math.min(...values, THRESHOLDS[0].value);
}

export const LESS_COMMON = 0.25; // at or below this p, an ordinary row is called less common

export class Answers {
  /** @param {Uint8Array} bytes of gplvm_core/wire/new_rows.py */
  constructor(bytes) {
    const { header, arrays } = readFrame(bytes);
    /** @type {NewRow[]} */
    this.rows = header.rows;
    /** The number of held-out training rows behind p; 0: p is unknown. @type {number} */
    this.known = header.known;
    /** @type {number} */
    this.nLatent = header.n_latent;
    /** @type {Float32Array} */
    this.places = arrays.places;
    /** @type {Float32Array} */
    this.std = arrays.place_std;
    /** Places of the explanations beyond the first, row after row. @type {Float32Array} */
    this.others = arrays.others;
    let before = 0;
    /** For every row, the number of such places in the rows before it. */
    this.othersBefore = this.rows.map(({ weights }) => {
      const own = before;
      before += Math.max(weights.length - 1, 0);
      return own;
    });
    /** The rows whose values the page has, in order. @type {number[]} */
    this.detailed = header.detailed;
    /** @type {number} */
    this.width = header.width;
    /** @type {Float32Array} */
    this.filled = arrays.filled;
    /** Standard deviations of filled values; 0 where a value was given. @type {Float32Array} */
    this.deviations = arrays.std;
    /** 1 where a value was missing. @type {Uint8Array} */
    this.missing = arrays.missing;
  }

  /**
   * Return a row's position in all dimensions of a map. A map with one dimension has a second axis, where the row is at 0.
   * @param {number} n
   * @param {number} count
   * @param {number} [k] the explanation; 0 is the best
   */
  place(n, count, k = 0) {
    const place = new Float64Array(count);
    const [from, at] = k ? [this.others, this.othersBefore[n] + k - 1] : [this.places, n];
    for (let q = 0; q < Math.min(count, this.nLatent); q++) place[q] = from[at * this.nLatent + q];
    return place;
  }

  /** Return the values of a row, if the page has them. @param {number} n */
  values(n) {
    const at = this.detailed.indexOf(n);
    if (at < 0) return null;
    const part = (/** @type {any} */ array) => array.subarray(at * this.width, (at + 1) * this.width);
    return { filled: part(this.filled), deviations: part(this.deviations), missing: part(this.missing) };
  }
}

/** @param {NewRow} row @param {number} threshold */
export function isOdd({ p, unlike }, threshold) {
  return unlike || (p !== null && p <= threshold);
}

/** Describe how typical a row is, in a word or two. @param {NewRow} row @param {number} threshold */
export function levelOf(row, threshold) {
  if (row.unlike) return "Unlike all";
  if (row.p === null) return "–";
  if (isOdd(row, threshold)) return "Odd";
  return row.p <= LESS_COMMON ? "Less common" : "Typical";
}

/**
 * Return the rows that a filter lists, in the file's order.
 * @param {readonly NewRow[]} rows
 * @param {Filter} filter
 * @param {Pick<Listing, "threshold" | "selected">} listing
 */
export function filtered(rows, filter, { threshold, selected }) {
  const all = Array.from(rows.keys());
  const fits = {
    all: () => true,
    odd: (/** @type {number} */ n) => isOdd(rows[n], threshold),
    unlike: (/** @type {number} */ n) => rows[n].unlike,
    gaps: (/** @type {number} */ n) => rows[n].gaps > 0,
    selected: (/** @type {number} */ n) => selected.includes(n),
  };
  return all.filter(fits[filter]);
}

/** Return the rows of the table, in the table's order. @param {readonly NewRow[]} rows @param {Listing} listing */
export function listed(rows, listing) {
  const wanted = listing.find.trim().toLowerCase();
  const found = filtered(rows, listing.filter, listing).filter((n) => !wanted || rows[n].name.toLowerCase().includes(wanted));
  const key = {
    row: (/** @type {number} */ n) => n,
    // Rows unlike all others are first; rows that are not compared are last.
    p: (/** @type {number} */ n) => (rows[n].unlike ? -1 : rows[n].p ?? 2),
    gaps: (/** @type {number} */ n) => rows[n].gaps,
  }[listing.order];
  const way = listing.down ? -1 : 1;
  return found.sort((m, n) => way * (key(m) - key(n)) || m - n);
}
