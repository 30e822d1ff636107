// A row of a table as a card: bars for numbers and counts, shares of a bar for words, and a triangle for three fractions.

import { css, labelStyle } from "./theme.js";
import { byChance, cellText, cellsOfTable } from "./table.js";
import { Triangle, threeFractions, triangleHeight, triangleInks } from "./triangle.js";

/** @import { Drawing } from "./geometry.js" */
/** @import { DrawOptions } from "./output.js" */
/** @import { TableCell } from "./table.js" */
/** @import { Theme } from "./theme.js" */

const CARD_LINE = 22; // height of a column in a large card, in CSS pixels
const NAMES = 0.34; // width of the names, as a fraction of the card
const TEXTS = 0.3;

/** Return the height of a card. @param {Drawing} drawing @param {number} width @param {boolean} small */
export function cardHeight({ table = [] }, width, small) {
  if (small) return width * 0.85;
  return CARD_LINE * table.length + 8 + (threeFractions(cellsOfTable(table)) ? triangleHeight(width) : 0);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Drawing} drawing
 * @param {ArrayLike<number>} values
 * @param {number} width
 * @param {number} height
 * @param {DrawOptions} options
 */
export function drawTable(context, { table = [], palette = [] }, values, width, height, { theme, small = false }) {
  const cells = cellsOfTable(table);
  const three = threeFractions(cells);
  const alone = small && cells.length === 3;
  const above = !three ? 0 : alone ? height : small ? 0 : triangleHeight(width);
  if (three && above) {
    const triangle = new Triangle(three, width, above, small);
    triangle.frame(context, theme);
    triangle.row(context, values, small ? 3 : 6, triangleInks(theme).shown);
    if (alone) return;
  }
  const margin = small ? 2 : 4;
  const step = (height - above - 2 * margin) / Math.max(cells.length, 1);
  const [left, right] = small ? [margin, width - margin] : [NAMES * width, width * (1 - TEXTS)];
  const thick = Math.max(small ? step * 0.72 : Math.min(step * 0.5, 11), 1);
  context.save();
  context.font = `12px ${theme.font}`;
  context.textBaseline = "middle";
  cells.forEach((cell, c) => {
    const middle = above + margin + (c + 0.5) * step;
    const box = { left, right, top: middle - thick / 2, thick };
    drawCell(context, cell, values, box, palette, theme);
    if (small) return;
    context.fillStyle = css(theme.muted);
    context.textAlign = "left";
    fillFitting(context, cell.name, 0, middle, left - 8);
    context.fillStyle = css(theme.text);
    fillFitting(context, cellText(values, cell), right + 8, middle, width - right - 8);
  });
  context.restore();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {TableCell} cell
 * @param {ArrayLike<number>} values
 * @param {{ left: number, right: number, top: number, thick: number }} box
 * @param {string[]} palette
 * @param {Theme} theme
 */
function drawCell(context, cell, values, { left, right, top, thick }, palette, theme) {
  const wide = right - left;
  const missing = Number.isNaN(values[cell.start]);
  context.fillStyle = missing ? css(theme.muted, 0.18) : css(theme.faint);
  context.fillRect(left, top, wide, thick);
  if (missing) return;
  if (cell.range) {
    const [low, , high] = cell.range;
    const from = cell.kind === "count" ? Math.min(low, 0) : low;
    const share = high > from ? Math.min(Math.max((values[cell.start] - from) / (high - from), 0.02), 1) : 0.5;
    context.fillStyle = css(theme.muted, 0.85); // muted, since colours represent words
    context.fillRect(left, top, wide * share, thick);
    return;
  }
  let at = left;
  for (const k of byChance(values, cell)) {
    const own = wide * values[cell.start + k];
    context.fillStyle = css(labelStyle(k, palette, theme).colour);
    context.fillRect(at, top, own, thick);
    at += own;
  }
}

/** Draw text that is cut at a width. @param {CanvasRenderingContext2D} context @param {string} text @param {number} x @param {number} y @param {number} most */
function fillFitting(context, text, x, y, most) {
  let shown = text;
  while (shown.length > 1 && context.measureText(shown).width > most) shown = `${shown.slice(0, -2)}…`;
  context.fillText(shown, x, y);
}
