// The bins of a table's columns: their counts, the rows inside brushed bins, and the order of rows by a column.

import { decimalsOf } from "../kit/format.js";

const MOST_BINS = 16;

/** The bins of a column: one for each word, or equal parts of the range of its numbers. */
export class Bins {
  /**
   * words: the column's words if the values are indices of words; a value of NaN, or below 0 for words, is missing.
   * @param {ArrayLike<number>} values
   * @param {readonly string[] | null} words
   */
  constructor(values, words) {
    this.values = values;
    this.words = words;
    let [low, high] = [Infinity, -Infinity];
    for (let n = 0; n < values.length; n++) {
      low = Math.min(low, Number.isNaN(values[n]) ? Infinity : values[n]);
      high = Math.max(high, Number.isNaN(values[n]) ? -Infinity : values[n]);
    }
    // Whole numbers of a small range have one bin each.
    const whole = high - low < MOST_BINS && !Array.prototype.some.call(values, (/** @type {number} */ value) => !Number.isNaN(value) && value !== Math.round(value));
    this.count = words ? words.length : whole && high >= low ? high - low + 1 : MOST_BINS;
    this.low = words ? 0 : low;
    this.width = words || whole ? 1 : (high - low) / MOST_BINS;
    this.whole = whole;
    this.decimals = words ? 0 : decimalsOf(values);
    /** The bin of every row; −1 if its value is missing. */
    this.at = Int32Array.from(values, (value) => {
      const bin = Math.floor((value - this.low) / this.width);
      return bin >= 0 ? Math.min(bin, this.count - 1) : -1;
    });
    this.all = this.counts(Array.from({ length: values.length }, (_, n) => n));
  }

  /** Return the number of rows in every bin. @param {ArrayLike<number>} rows */
  counts(rows) {
    const counts = new Uint32Array(this.count);
    for (let i = 0; i < rows.length; i++) if (this.at[rows[i]] >= 0) counts[this.at[rows[i]]]++;
    return counts;
  }

  /** Return the least and the greatest value of brushed bins. @param {readonly [number, number]} brush @returns {[number, number]} */
  ends([from, to]) {
    return [this.low + from * this.width, this.low + (this.whole ? to : to + 1) * this.width];
  }
}

/**
 * Return the sorted rows whose values are inside all brushed bins.
 * @param {number} count the number of rows
 * @param {readonly { bins: Bins, brush: readonly [number, number] | null }[]} columns
 */
export function brushedRows(count, columns) {
  const brushes = columns.flatMap(({ bins, brush }) => (brush ? [{ bins, brush }] : []));
  const inside = (/** @type {number} */ n) => brushes.every(({ bins, brush: [from, to] }) => bins.at[n] >= from && bins.at[n] <= to);
  return Uint32Array.from({ length: count }, (_, n) => n).filter(inside);
}

/**
 * Return rows ordered by their values; missing values are last, and equal values keep their order.
 * @param {ArrayLike<number>} rows
 * @param {(n: number) => number} valueOf NaN if missing
 * @param {boolean} down
 */
export function ordered(rows, valueOf, down) {
  const sign = down ? -1 : 1;
  const [known, missing] = [[], []].map((list) => /** @type {number[]} */ (list));
  for (let i = 0; i < rows.length; i++) (Number.isNaN(valueOf(rows[i])) ? missing : known).push(rows[i]);
  return [...known.sort((m, n) => sign * (valueOf(m) - valueOf(n))), ...missing];
}
