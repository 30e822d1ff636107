// One row with the mask of its hidden cells.

/** @import { Drawing } from "../kit/geometry.js" */

export class HiddenRow {
  /**
   * header: the packed rows' header; values: the row, NaN where missing; mask: 1 for hidden cells.
   * @param {any} header
   * @param {string} id
   * @param {Float32Array} values
   * @param {Uint8Array} mask
   */
  constructor(header, id, values, mask) {
    this.id = id;
    this.values = values;
    this.mask = mask;
    /** @type {Drawing} */
    this.drawing = header.drawing;
    /** The data's standard deviation, which is the end of the uncertainty's colour scale. @type {number} */
    this.spread = header.spread;
    this.perCell = values.length / header.cells;
    this.title = header.items.find((/** @type {any} */ item) => item.id === id).title;
    /** Whether the true values of all cells are known. */
    this.whole = !values.some(Number.isNaN);
  }

  /** Return whether a cell is hidden or missing. @param {number} cell */
  gap(cell) {
    if (this.mask[cell]) return true;
    for (let d = cell * this.perCell; d < (cell + 1) * this.perCell; d++) if (Number.isNaN(this.values[d])) return true;
    return false;
  }

  gaps() {
    return this.mask.reduce((count, _, cell) => count + (this.gap(cell) ? 1 : 0), 0);
  }

  /** Return the values as the model sees them. */
  seen() {
    return this.values.map((value, d) => (this.mask[Math.floor(d / this.perCell)] ? NaN : value));
  }

  /** Return the values, with missing values from `mean`, to position the parts. @param {Float32Array | undefined} mean */
  filled(mean) {
    return this.whole || !mean ? this.values : this.values.map((value, d) => (Number.isNaN(value) ? mean[d] : value));
  }

  text() {
    return maskText(this.mask);
  }
}

/**
 * Return a mask over the cells (Uint8Array of 0 and 1) as base64 of its bits, first cell first.
 * @param {Uint8Array} mask
 */
export function maskText(mask) {
  const bytes = new Uint8Array(Math.ceil(mask.length / 8));
  mask.forEach((hidden, i) => { if (hidden) bytes[i >> 3] |= 128 >> (i & 7); });
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** @param {string} text @param {number} count */
export function maskOfText(text, count) {
  const bits = atob(text);
  return Uint8Array.from({ length: count }, (_, i) => (bits.charCodeAt(i >> 3) >> (7 - (i & 7))) & 1);
}
