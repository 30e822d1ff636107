// The training points on a latent map.

import { decimalsOf, formatCoordinate, formatData, formatFixed } from "../kit/format.js";
import { Crowd } from "./crowd.js";
import { correlation, scaleEnds } from "./scale.js";

/** @import { Frame } from "../kit/frame.js" */
/** @import { Floats } from "./kernels.js" */

/** Training points on a latent map: their positions and names, and the search for near points. */
export class LatentPoints {
  /**
   * Read the header, arrays and shapes of a frame, which has at least the array `latent`.
   * @param {Frame} frame
   */
  constructor({ header, arrays, shapes }) {
    this.header = header;
    this.nPoints = shapes.latent[0];
    this.nLatent = shapes.latent[1];
    this.relevance = Float64Array.from(header.relevance);
    /** N × Q. @type {Floats} */
    this.latent = arrays.latent;
    /** Variances of the positions, N × Q; undefined if positions are certain. @type {Floats | undefined} */
    this.latentVariance = arrays.latent_variance;
    /** @type {Int32Array | undefined} */
    this.labels = arrays.labels;
    /** @type {Int32Array | undefined} */
    this.sequences = arrays.sequences;
    /** The rows in the order of time, one sequence after the other. @type {Int32Array | undefined} */
    this.order = arrays.order;
    /** F × N, facts of the rows that are numbers. @type {Float32Array | undefined} */
    this.factors = arrays.factors;
    /** The numbers of all rows, if these are not consecutive. @type {Int32Array | undefined} */
    this.rowNumbers = arrays.row_numbers;
    /** All rows, if the page has only a sample of very many rows; else null. @type {Crowd | null} */
    this.crowd = header.crowd ? new Crowd(header.crowd) : null;
    /** The labels of the data. */
    this.file = { names: header.label_names, labels: this.labels };
    /** The visitor's labels of all rows, −1 for none. @type {{ names: string[], labels: Int32Array } | null} */
    this.own = null;
    /** @type {Map<number, [number, number]>} */
    this.factorRanges = new Map();
    /** The decimals of the columns of the data. @type {Map<string, number | null>} */
    this.decimals = new Map();
  }

  /** The number of the model's rows; the first nPoints of them are complete. */
  get nRows() {
    return this.crowd?.count ?? this.nPoints;
  }

  /** Return the shift and the scale from positions to the unit of a dimension, such as a coordinate of a file. @param {number} q @returns {[number, number]} */
  unit(q) {
    return this.header.units?.[q] ?? [0, 1];
  }

  /** Return a coordinate as text, in the unit of its dimension. @param {number} q @param {number} x */
  coordinate(q, x) {
    const [shift, scale] = this.unit(q);
    return this.header.units ? formatFixed(shift + scale * x, scale) : formatCoordinate(x);
  }

  /** Return a row's number in the data, from 1. @param {number} n */
  rowNumber(n) {
    return (this.rowNumbers?.[n] ?? this.crowd?.row(n) ?? n) + 1;
  }

  /** Return a row's place in the data set, from 0. @param {number} n */
  dataRow(n) {
    return this.crowd?.row(n) ?? n;
  }

  /** Use the visitor's labels in place of those of the data, or no longer. @param {boolean} on */
  useOwn(on) {
    const { names, labels } = (on && this.own) || this.file;
    this.header.label_names = names;
    this.labels = labels;
    if (this.crowd) this.crowd.own = (on && this.own?.labels) || null;
  }

  /** The facts that can colour the points, in addition to labels. @returns {string[]} */
  get factorNames() {
    return this.header.factors ?? [];
  }

  /** Return a fact of row n; NaN if unknown. @param {number} f @param {number} n @returns {number} */
  factor(f, n) {
    if (n >= this.nPoints) return this.crowd?.column(`fact ${f}`)?.[n] ?? NaN;
    return /** @type {Float32Array} */ (this.factors)[f * this.nPoints + n];
  }

  /** Return the words of a fact whose values are indices of words; null for a fact with numbers. @param {number} f @returns {string[] | null} */
  factorWords(f) {
    return this.columnOf(f) < 0 ? null : (this.header.drawing.table?.[this.columnOf(f)].words ?? null);
  }

  /** Return the index of the table's column that a fact shows; negative for other facts. @param {number} f */
  columnOf(f) {
    return f - (this.header.factors?.length ?? 0);
  }

  /** Return the ends of a fact's scale. @param {number} f */
  factorRange(f) {
    let range = this.factorRanges.get(f);
    if (!range) {
      range = scaleEnds(/** @type {Float32Array} */ (this.factors).subarray(f * this.nPoints, (f + 1) * this.nPoints));
      this.factorRanges.set(f, range);
    }
    return range;
  }

  /** Return a number of the data as text. @param {string} column its name @param {() => ArrayLike<number>} values of the column @param {number} value @param {number} width of its range */
  dataText(column, values, value, width) {
    let decimals = this.decimals.get(column);
    if (decimals === undefined) this.decimals.set(column, (decimals = decimalsOf(values())));
    return formatData(value, decimals, width);
  }

  /** Return a value of a fact as text. @param {number} f @param {number} value */
  factorText(f, value) {
    const [low, high] = this.factorRange(f);
    return this.dataText(`fact ${f}`, () => /** @type {Float32Array} */ (this.factors).subarray(f * this.nPoints, (f + 1) * this.nPoints), value, high - low);
  }

  /**
   * Return the fact with the largest correlation with a dimension, and the correlation.
   * @param {number} q
   * @returns {{ name: string, r: number } | null} null without facts
   */
  companion(q) {
    const { nPoints: N, nLatent: Q, latent, factors, header } = this;
    if (!factors) return null;
    const positions = Float64Array.from({ length: N }, (_, n) => latent[n * Q + q]);
    const found = header.factors.map((/** @type {string} */ name, /** @type {number} */ f) =>
      ({ name, r: correlation(positions, factors.subarray(f * N, (f + 1) * N)) }));
    return found.reduce((/** @type {{ r: number }} */ best, /** @type {{ r: number }} */ next) => (Math.abs(next.r) > Math.abs(best.r) ? next : best));
  }

  /**
   * Return the index of the training point closest to x; dimensions are weighted by their relevance.
   * @param {ArrayLike<number>} x
   * @param {number[] | null} only the dimensions that count; null: all
   */
  nearest(x, only = null) {
    const { nPoints, nLatent: Q, latent, relevance } = this;
    const dimensions = only ?? Array.from({ length: Q }, (_, q) => q);
    let best = 0;
    let least = Infinity;
    for (let n = 0; n < nPoints; n++) {
      let distance = 0;
      for (const q of dimensions) {
        const difference = x[q] - latent[n * Q + q];
        distance += relevance[q] * difference * difference;
      }
      if (distance < least) [best, least] = [n, distance];
    }
    return best;
  }

  /**
   * Return the rows and distances of the training points closest to x; dimensions are weighted by their relevance.
   * @param {ArrayLike<number>} x
   * @param {number} count
   */
  closest(x, count) {
    const { nPoints, nLatent: Q, latent, relevance } = this;
    const found = Math.min(count, nPoints);
    const [rows, squares] = [new Int32Array(found), new Float64Array(found).fill(Infinity)];
    for (let n = 0; n < nPoints; n++) {
      let distance = 0;
      for (let q = 0; q < Q; q++) distance += relevance[q] * (x[q] - latent[n * Q + q]) ** 2;
      if (distance >= squares[found - 1]) continue;
      let at = found - 1;
      for (; at > 0 && squares[at - 1] > distance; at--) [squares[at], rows[at]] = [squares[at - 1], rows[at - 1]];
      [squares[at], rows[at]] = [distance, n];
    }
    return Array.from(rows, (row, i) => ({ row, distance: Math.sqrt(squares[i]) }));
  }

  /** Return the least and the greatest coordinate along a dimension. @param {number} q @returns {[number, number]} */
  range(q) {
    if (this.crowd) return this.crowd.ranges[q];
    let [low, high] = [Infinity, -Infinity];
    for (let n = 0; n < this.nPoints; n++) {
      const value = this.latent[n * this.nLatent + q];
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return [low, high];
  }

  /** @param {number} n */
  position(n) {
    return Float64Array.from(this.latent.subarray(n * this.nLatent, (n + 1) * this.nLatent));
  }

  /** Return the label of a row; −1 for a row without label. @param {number} n @returns {number} */
  label(n) {
    if (n >= this.nPoints) return this.crowd?.column("labels")?.[n] ?? -1;
    return this.labels ? this.labels[n] : -1;
  }

  /** Return the sorted labels that rows have. */
  presentLabels() {
    return [...new Set(this.crowd?.present ?? this.labels ?? [])].filter((label) => label >= 0).sort((p, q) => p - q);
  }

  /** Return labels in the order of a legend: by name, and numbers in names by their size; the words of a grade keep their order. @param {number[]} labels @param {string[]} names */
  inOrder(labels, names) {
    const graded = this.header.drawing?.table?.some((/** @type {any} */ { kind, words }) => kind === "grade" && String(words) === String(names));
    const { compare } = new Intl.Collator("en", { numeric: true });
    return graded ? labels : labels.sort((p, q) => compare(String(names[p] ?? p), String(names[q] ?? q)));
  }

  /** Whether some rows lack a label (factor < 0), or a value of this fact. @param {number} factor */
  lacks(factor) {
    if (factor >= 0) return this.factors?.subarray(factor * this.nPoints, (factor + 1) * this.nPoints).some(Number.isNaN) ?? false;
    return [this.labels, this.crowd?.present].some((labels) => labels?.some((/** @type {number} */ label) => label < 0));
  }

  /** @param {number} n @returns {string | null} */
  labelName(n) {
    const label = this.label(n);
    return label < 0 ? null : (this.header.label_names[label] ?? String(label));
  }

  /** Return a row's name in the data, such as its identifier or its file. @param {number} n @returns {string | null} */
  id(n) {
    return this.header.row_names?.[n] || null;
  }

  /** Return a row's name: its identifier, or its number. @param {number} n @returns {string} */
  rowName(n) {
    return this.id(n) ?? `Row ${this.rowNumber(n)}`;
  }

  /** Return a row's name, with its label if the label adds information. @param {number} n */
  name(n) {
    const [own, label] = [this.rowName(n), this.labelName(n)];
    return label === null || own.includes(label) ? own : `${own} · ${label}`;
  }
}
