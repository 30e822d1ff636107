// A map with new rows over the training rows. The training rows keep their positions.

import { rowsInside } from "../geometry/lasso.js";
import { inkLine, inkPath } from "../kit/ink.js";
import { chanceWords } from "../kit/table.js";
import { css } from "../kit/theme.js";
import { LatentMap } from "../map/map.js";
import { isOdd } from "./answers.js";

/** @import { Answers, Listing } from "./answers.js" */
/** @import { MapModel } from "../map/map.js" */
/** @import { MapState } from "../map/scene.js" */

const ROW_SIZE = 5.5; // CSS pixels: half the diagonal of a diamond
const ROW_OTHER = 3.5; // the same for an explanation that is not the best
const ROW_EDGE = 18; // the least distance in CSS pixels of new rows from the map's edge
export const BEYOND = "beyond the visible map";
const ROW_HIT = 11;
const ROW_FAINT = 0.22;
const ROW_WIDTHS = 2; // standard deviations from the middle of an ellipse to its edge

/**
 * What the map shows about the new rows. shown: the rows that the table lists; current: the chosen row, or −1; explanation: the
 * chosen explanation of this row; 0 is the best, −1 means all together.
 * @typedef {{ answers: Answers | null, listing: Listing, shown: ReadonlySet<number>, current: number, explanation: number, pointed: number, ellipses: boolean }} Overlay
 */

export class RowsMap extends LatentMap {
  /**
   * @param {HTMLCanvasElement} lower
   * @param {HTMLCanvasElement} upper
   * @param {MapModel} model
   * @param {MapState} state
   * @param {Overlay} overlay
   */
  constructor(lower, upper, model, state, overlay) {
    super(lower, upper, model, state);
    this.overlay = overlay;
    /** Called after a change of the view. @type {() => void} */
    this.onView = () => {};
  }

  /** @override */
  refresh() {
    super.refresh();
    this.onView();
  }

  /**
   * Return where an explanation of a new row is drawn, and the direction in which its place is if that is beyond the map; else null.
   * @param {number} n
   * @param {number} [k]
   * @returns {[number, number, number | null]}
   */
  pixelOf(n, k = 0) {
    const place = /** @type {Answers} */ (this.overlay.answers).place(n, this.model.nLatent, k);
    const [x, y] = this.toPixel(place[this.state.a], place[this.state.b]);
    const { width, height, covered } = this;
    const beyond = x < 0 || x > width || y < 0 || y > height;
    // The legend and the buttons cover the upper and lower edge, so arrows are between them.
    const { above, below } = beyond ? covered : { above: 0, below: 0 };
    const u = Math.min(Math.max(x, ROW_EDGE), width - ROW_EDGE);
    const v = Math.min(Math.max(y, ROW_EDGE + above), height - ROW_EDGE - below);
    return [u, v, beyond ? Math.atan2(y - v, x - u) : null];
  }

  /** @override @param {CanvasRenderingContext2D} context */
  drawLayers(context) {
    super.drawLayers(context);
    const { answers, shown, current, ellipses } = this.overlay;
    if (!answers) return;
    const order = Array.from(answers.rows.keys()).filter((n) => n !== current);
    order.sort((m, n) => Number(this.odd(m)) - Number(this.odd(n)));
    if (ellipses) {
      for (const n of order) {
        if (!shown.has(n)) continue;
        this.ellipse(context, n);
        for (const [k, weight] of this.others(n)) this.diamond(context, n, Math.max(weight, ROW_FAINT), ROW_OTHER, k);
      }
    }
    for (const n of order) this.diamond(context, n, shown.has(n) ? 1 : ROW_FAINT, ROW_SIZE);
  }

  /** Draw the chosen row and the row under the pointer in front. @override @param {CanvasRenderingContext2D} context */
  drawInFront(context) {
    const { answers, current, explanation, pointed } = this.overlay;
    if (!answers) return;
    if (current >= 0 && current < answers.rows.length) {
      this.ellipse(context, current);
      this.explanations(context, current, explanation);
      this.diamond(context, current, 1, ROW_SIZE + (explanation > 0 ? 0 : 3));
      this.name(context, current);
    }
    if (pointed >= 0 && pointed !== current && pointed < answers.rows.length) {
      this.explanations(context, pointed, -1);
      this.diamond(context, pointed, 1, ROW_SIZE + 2);
      this.name(context, pointed);
    }
  }

  /** Return the number and the weight of each explanation of a row but the best. @param {number} n @returns {[number, number][]} */
  others(n) {
    const { weights } = /** @type {Answers} */ (this.overlay.answers).rows[n];
    return weights.slice(1).map((weight, at) => [at + 1, weight]);
  }

  /** Draw the other explanations of a row, joined to its best one, with their weights. @param {CanvasRenderingContext2D} context @param {number} n @param {number} chosen */
  explanations(context, n, chosen) {
    const { theme } = this.state;
    const [x, y] = this.pixelOf(n);
    for (const [k, weight] of this.others(n)) {
      const [u, v] = this.pixelOf(n, k);
      inkLine(context, [x, y], [u, v], { line: css(theme.text, 0.5), dash: [3, 3] });
      this.diamond(context, n, k === chosen ? 1 : 0.75, k === chosen ? ROW_SIZE + 3 : ROW_OTHER, k);
      this.label(context, u, v, chanceWords(weight));
    }
  }

  /** @param {number} n */
  odd(n) {
    return isOdd(/** @type {Answers} */ (this.overlay.answers).rows[n], this.overlay.listing.threshold);
  }

  /** The number of new rows whose places are beyond the visible map. */
  get beyond() {
    return this.overlay.answers?.rows.filter((_, n) => this.pixelOf(n)[2] !== null).length ?? 0;
  }

  /** @param {CanvasRenderingContext2D} context @param {number} n @param {number} opacity @param {number} size @param {number} [k] the explanation */
  diamond(context, n, opacity, size, k = 0) {
    const { theme } = this.state;
    const [x, y, beyond] = this.pixelOf(n, k);
    context.beginPath();
    // A diamond, or an arrow to a place beyond the map.
    const corners = beyond === null ? [0, 1, 2, 3].map((quarter) => (quarter * Math.PI) / 2) : [0, 2.4, Math.PI, -2.4].map((turn) => beyond + turn);
    const reach = beyond === null ? [1, 1, 1, 1] : [1.8, 1.7, 0.8, 1.7];
    corners.forEach((angle, i) => context.lineTo(x + reach[i] * size * Math.cos(angle), y + reach[i] * size * Math.sin(angle)));
    context.closePath();
    const odd = this.odd(n);
    inkPath(context, { fill: css(odd ? theme.point : theme.background, opacity), line: css(odd ? theme.background : theme.text, opacity), width: 2 });
  }

  /** @param {CanvasRenderingContext2D} context @param {number} n */
  ellipse(context, n) {
    const { std, nLatent } = /** @type {Answers} */ (this.overlay.answers);
    const { a, b, theme } = this.state;
    const [x, y, beyond] = this.pixelOf(n);
    if (beyond !== null || a >= nLatent || b >= nLatent) return;
    const ru = (ROW_WIDTHS * std[n * nLatent + a] * this.width) / (2 * this.view.su);
    const rv = (ROW_WIDTHS * std[n * nLatent + b] * this.height) / (2 * this.view.sv);
    context.beginPath();
    context.ellipse(x, y, ru, rv, 0, 0, 2 * Math.PI);
    inkPath(context, { line: css(this.odd(n) ? theme.point : theme.text, 0.4) });
  }

  /** @param {CanvasRenderingContext2D} context @param {number} n */
  name(context, n) {
    const [x, y, beyond] = this.pixelOf(n);
    const { name, weights: [best] } = /** @type {Answers} */ (this.overlay.answers).rows[n];
    this.label(context, x, y, [name, ...(best === undefined ? [] : [chanceWords(best)]), ...(beyond === null ? [] : [BEYOND])].join(" · "));
  }

  /** @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {string} words */
  label(context, x, y, words) {
    const { theme } = this.state;
    context.font = `600 12px ${theme.font}`;
    context.textBaseline = "middle";
    const wide = Math.min(context.measureText(words).width, 200);
    const left = x + 14 + wide > this.width ? x - 14 - wide : x + 14;
    context.fillStyle = css(theme.background, 0.9);
    context.fillRect(left - 3, y - 9, wide + 6, 18);
    context.fillStyle = css(theme.text);
    context.textAlign = "left";
    context.fillText(words, left, y + 0.5, 200);
  }

  /** Return the listed new row that is nearest to the pointer, or −1. @param {number} x @param {number} y */
  newRowAt(x, y) {
    return this.explanationAt(x, y)[0];
  }

  /** Return the listed new row and the explanation that are nearest to the pointer; the row is −1 if none is near. At the best explanation, the choice is −1: all together. @param {number} x @param {number} y @returns {[number, number]} */
  explanationAt(x, y) {
    const { shown, ellipses, current } = this.overlay;
    /** @type {[number, number]} */
    let best = [-1, -1];
    let least = ROW_HIT * ROW_HIT;
    const take = (/** @type {number} */ n, /** @type {number} */ k) => {
      const [u, v] = this.pixelOf(n, k);
      const distance = (u - x) ** 2 + (v - y) ** 2;
      if (distance < least) [best, least] = [[n, k || -1], distance];
    };
    for (const n of shown) take(n, 0);
    if (best[0] >= 0) return best; // a row's own place is in front of other explanations
    for (const n of shown) if (ellipses || n === current) for (const [k] of this.others(n)) take(n, k);
    return best;
  }

  /** Return the new rows inside a closed line of CSS pixels. @override @param {[number, number][]} line @returns {number[]} */
  enclosed(line) {
    const { answers } = this.overlay;
    return answers ? rowsInside(answers.rows.flatMap((_, n) => {
      const [x, y] = this.pixelOf(n);
      return [x, y];
    }), line) : [];
  }
}
