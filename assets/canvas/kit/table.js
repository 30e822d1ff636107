// Rows of a table with columns of words, as arrays of values and as text.
//
// A number or a count is one value; a column of words has one probability per word, 0 or 1 in a row of the data.
// NaN is missing.

import { formatFixed } from "./format.js";

/**
 * A column: its words, or the smallest value, the median and the largest value of its numbers.
 * @typedef {object} TableColumn
 * @property {string} name
 * @property {"number" | "fraction" | "yes/no" | "category" | "grade" | "count"} kind
 * @property {string[]} [words]
 * @property {[number, number, number]} [range]
 */
/** A column and the position of its values in a row. @typedef {TableColumn & { start: number, width: number }} TableCell */

/** @param {readonly TableColumn[]} table @returns {TableCell[]} */
export function cellsOfTable(table) {
  let start = 0;
  return table.map((column) => {
    const cell = { ...column, start, width: column.words?.length ?? 1 };
    start += cell.width;
    return cell;
  });
}

/** Return the number of values in a row. @param {readonly TableCell[]} cells */
export function tableWidth(cells) {
  return cells.reduce((sum, { width }) => sum + width, 0);
}

/**
 * Return the values of a row of the data; codes: one number per column; in a column of words, it is the index of the word.
 * @param {readonly TableCell[]} cells
 * @param {ArrayLike<number>} codes
 */
export function valuesOfRow(cells, codes) {
  const values = new Float64Array(tableWidth(cells));
  cells.forEach(({ words, start, width }, c) => {
    if (!words) values[start] = codes[c];
    else for (let k = 0; k < width; k++) values[start + k] = Number.isNaN(codes[c]) ? NaN : Number(k === codes[c]);
  });
  return values;
}

/** Return the indices of a column's words, most probable first. @param {ArrayLike<number>} values @param {TableCell} cell */
export function byChance(values, { start, width }) {
  return Array.from({ length: width }, (_, k) => k).sort((p, q) => values[start + q] - values[start + p] || p - q);
}

/** Format a probability in percent, never 0 or 100. @param {number} chance */
export function chanceWords(chance) {
  return chance >= 0.995 ? "> 99 %" : chance < 0.005 ? "< 1 %" : `${Math.round(100 * chance)} %`;
}

/** Return the value of a column as text. @param {ArrayLike<number>} values @param {TableCell} cell */
export function cellText(values, cell) {
  const value = values[cell.start];
  if (Number.isNaN(value)) return "missing";
  if (cell.words) {
    const [best] = byChance(values, cell);
    const chance = values[cell.start + best];
    return chance === 1 ? cell.words[best] : `${cell.words[best]} ${chanceWords(chance)}`;
  }
  if (cell.kind === "count") return Number.isInteger(value) ? String(value) : formatFixed(value, Math.max(10 * value, 1));
  const [low, , high] = /** @type {[number, number, number]} */ (cell.range);
  return formatFixed(value, high - low);
}

/** Return the text of a column's value in a row of the data; code: a number, or the index of a word. @param {TableColumn} column @param {number} code */
export function ownText(column, code) {
  const [cell] = cellsOfTable([column]);
  return Number.isNaN(code) ? "–" : cellText(valuesOfRow([cell], [code]), cell);
}
