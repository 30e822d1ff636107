// The difference between chosen rows and the rest, or other rows, for each column.

const [OTHER_GROUP, CHOSEN_GROUP, NO_GROUP] = [0, 1, 2]; // the group of a row

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
 * @param {ArrayLike<number> | null} [others] the rows of the other group; null: the rest
 * @returns {Contrast | null} null if a group is empty
 */
export function contrastOf(item, nRows, rows, others = null) {
  const groups = new Uint8Array(nRows).fill(others ? NO_GROUP : OTHER_GROUP);
  const put = (/** @type {ArrayLike<number>} */ into, /** @type {number} */ group) => {
    for (let i = 0; i < into.length; i++) if (into[i] < nRows) groups[into[i]] = group;
  };
  put(others ?? [], OTHER_GROUP);
  put(rows, CHOSEN_GROUP);
  const [count, left] = [CHOSEN_GROUP, OTHER_GROUP].map((group) => groups.filter((each) => each === group).length);
  if (!count || !left) return null;
  const [mine, other] = [CHOSEN_GROUP, OTHER_GROUP].map((group) => groupMoments(item, groups, group));
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
  return { chosen: mine.mean, rest: other.mean, effects, order, count, others: left };
}

/**
 * Return, for each column of a group, the number of known rows, their mean, and the sum of squares about the mean (Welford 1962).
 * @param {(n: number) => ArrayLike<number>} item
 * @param {Uint8Array} groups of the rows
 * @param {number} group
 */
function groupMoments(item, groups, group) {
  const width = item(0).length;
  const [known, mean, squares] = [new Uint32Array(width), new Float64Array(width), new Float64Array(width)];
  for (let n = 0; n < groups.length; n++) {
    if (groups[n] !== group) continue;
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
