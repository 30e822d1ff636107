// The difference between selected rows and the rest, for each column.

/**
 * chosen, rest: the means of every column; effects: their difference relative to the standard
 * deviation within the two groups (Cohen's d), NaN where a column is constant or missing in one group;
 * order: columns by the size of their effect; count, others: the numbers of rows in the two groups.
 * @typedef {object} Contrast
 * @property {Float64Array} chosen
 * @property {Float64Array} rest
 * @property {Float64Array} effects
 * @property {number[]} order
 * @property {number} count
 * @property {number} others
 */

/**
 * @param {(n: number) => ArrayLike<number>} item the values of a row; NaN is missing
 * @param {number} nRows
 * @param {ArrayLike<number>} rows the chosen rows
 * @returns {Contrast | null} null if a group is empty
 */
export function contrastOf(item, nRows, rows) {
  const inside = new Uint8Array(nRows);
  for (let i = 0; i < rows.length; i++) if (rows[i] < nRows) inside[rows[i]] = 1;
  const count = inside.reduce((sum, one) => sum + one, 0);
  if (!count || count === nRows) return null;
  const [mine, other] = [1, 0].map((group) => groupMoments(item, inside, group));
  const effects = mine.mean.map((mean, d) => {
    const known = mine.known[d] + other.known[d];
    const difference = mean - other.mean[d];
    const within = known > 2 ? (mine.squares[d] + other.squares[d]) / (known - 2) : 0;
    // If both groups are constant, the effect is relative to the standard deviation of all rows.
    const all = (mine.squares[d] + other.squares[d] + difference * difference * ((mine.known[d] * other.known[d]) / known)) / Math.max(known - 1, 1);
    const variance = within > 1e-12 * all ? within : all;
    return variance > 0 ? difference / Math.sqrt(variance) : NaN;
  });
  const size = (/** @type {number} */ d) => (Number.isNaN(effects[d]) ? -1 : Math.abs(effects[d]));
  const order = Array.from(effects.keys()).sort((p, q) => size(q) - size(p));
  return { chosen: mine.mean, rest: other.mean, effects, order, count, others: nRows - count };
}

/**
 * Return, for each column of a group, the number of known rows, their mean, and the sum of squares about the mean (Welford 1962).
 * @param {(n: number) => ArrayLike<number>} item
 * @param {Uint8Array} inside
 * @param {number} group
 */
function groupMoments(item, inside, group) {
  const width = item(0).length;
  const [known, mean, squares] = [new Uint32Array(width), new Float64Array(width), new Float64Array(width)];
  for (let n = 0; n < inside.length; n++) {
    if (inside[n] !== group) continue;
    const values = item(n);
    for (let d = 0; d < width; d++) {
      const value = values[d];
      if (Number.isNaN(value)) continue;
      known[d] += 1;
      const away = value - mean[d];
      mean[d] += away / known[d];
      squares[d] += away * (value - mean[d]);
    }
  }
  for (let d = 0; d < width; d++) if (!known[d]) mean[d] = NaN;
  return { known, mean, squares };
}
