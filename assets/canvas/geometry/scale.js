// Columns of numbers: the ends of their scale, and their correlation.

const RIM = 0.02; // fraction of the rows at each end that have the scale's first or last colour

/**
 * Return the ends of a fact's scale; all but the outermost rows are between them.
 * @param {ArrayLike<number>} values
 * @returns {[number, number]}
 */
export function scaleEnds(values) {
  const sorted = Float64Array.from(Array.from(values).filter((value) => !Number.isNaN(value))).sort();
  const last = sorted.length - 1;
  const [low, high] = [sorted[Math.floor(RIM * last)], sorted[Math.ceil((1 - RIM) * last)]];
  return low < high ? [low, high] : [sorted[0], sorted[last]];
}

/**
 * Return Pearson's correlation of two columns over the rows where the second is known; 0 if a column is constant.
 * @param {ArrayLike<number>} first
 * @param {ArrayLike<number>} second
 */
export function correlation(first, second) {
  const rows = Array.from(second).flatMap((value, n) => (Number.isNaN(value) ? [] : [n]));
  const mean = (/** @type {ArrayLike<number>} */ values) => rows.reduce((sum, n) => sum + values[n], 0) / rows.length;
  const [a, b] = [mean(first), mean(second)];
  let [both, one, two] = [0, 0, 0];
  for (const n of rows) {
    both += (first[n] - a) * (second[n] - b);
    one += (first[n] - a) ** 2;
    two += (second[n] - b) ** 2;
  }
  return one > 0 && two > 0 ? both / Math.sqrt(one * two) : 0;
}
