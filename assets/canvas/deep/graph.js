// A graph of curves over one input: a box with ticks on a canvas.

import { niceTicks } from "../kit/axes.js";
import { contextOf, fitCanvas } from "../kit/dom.js";
import { formatNumber } from "../kit/format.js";
import { inkDisc, inkLine, inkPath } from "../kit/ink.js";
import { css } from "../kit/theme.js";

/** @import { Theme } from "../kit/theme.js" */

const [LEFT_EDGE, RIGHT_EDGE] = [34, 8]; // pixels beside the box
const LETTER = 6; // pixels of a letter, about

/** Return the beginning of a word that has room. @param {string} word @param {number} room letters */
function shortened(word, room) {
  return word.length <= room ? word : room < 2 ? "" : `${word.slice(0, Math.floor(room) - 1)}…`;
}

export class Graph {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {[number, number]} across the numbers at the left and right end
   * @param {[number, number]} up the numbers at the lower and upper end
   * @param {Theme} theme
   * @param {boolean} [measured] whether the graph only converts pixels, without clearing the canvas
   */
  constructor(canvas, across, up, theme, measured = false) {
    this.across = across;
    this.up = up;
    this.theme = theme;
    this.edges = { lower: 22, upper: 8 }; // pixels below and above the box
    this.width = canvas.clientWidth;
    this.height = canvas.clientHeight;
    this.context = measured ? contextOf(canvas) : fitCanvas(canvas, this.width, this.height);
  }

  /** @param {number} x @param {number} y @returns {[number, number]} */
  pixel(x, y) {
    const { across, up, width, height, edges } = this;
    return [
      LEFT_EDGE + ((x - across[0]) / (across[1] - across[0])) * (width - LEFT_EDGE - RIGHT_EDGE),
      height - edges.lower - ((y - up[0]) / (up[1] - up[0])) * (height - edges.lower - edges.upper),
    ];
  }

  /** Return the numbers at a pixel. @param {number} px @param {number} py @returns {[number, number]} */
  numbers(px, py) {
    const { across, up, width, height, edges } = this;
    return [
      across[0] + ((px - LEFT_EDGE) / (width - LEFT_EDGE - RIGHT_EDGE)) * (across[1] - across[0]),
      up[0] + ((height - edges.lower - py) / (height - edges.lower - edges.upper)) * (up[1] - up[0]),
    ];
  }

  /** Draw only inside the box, until `context.restore()`. */
  clip() {
    const { context, width, height, edges } = this;
    context.save();
    context.beginPath();
    context.rect(LEFT_EDGE, edges.upper, width - LEFT_EDGE - RIGHT_EDGE, height - edges.lower - edges.upper);
    context.clip();
  }

  /**
   * @param {number} [count] the approximate number of ticks along each axis
   * @param {{ across?: string[], up?: string[] }} [words] words in place of the numbers from 0
   */
  axes(count = 5, { across: named = [], up: namedUp = [] } = {}) {
    const { context, theme, across, up } = this;
    context.font = `11px ${theme.font}`;
    context.fillStyle = css(theme.muted);
    context.strokeStyle = css(theme.faint);
    context.lineWidth = 1;
    context.beginPath();
    context.textAlign = "center";
    const ticks = (/** @type {[number, number]} */ ends, /** @type {string[]} */ words) => words.length ? words.map((_, k) => k) : niceTicks(...ends, count);
    const room = (this.width - LEFT_EDGE - RIGHT_EDGE) / Math.max(named.length, 1) / LETTER;
    for (const tick of ticks(across, named)) {
      const [x, y] = this.pixel(tick, up[0]);
      context.moveTo(x, y);
      context.lineTo(x, y + 4);
      context.fillText(named.length ? shortened(named[tick], room) : formatNumber(tick), x, y + 15);
    }
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const tick of ticks(up, namedUp)) {
      const [x, y] = this.pixel(across[0], tick);
      context.moveTo(x, y);
      context.lineTo(this.pixel(across[1], tick)[0], y);
      context.fillText(namedUp.length ? shortened(namedUp[tick], LEFT_EDGE / LETTER) : formatNumber(tick), x - 4, y);
    }
    context.stroke();
    context.textBaseline = "alphabetic";
  }

  /**
   * Draw a curve over its grid.
   * @param {ArrayLike<number>} grid
   * @param {ArrayLike<number>} values
   * @param {string} colour
   * @param {number} width
   * @param {number[]} [dashes]
   */
  line(grid, values, colour, width, dashes = []) {
    const { context } = this;
    this.trace(grid, values);
    context.lineJoin = "round";
    inkPath(context, { line: colour, width, dash: dashes });
  }

  /** Fill the area between two curves. @param {ArrayLike<number>} grid @param {ArrayLike<number>} low @param {ArrayLike<number>} high @param {string} colour */
  band(grid, low, high, colour) {
    const { context } = this;
    this.trace(grid, high);
    for (let i = grid.length - 1; i >= 0; i--) context.lineTo(...this.pixel(grid[i], low[i]));
    context.closePath();
    inkPath(context, { fill: colour });
  }

  /** @param {ArrayLike<number>} grid @param {ArrayLike<number>} values */
  trace(grid, values) {
    const { context } = this;
    context.beginPath();
    for (let i = 0; i < grid.length; i++) context.lineTo(...this.pixel(grid[i], values[i]));
  }

  /** Draw a dot. @param {number} x @param {number} y @param {number} radius */
  dot(x, y, radius) {
    const { context, theme } = this;
    inkDisc(context, ...this.pixel(x, y), radius, { fill: css(theme.text, 0.9), line: css(theme.background), width: 1.2 });
  }

  /** Draw a cross at the position that the keyboard controls. @param {number} x @param {number} y */
  cross(x, y) {
    const { context, theme } = this;
    const [px, py] = this.pixel(x, y);
    for (const [dx, dy] of [[9, 0], [0, 9]]) inkLine(context, [px - dx, py - dy], [px + dx, py + dy], { line: css(theme.accent), width: 2 });
  }
}

/** Return the range of numbers, with a margin. @param {ArrayLike<number>[]} lists @returns {[number, number]} */
export function roomFor(lists) {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists) {
    for (let i = 0; i < list.length; i++) [low, high] = [Math.min(low, list[i]), Math.max(high, list[i])];
  }
  const margin = 0.06 * (high - low) || 0.5;
  return [low - margin, high + margin];
}
