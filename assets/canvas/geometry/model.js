// The fitted model in the browser: it computes predictive means and variances.

import { formatNumber } from "../kit/format.js";
import { readFrame } from "../kit/frame.js";
import { ownText } from "../kit/table.js";
import { kernelKind } from "./kernels.js";
import { Levels } from "./levels.js";
import { LatentPoints } from "./points.js";
import { scaleEnds } from "./scale.js";
import { LatentSlice } from "./slice.js";
import { TableOutput } from "./table.js";
import { OutputVariances } from "./variances.js";

/** @import { Drawing } from "../kit/geometry.js" */
/** @import { Floats, Part } from "./kernels.js" */

// Same formulas as gplvm_core/prediction; the browser test checks that both agree to 1e-4.
//
// pack.py sends the mean and the variance in a basis T in which both are sums of well-scaled terms:
//   alpha = T k(Z, x) (T is R × M),   mean = center + weightsᵀ alpha,   variance = k(x, x) - sum shrink alpha^2.
// If a layer also passes its inputs on through a linear map, the inputs are further alphas, without shrinkage.

/**
 * What drawings need of a model: its outputs at a point, and small pictures of the training rows.
 * @typedef {object} Output
 * @property {any} header with item_shape and item_range
 * @property {Drawing} drawing
 * @property {number} nOutputs
 * @property {(x: ArrayLike<number>, mean: Float64Array) => number} predict writes the mean into its second argument; returns the variance
 * @property {(variance: number) => number} deviation returns the deviation in the data's units, as root mean square over the outputs
 * @property {(x: ArrayLike<number>) => Float64Array} deviations returns the deviation of every output's function, in the data's units
 * @property {(variance: number) => string} spreadWords
 * @property {(n: number) => ArrayLike<number>} item
 * @property {(x: ArrayLike<number>) => string} [words] returns the output as text, for a table with words
 */

const MOST_GROUPS = 8; // kinds of outputs; if there are more, variances are computed only at the middle of an uncertain place
const NOTHING = 1e-5; // fraction of the positions' variance; smaller contributions are omitted
const LEAST_SHOWN = 1e-3; // fraction of the data's spread; smaller deviations are shown as "under"
const MOST_COLUMNS = 200; // columns of a table offered as colours
const MOST_FOR_GAP = 300; // inducing inputs up to which a separate quadratic form speeds up the shading

/** @implements {Output} */
export class LatentModel extends LatentPoints {
  /** @param {Uint8Array} bytes framed, from gplvm_core/wire/model.py, pack_model */
  constructor(bytes) {
    const content = readFrame(bytes);
    super(content);
    const { header, arrays, shapes } = content;
    /** @type {Drawing} */
    this.drawing = header.drawing;
    /** @type {Part[]} */
    this.kernel = header.kernel;
    this.kinds = this.kernel.map(kernelKind);
    /** M × Q. @type {Floats} */
    this.inducing = arrays.inducing;
    this.nInducing = shapes.inducing[0];
    this.rank = shapes.transform[0];
    this.nOutputs = shapes.weights[1];
    /** R × M. @type {Floats} */
    this.transform = arrays.transform;
    /** @type {Floats} */
    this.shrink = arrays.shrink;
    /** @type {Floats} */
    this.center = arrays.center;
    /** The number of terms of the mean: R, or R + Q if the layer also passes on its inputs. */
    this.nTerms = this.rank + (shapes.slope?.[0] ?? 0);
    /** One row per term, D columns. @type {Floats} */
    this.weights = arrays.slope ? joined(arrays.weights, arrays.slope) : arrays.weights;
    /** The training rows at reduced size. @type {Float32Array | Uint8Array} */
    this.items = arrays.items;
    this.itemSize = this.items.length / this.nPoints;
    /** The columns that can colour the map. @type {readonly string[]} */
    this.coloured = this.wholeColumns();
    this.outputs = new OutputVariances(content);
    /** The values of known factors that the map leaves out; null without any. */
    this.levels = header.levels ? new Levels(content) : null;
    /** @type {Float64Array | undefined} */
    this.powers = undefined;
    this.row = new Float64Array(this.nInducing);
    this.alpha = new Float64Array(this.nTerms);
    /** @type {Float64Array | null} */
    this.gap = null;
    /** Converts functions to columns, if some columns are words or counts. */
    this.table = header.links ? new TableOutput(this) : null;
    this.showLevel(header.levels?.first ?? 0);
  }

  /** Show the map at a value of the known factors that it leaves out. @param {number} level */
  showLevel(level) {
    this.levels?.show(level, this);
    this.gap = this.nInducing <= MOST_FOR_GAP ? this.quadraticForm() : null;
    this.table?.forget();
  }

  /** The facts of the rows and, for a table, its columns. @override */
  get factorNames() {
    return [...super.factorNames, ...this.coloured];
  }

  /** Return the columns of a table if the frame has their values. @returns {readonly string[]} */
  wholeColumns() {
    const { kind, columns } = this.drawing;
    if (!columns || this.crowd || this.itemSize !== columns.length || this.itemSize > MOST_COLUMNS) return [];
    return kind === "table" || (this.itemSize === this.nOutputs && (kind === "bars" || kind === "curve")) ? columns : [];
  }

  /** @override @param {number} f @param {number} n @returns {number} */
  factor(f, n) {
    const facts = super.factorNames.length;
    return f < facts ? super.factor(f, n) : this.items[n * this.itemSize + f - facts];
  }

  /** @override @param {number} f */
  factorRange(f) {
    if (f < super.factorNames.length) return super.factorRange(f);
    let range = this.factorRanges.get(f);
    if (!range) {
      range = scaleEnds(Float32Array.from({ length: this.nPoints }, (_, n) => this.factor(f, n)));
      this.factorRanges.set(f, range);
    }
    return range;
  }

  /** Whether distances on the map can be measured; this needs the kernel's derivative. */
  get lengths() {
    return this.kinds.every(({ derivative }) => derivative);
  }

  /** Return the lower triangle of T' diag(shrink) T with doubled off-diagonal; the triangle halves the work of the shading. */
  quadraticForm() {
    const M = this.nInducing;
    const gap = new Float64Array((M * (M + 1)) / 2);
    for (let r = 0; r < this.rank; r++) {
      const shrink = this.shrink[r];
      const row = this.transform.subarray(r * M, (r + 1) * M);
      for (let i = 0, at = 0; i < M; i++) {
        const left = shrink * row[i];
        for (let j = 0; j <= i; j++) gap[at++] += left * row[j] * (i === j ? 1 : 2);
      }
    }
    return gap;
  }

  /**
   * Write k(Z, x) into out.
   * @param {ArrayLike<number>} x
   * @param {Float64Array} out
   */
  kernelRow(x, out) {
    out.fill(0);
    for (let p = 0; p < this.kernel.length; p++) this.kinds[p].row(this.kernel[p], x, this, out);
    return out;
  }

  /** k(x, x). @param {ArrayLike<number>} x */
  kernelDiagonal(x) {
    return this.kernel.reduce((total, part, p) => total + this.kinds[p].diagonal(part, x), 0);
  }

  /**
   * Write the predictive mean in the data's units into `mean` (D), and return the variance in internal units.
   * @param {ArrayLike<number>} x
   * @param {Float64Array} mean
   */
  predict(x, mean) {
    const variance = this.kernelDiagonal(x) - this.look(x);
    mean.set(this.center);
    this.project(this.alpha, mean);
    return Math.max(variance, 0);
  }

  /**
   * Return the mean and variances of all outputs at an uncertain place, x* ~ N(x, variance), in the data's units.
   *
   * They follow from the law of total variance over 2Q places around x (third-degree spherical cubature, which is
   * exact for means that are cubic in x). A variance of 0, or no variance, means that the place is known exactly.
   * @param {Float64Array} x
   * @param {ArrayLike<number> | null} variance
   * @returns {{ mean: Float64Array, variances: Float64Array }} of the functions, without noise
   */
  moments(x, variance) {
    const { nOutputs: D, nTerms: R, outputs } = this;
    const dimensions = Array.from(x.keys()).filter((q) => variance && variance[q] > 0);
    const weight = 1 / (2 * dimensions.length || 1);
    outputs.begin();
    let shared = 0;
    /** alpha at a place. @param {Float64Array} place */
    const look = (place) => {
      const prior = this.kernelDiagonal(place);
      shared += weight * Math.max(prior - this.look(place), 0);
      if (outputs.groups <= MOST_GROUPS) outputs.look(this.row, prior, weight);
      return this.alpha.slice();
    };
    // If there are many kinds of outputs, each kind's own variance is evaluated only at x, to save time.
    if (outputs.groups > MOST_GROUPS) outputs.look(this.kernelRow(x, this.row), this.kernelDiagonal(x), 1);
    const centre = new Float64Array(R);
    const pairs = dimensions.map((q) => {
      const [low, high] = [-1, 1].map((side) => {
        const place = Float64Array.from(x);
        place[q] += side * Math.sqrt(dimensions.length * /** @type {ArrayLike<number>} */ (variance)[q]);
        return look(place);
      });
      for (let r = 0; r < R; r++) centre[r] += weight * (low[r] + high[r]);
      return { low, high };
    });
    if (!pairs.length) centre.set(look(x));
    const mean = new Float64Array(this.center);
    this.project(centre, mean);
    const variances = outputs.variances(shared, D);
    // The sum of squares of two places follows from their middle and half their difference.
    const ways = pairs.flatMap(({ low, high }) => [
      low.map((value, r) => (high[r] - value) / 2), low.map((value, r) => (high[r] + value) / 2 - centre[r]),
    ]);
    const sizes = ways.map((way) => way.reduce((sum, value, r) => sum + value * value * this.power[r], 0));
    const least = NOTHING * sizes.reduce((sum, size) => sum + size, 0);
    const away = new Float64Array(D);
    ways.forEach((way, i) => {
      if (sizes[i] <= least) return;
      away.fill(0);
      this.project(way, away);
      for (let d = 0; d < D; d++) variances[d] += 2 * weight * away[d] * away[d];
    });
    return { mean, variances };
  }

  /** The contribution of every term to the outputs, as sums of squared weights. */
  get power() {
    const { nTerms, nOutputs: D, weights } = this;
    if (!this.powers) {
      this.powers = new Float64Array(nTerms);
      for (let at = 0; at < nTerms * D; at++) this.powers[Math.floor(at / D)] += weights[at] * weights[at];
    }
    return this.powers;
  }

  /** Add weightsᵀ alpha to the outputs. @param {Float64Array} alpha @param {Float64Array} out */
  project(alpha, out) {
    const { nTerms, nOutputs: D, weights } = this;
    const fours = nTerms - (nTerms % 4);
    // Four terms are added at a time, so that the outputs are read and written a quarter as often.
    for (let r = 0; r < fours; r += 4) {
      const [a, b, c, d] = alpha.subarray(r, r + 4);
      const [first, second, third] = [(r + 1) * D, (r + 2) * D, (r + 3) * D];
      for (let i = 0, at = r * D; i < D; i++, at++) out[i] += a * weights[at] + b * weights[first + i] + c * weights[second + i] + d * weights[third + i];
    }
    for (let r = fours; r < nTerms; r++) {
      const factor = alpha[r];
      for (let i = 0, at = r * D; i < D; i++, at++) out[i] += factor * weights[at];
    }
  }

  /** @param {ArrayLike<number>} x */
  deviations(x) {
    const { outputs, row } = this;
    const prior = this.kernelDiagonal(x);
    this.kernelRow(x, row);
    outputs.begin();
    outputs.look(row, prior, 1);
    return outputs.variances(Math.max(prior - this.explained(row), 0), this.nOutputs).map(Math.sqrt);
  }

  /**
   * Return the mean and variance of some outputs' functions at a place, in the data's units.
   * @param {ArrayLike<number>} x
   * @param {number} from
   * @param {number} to
   */
  someOutputs(x, from, to) {
    const { nTerms, nOutputs: D, weights, alpha, row, center, outputs } = this;
    const prior = this.kernelDiagonal(x);
    const shared = Math.max(prior - this.look(x), 0);
    return Array.from({ length: to - from }, (_, i) => {
      let mean = center[from + i];
      for (let r = 0, at = from + i; r < nTerms; r++, at += D) mean += alpha[r] * weights[at];
      return { mean, variance: outputs.one(from + i, row, prior, shared) };
    });
  }

  /** Return the standard deviation of a row's noise in output d, in the data's units. @param {number} d */
  noise(d) {
    return Math.sqrt(this.header.noise_variance) * this.outputs.scales[d];
  }

  /** Return only the variance, in internal units; this is faster than `predict`. @param {ArrayLike<number>} x */
  variance(x) {
    return Math.max(this.kernelDiagonal(x) - this.known(this.kernelRow(x, this.row)), 0);
  }

  /** Return the sum of shrink alpha^2 for a kernel row, without computing alpha. @param {Float64Array} row */
  known(row) {
    const { nInducing: M, gap } = this;
    if (!gap) return this.explained(row);
    let total = 0;
    for (let m = 0, at = 0; m < M; m++) {
      let sum = 0;
      for (let j = 0; j <= m; j++, at++) sum += gap[at] * row[j];
      total += sum * row[m];
    }
    return total;
  }

  /** Return the sum of shrink alpha^2 at a place; also store the place's kernel row and alpha. @param {ArrayLike<number>} x */
  look(x) {
    const { rank, nTerms, row, alpha } = this;
    for (let r = rank; r < nTerms; r++) alpha[r] = x[r - rank];
    return this.explained(this.kernelRow(x, row));
  }

  /** Return the sum of shrink alpha^2 for a kernel row; also store alpha. @param {Float64Array} row */
  explained(row) {
    const { nInducing: M, rank, transform, shrink, alpha } = this;
    let total = 0;
    for (let r = 0; r < rank; r++) {
      let sum = 0;
      for (let m = 0, at = r * M; m < M; m++, at++) sum += transform[at] * row[m];
      alpha[r] = sum;
      total += shrink[r] * sum * sum;
    }
    return total;
  }

  /**
   * Return the standard deviation in the data's units for a variance in internal units (the scale is the root mean square over columns).
   * @param {number} variance
   */
  deviation(variance) {
    return Math.sqrt(variance) * this.header.scale;
  }

  /** Return the deviation as text, for a variance in internal units. @param {number} variance */
  spreadWords(variance) {
    if (this.table) return `± ${Math.round(100 * this.deviation(variance))} %`;
    if (variance < LEAST_SHOWN ** 2) return `± under ${formatNumber(this.deviation(LEAST_SHOWN ** 2), 1)}`;
    return `± ${formatNumber(this.deviation(variance), 2)}`;
  }

  /** The models whose pictures of a training row are drawn side by side. @returns {Output[]} */
  get pictured() {
    return [this.table ?? this];
  }

  /** Return a training row as it was sent; missing values are NaN. @param {number} n */
  item(n) {
    const values = this.items.subarray(n * this.itemSize, (n + 1) * this.itemSize);
    const code = this.header.item_missing ?? null;
    return code === null ? values : Float32Array.from(values, (value) => (value === code ? NaN : value));
  }

  /** Return a value of a training row as text. @param {number} d a column of the data @param {number} value as in `item` */
  itemText(d, value) {
    const column = this.drawing.table?.[d];
    if (column?.words) return ownText(column, value);
    const [low, , high] = column?.range ?? this.header.column_ranges?.[d] ?? [0, 0, 1];
    return this.dataText(`item ${d}`, () => Float32Array.from({ length: this.nPoints }, (_, n) => this.item(n)[d]), value, high - low);
  }

  /**
   * Return the plane through x along dimensions a and b, for the shading.
   * @param {ArrayLike<number>} x
   * @param {number} a
   * @param {number} b
   */
  slice(x, a, b) {
    return new LatentSlice(this, x, a, b);
  }
}

/** @param {Floats} first @param {Floats} second */
function joined(first, second) {
  const both = new Float32Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
