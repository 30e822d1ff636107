// Three fractions of one whole as a point in a triangle. At a corner, the fraction of its name is the whole.

import { inkDisc, inkLine, inkPath } from "./ink.js";
import { css } from "./theme.js";

/** @import { Ink } from "./ink.js" */
/** @import { TableCell } from "./table.js" */
/** @import { Theme } from "./theme.js" */

const TALL = Math.sqrt(3) / 2; // height of the triangle, as a fraction of its side
const LINES = [0.2, 0.4, 0.6, 0.8]; // fractions with a line
const LABEL = 18; // height of the names at the corners, in CSS pixels
const WIDEST = 260;
/** @type {[number, number, number]} */
const ACCENT = [0, 114, 178];

/** Return the three fractions of a table, or null if it has another number of them. @param {readonly TableCell[]} cells */
export function threeFractions(cells) {
  const found = cells.filter(({ kind }) => kind === "fraction");
  return found.length === 3 ? found : null;
}

/** Return the height of a triangle for a width. @param {number} width */
export const triangleHeight = (width) => Math.min(width, WIDEST) * TALL + 2 * LABEL;

/** Where three fractions are in a box. */
export class Triangle {
  /** @param {readonly TableCell[]} cells the three fractions @param {number} width @param {number} height @param {boolean} [small] whether to omit names and lines */
  constructor(cells, width, height, small = false) {
    this.cells = cells;
    this.small = small;
    const side = Math.min(width - 4, (height - 2 * (small ? 2 : LABEL)) / TALL);
    const [left, top] = [(width - side) / 2, (height - side * TALL) / 2];
    this.corners = [[left + side / 2, top], [left, top + side * TALL], [left + side, top + side * TALL]];
  }

  /** Return the place of three numbers with the sum 1. @param {readonly number[]} shares */
  place(shares) {
    return [0, 1].map((axis) => shares.reduce((sum, share, k) => sum + share * this.corners[k][axis], 0));
  }

  /** @param {CanvasRenderingContext2D} context @param {Theme} theme */
  frame(context, theme) {
    const { corners, small, cells } = this;
    context.beginPath();
    for (const [x, y] of corners) context.lineTo(x, y);
    context.closePath();
    inkPath(context, { fill: css(theme.faint, 0.25), line: css(theme.muted, 0.7), width: 1 });
    if (small) return;
    for (const share of LINES) {
      for (let k = 0; k < 3; k++) {
        const [from, to] = [1, 2].map((step) => this.place([0, 1, 2].map((own) => (own === k ? share : own === (k + step) % 3 ? 1 - share : 0))));
        inkLine(context, from, to, { line: css(theme.muted, 0.25) });
      }
    }
    context.font = `12px ${theme.font}`;
    context.fillStyle = css(theme.muted);
    context.textBaseline = "alphabetic";
    cells.forEach(({ name }, k) => {
      context.textAlign = /** @type {const} */ (["center", "left", "right"])[k];
      context.fillText(name, corners[k][0], corners[k][1] + (k ? 14 : -5));
    });
  }

  /** Draw a row as a disc; nothing if a fraction is missing. @param {CanvasRenderingContext2D} context @param {ArrayLike<number>} values @param {number} radius @param {...Ink} inks */
  row(context, values, radius, ...inks) {
    const own = this.cells.map(({ start }) => values[start]);
    const whole = own.reduce((sum, value) => sum + value, 0);
    if (!(whole > 0)) return;
    const [x, y] = this.place(own.map((value) => value / whole));
    inkDisc(context, x, y, radius, ...inks);
  }
}

/** The inks of the row that is shown, and of the data around it. @param {Theme} theme */
export const triangleInks = (theme) => ({
  shown: { fill: css(ACCENT), line: css(theme.background), width: 1.5 },
  data: { fill: css(theme.muted, 0.35) },
  own: { line: css(theme.text), width: 1.5 },
});
