// Predictions for a table with columns of words and counts, computed from the model's functions.
//
// Same formulas as gplvm_core/prediction/columns.py, with p(yes) = ⟨σ(f)⟩ ≈ σ(m/√(1 + πv/8)) (MacKay 1992) instead
// of quadrature: the error is at most 0.02. The mean of a count is exact; its interval uses quadrature.

import { formatFixed } from "../kit/format.js";
import { byChance, cellText, cellsOfTable, chanceWords, tableWidth, valuesOfRow } from "../kit/table.js";
import { normal } from "./drawn.js";

/** @import { TableCell } from "../kit/table.js" */
/** @import { LatentModel, Output } from "./model.js" */

// Positive nodes and weights of Gauss–Hermite quadrature with 20 nodes; the others are symmetric.
const NODES = [0.3469641570813559, 1.042945348802751, 1.745247320814127, 2.458663611172368, 3.18901481655339, 3.943967350657316, 4.734581334046055, 5.578738805893201, 6.510590157013654, 7.619048541679758];
const SHARES = [0.2607930634495548, 0.161739333984, 0.06150637206397696, 0.013997837447101, 0.001830103131080492, 0.0001288262799619294, 4.402121090230865e-6, 6.127490259982928e-8, 2.48206236231518e-10, 1.257800672437926e-13];
const TAIL = 0.025; // probability beyond each end of an interval
const NORMAL_END = 1.96; // standard deviations from the mean of a Gaussian to the ends of its interval
const MOST_COUNTED = 2000; // the intervals of larger counts are computed from the deviation of their logarithm

/** How functions map to columns; see gplvm_core/wire/table.py.
 * @typedef {{ columns: { start: number, spread: number, noise?: number, size?: number, freedom?: number }[], center: number[], unit: number[], whole?: number }} Links
 * whole: the sum of the fractions, if there are any */
/** Prediction for a column: probabilities of its words, or the mean and the ends of the 95 % interval.
 * @typedef {{ chances: Float64Array } | { value: number, low: number, high: number }} Answer */

/** Return p(yes) for f ~ N(mean, variance). @param {number} mean @param {number} variance */
export function yesChance(mean, variance) {
  return 1 / (1 + Math.exp(-mean / Math.sqrt(1 + (Math.PI * variance) / 8)));
}

/** Return the probabilities of ordered classes; yes[k]: the probability of class k if no earlier class applies. @param {ArrayLike<number>} yes */
export function classChances(yes) {
  const chances = new Float64Array(yes.length + 1);
  let later = 1;
  for (let k = 0; k < yes.length; k++) {
    chances[k] = later * yes[k];
    later *= 1 - yes[k];
  }
  chances[yes.length] = later;
  return chances;
}

/** Return the mean of a count for f ~ N(mean, variance). @param {number} mean @param {number} variance @param {number} size of the negative binomial */
export const countMean = (mean, variance, size) => size * Math.exp(mean + variance / 2);

/**
 * Return the ends of the interval with 95 % of the counts, for f ~ N(mean, variance).
 * @param {number} mean
 * @param {number} variance
 * @param {number} size of the negative binomial
 */
export function countInterval(mean, variance, size) {
  const middle = size * Math.exp(mean);
  if (middle * Math.exp(2 * Math.sqrt(variance)) > MOST_COUNTED) {
    const deviation = Math.sqrt(variance + 1 / middle + 1 / size);
    return { low: Math.floor(middle * Math.exp(-NORMAL_END * deviation)), high: Math.ceil(middle * Math.exp(NORMAL_END * deviation)) };
  }
  const nodes = NODES.flatMap((node, i) => [-node, node].map((at) => {
    const f = mean + at * Math.sqrt(variance);
    // p(0) = σ(−f)^r, and p(y + 1)/p(y) = σ(f) (y + r)/(y + 1).
    return { next: 1 / (1 + Math.exp(-f)), chance: SHARES[i] * Math.exp(-size * Math.log1p(Math.exp(f))) };
  }));
  let [below, low] = [0, -1];
  for (let count = 0; ; count++) {
    for (const node of nodes) {
      below += node.chance;
      node.chance *= (node.next * (count + size)) / (count + 1);
    }
    if (low < 0 && below >= TAIL) low = count;
    if (below >= 1 - TAIL || count > 20 * MOST_COUNTED) return { low, high: count };
  }
}

/**
 * Move some values to the nearest ones that are not negative and have this sum, as gplvm_core/models/data/fractions.py does.
 * @param {Float64Array} values
 * @param {readonly number[]} places
 * @param {number} whole
 */
export function toFractions(values, places, whole) {
  const ordered = places.map((at) => values[at]).sort((a, b) => b - a);
  let [sum, level] = [0, 0];
  ordered.forEach((value, k) => {
    sum += value;
    if (value > (sum - whole) / (k + 1)) level = (sum - whole) / (k + 1);
  });
  for (const at of places) values[at] = Math.max(values[at] - level, 0);
}

/** @implements {Output} */
export class TableOutput {
  /** @param {LatentModel} model whose outputs are functions of a table */
  constructor(model) {
    this.model = model;
    this.header = model.header;
    this.drawing = model.drawing;
    this.cells = cellsOfTable(model.drawing.table ?? []);
    this.nOutputs = tableWidth(this.cells);
    /** @type {Links} */
    this.links = model.header.links;
    /** Where the fractions are among the outputs. */
    this.fractions = this.cells.filter(({ kind }) => kind === "fraction").map(({ start }) => start);
    /** The functions at the last place; they are cached, because each frame uses them several times. @type {{ x: Float64Array, variance: Float64Array | null, found: { mean: Float64Array, variances: Float64Array } } | null} */
    this.last = null;
  }

  /** Forget the last place, because the model's outputs have changed. */
  forget() {
    this.last = null;
  }

  /**
   * Return the prediction for every column at a place, x* ~ N(x, variance).
   * @param {Float64Array} x
   * @param {ArrayLike<number> | null} variance
   * @param {ArrayLike<number> | null} [added] variances that an uncertain place adds to the functions
   * @returns {Answer[]}
   */
  answers(x, variance, added = null) {
    const { mean, variances: certain } = this.functions(x, variance);
    const { unit } = this.links;
    const variances = added ? certain.map((own, d) => own + unit[d] * unit[d] * added[d]) : certain;
    const values = new Float64Array(this.nOutputs);
    this.write(mean, variances, values);
    return this.cells.map(({ words, kind, start: at, width }, c) => {
      const { start, noise = 0, size } = this.links.columns[c];
      const expected = values.subarray(at, at + width);
      if (words) return { chances: expected };
      if (size) return { value: expected[0], ...countInterval(mean[start], variances[start], size) };
      // With Student-t noise of four degrees of freedom, this is within 1 % of the quantiles.
      const half = NORMAL_END * Math.sqrt(variances[start] + noise);
      const [low, high] = [-half, half].map((step) => expected[0] + step);
      if (kind === "fraction") return { value: expected[0], low: Math.max(low, 0), high: Math.min(high, this.links.whole ?? 1) };
      return { value: expected[0], low, high };
    });
  }

  /** Write the values of all columns for these moments of the functions. @param {Float64Array} mean @param {Float64Array | null} variances @param {Float64Array} values */
  write(mean, variances, values) {
    this.cells.forEach(({ start }, c) => values.set(this.expected(c, mean, variances), start));
    if (this.links.whole) toFractions(values, this.fractions, this.links.whole);
  }

  /** Return the mean and variances of the functions. @param {Float64Array} x @param {ArrayLike<number> | null} variance */
  functions(x, variance) {
    const { last } = this;
    if (last && alike(last.x, x) && alike(last.variance, variance)) return last.found;
    const { center, unit } = this.links;
    const { mean, variances } = this.model.moments(x, variance);
    for (let d = 0; d < mean.length; d++) {
      mean[d] = center[d] + unit[d] * mean[d];
      variances[d] *= unit[d] * unit[d];
    }
    this.last = { x: x.slice(), variance: variance && Float64Array.from(variance), found: { mean, variances } };
    return this.last.found;
  }

  /** Return the values of a column: the probabilities of its words, or its mean. @param {number} c @param {Float64Array} mean @param {Float64Array | null} variances */
  expected(c, mean, variances) {
    const { words } = this.cells[c];
    const { start, size } = this.links.columns[c];
    const variance = (/** @type {number} */ d) => variances?.[d] ?? 0;
    if (words) return classChances(Array.from({ length: words.length - 1 }, (_, k) => yesChance(mean[start + k], variance(start + k))));
    return Float64Array.of(size ? countMean(mean[start], variance(start), size) : mean[start]);
  }

  /** Write the values of a row at a place into `values`; return the variance, as the model does. @param {ArrayLike<number>} x @param {Float64Array} values */
  predict(x, values) {
    const place = Float64Array.from(x);
    const { mean, variances } = this.functions(place, null);
    this.write(mean, variances, values);
    return this.model.variance(place);
  }

  /** Return the probability of a word of a column. @param {Float64Array} x @param {number} c @param {number} word */
  chance(x, c, word) {
    const { model, links: { center, unit, columns } } = this;
    const { start } = columns[c];
    const last = Math.min(word, this.cells[c].width - 2);
    const seen = model.someOutputs(x, start, start + last + 1);
    const yes = seen.map(({ mean, variance }, k) => yesChance(center[start + k] + unit[start + k] * mean, variance * unit[start + k] ** 2));
    const earlier = yes.slice(0, word).reduce((product, chance) => product * (1 - chance), 1);
    return word > last ? earlier : earlier * yes[word];
  }

  /**
   * Return the predictive deviation at a place relative to the data's deviation, as root mean square over the
   * columns. The variance of words is Σ_k p_k (1 − p_k); numbers and counts have the variance of their
   * function.
   * @param {Float64Array} x
   * @param {ArrayLike<number> | null} variance
   */
  off(x, variance) {
    const { mean, variances } = this.functions(x, variance);
    const total = this.cells.reduce((sum, { words }, c) => {
      const { start, spread } = this.links.columns[c];
      const expected = this.expected(c, mean, variances);
      const { size } = this.links.columns[c];
      const step = Math.sqrt(variances[start]);
      const own = words ? expected.reduce((gini, chance) => gini + chance * (1 - chance), 0)
        : (size ? size * Math.exp(mean[start]) * Math.sinh(step) : step) ** 2;
      return sum + (spread > 0 ? Math.min(own / spread, 1) : 0);
    }, 0);
    return Math.sqrt(total / this.cells.length);
  }

  /** Write a random row at a place into `values`. @param {Float64Array} x @param {Float64Array} values @param {() => number} [random] */
  sample(x, values, random = Math.random) {
    const { mean, variances } = this.functions(x, null);
    const drawn = mean.map((value, d) => value + Math.sqrt(variances[d]) * normal(random));
    this.cells.forEach(({ start, width, words }, c) => {
      const { start: d, noise = 0, size, freedom } = this.links.columns[c];
      const expected = this.expected(c, drawn, null);
      if (words) {
        const chance = random();
        let word = 0;
        for (let sum = expected[0]; sum < chance && word < width - 1; sum += expected[word]) word += 1;
        for (let k = 0; k < width; k++) values[start + k] = Number(k === word);
      } else values[start] = size ? drawnCount(drawn[d], size, random) : expected[0] + (freedom ? drawnNoise(noise, freedom, random) : Math.sqrt(noise) * normal(random));
    });
    if (!this.links.whole) return;
    // Beside fractions are only numbers, so their functions have the same places. The sum takes one dimension from the scatter.
    const wider = Math.sqrt(this.fractions.length / (this.fractions.length - 1));
    for (const d of this.fractions) values[d] = mean[d] + wider * (values[d] - mean[d]);
    toFractions(values, this.fractions, this.links.whole);
  }

  /** Return the values of a training row. @param {number} n */
  item(n) {
    return valuesOfRow(this.cells, this.model.item(n));
  }

  /** @param {number} variance */
  deviation(variance) {
    return this.model.deviation(variance);
  }

  /** @param {ArrayLike<number>} x @returns {Float64Array} standard deviations of numbers and counts, NaN for words */
  deviations(x) {
    const { mean, variances } = this.functions(Float64Array.from(x), null);
    const found = new Float64Array(this.nOutputs).fill(NaN);
    this.cells.forEach(({ words, start }, c) => {
      const { start: d, size } = this.links.columns[c];
      if (!words) found[start] = Math.sqrt(variances[d]) * (size ? size * Math.exp(mean[d]) : 1);
    });
    return found;
  }

  /** @param {number} variance */
  spreadWords(variance) {
    return this.model.spreadWords(variance);
  }

  /** Return the predicted row at a place as text. @param {ArrayLike<number>} x */
  words(x) {
    const values = new Float64Array(this.nOutputs);
    this.predict(x, values);
    return this.cells.map((cell) => `${cell.name} ${cellText(values, cell)}`).join(", ");
  }
}

/** @param {ArrayLike<number> | null} first @param {ArrayLike<number> | null} second */
function alike(first, second) {
  if (!first || !second) return first === second;
  for (let q = 0; q < first.length; q++) if (first[q] !== second[q]) return false;
  return true;
}

/** Return the interval of a column as text. @param {TableCell} cell @param {{ low: number, high: number }} answer */
export function intervalWords({ kind, range }, { low, high }) {
  if (kind === "count") return `${low} to ${high}`;
  const [least, , most] = /** @type {[number, number, number]} */ (range);
  return `± ${formatFixed((high - low) / 2, most - least)}`;
}

/**
 * Return the change of a column between two rows as text, such as “Adelie → Gentoo 80 %”, and the change's
 * size relative to the column's spread in the data.
 * @param {TableCell} cell
 * @param {ArrayLike<number>} from
 * @param {ArrayLike<number>} to
 * @param {number} spread
 */
export function cellChange(cell, from, to, spread) {
  let size = 0;
  for (let k = cell.start; k < cell.start + cell.width; k++) size += (to[k] - from[k]) ** 2;
  const [first] = cell.words ? byChance(from, cell) : [0];
  const [last] = cell.words ? byChance(to, cell) : [0];
  const words = !cell.words ? [cellText(from, cell), cellText(to, cell)]
    : first === last ? [`${cell.words[first]} ${chanceWords(from[cell.start + first])}`, chanceWords(to[cell.start + first])]
      : [cell.words[first], cellText(to, cell)];
  return { size: spread > 0 ? Math.sqrt(size / spread) : 0, words };
}

/** Return random Student-t noise with this variance (Bailey 1994). @param {number} variance @param {number} freedom degrees of freedom @param {() => number} random */
function drawnNoise(variance, freedom, random) {
  for (;;) {
    const first = 2 * random() - 1;
    const square = first * first + (2 * random() - 1) ** 2;
    if (square > 0 && square <= 1) return first * Math.sqrt((variance * (freedom - 2) * (square ** (-2 / freedom) - 1)) / square);
  }
}

/** Return a random count from a negative binomial, by inverting the cumulative distribution. @param {number} f @param {number} size @param {() => number} random */
function drawnCount(f, size, random) {
  const next = 1 / (1 + Math.exp(-f));
  let chance = Math.exp(-size * Math.log1p(Math.exp(f)));
  // For very large counts, p(0) underflows to 0, so the mean is returned.
  if (!(chance > 0)) return Math.round(size * Math.exp(f));
  let count = 0;
  for (let rest = random() - chance; rest > 0 && count < 1e6; count++) {
    chance *= (next * (count + size)) / (count + 1);
    rest -= chance;
  }
  return count;
}
