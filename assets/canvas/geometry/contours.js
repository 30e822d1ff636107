// Contour lines of values on a grid (marching squares).

/** A line segment, in columns and rows of the grid. @typedef {[number, number, number, number]} Piece */

/**
 * Return the segments where the values cross a level; squares with a NaN corner have no segments.
 * @param {ArrayLike<number>} values rows × columns
 * @param {number} columns
 * @param {number} level
 * @returns {Piece[]}
 */
export function contour(values, columns, level) {
  /** @type {Piece[]} */
  const pieces = [];
  const rows = values.length / columns;
  for (let j = 0; j + 1 < rows; j++) {
    for (let i = 0; i + 1 < columns; i++) {
      const at = j * columns + i;
      // The corners around the square, each with the side that leads to the next corner.
      const corners = [values[at], values[at + 1], values[at + columns + 1], values[at + columns]];
      if (corners.some(Number.isNaN)) continue;
      const crossings = [[0, 0, 1, 0], [1, 0, 0, 1], [1, 1, -1, 0], [0, 1, 0, -1]].flatMap(([x, y, dx, dy], k) => {
        const [here, next] = [corners[k], corners[(k + 1) % 4]];
        if (here > level === next > level) return [];
        const share = (level - here) / (next - here);
        return [[i + x + share * dx, j + y + share * dy]];
      });
      // A saddle has four crossings; the value in the middle determines which of them are connected.
      const high = crossings.length === 4 && corners[0] + corners[1] + corners[2] + corners[3] > 4 * level;
      if (high !== corners[0] > level) crossings.push(...crossings.splice(0, 1));
      for (let k = 0; k + 1 < crossings.length; k += 2) pieces.push(/** @type {Piece} */ ([...crossings[k], ...crossings[k + 1]]));
    }
  }
  return pieces;
}

/**
 * Return levels in the range of the values, as a geometric sequence from the least value.
 * @param {ArrayLike<number>} values NaN is ignored
 * @param {number} factor
 */
export function levelsBetween(values, factor) {
  const known = Array.from(values).filter((value) => value > 0);
  const [least, highest] = known.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, 0]);
  const levels = [];
  for (let level = factor * least; level < highest; level *= factor) levels.push(level);
  return levels;
}

/**
 * Smooth values repeatedly with weights 1 : 2 : 1 along both axes; the smoothing has a standard deviation of √(times
 * / 2) squares. NaN stays NaN, and has no effect on its neighbours.
 * @param {Float64Array} values rows × columns
 * @param {number} columns
 * @param {number} times
 */
export function smoothGrid(values, columns, times) {
  let [now, next] = [values.slice(), values.slice()];
  for (let k = 0; k < 2 * times; k++) {
    const step = k % 2 ? 1 : columns;
    for (let at = 0; at < values.length; at++) {
      const [before, after] = [at - step, at + step].map((beside) => {
        const inside = step === 1 ? Math.floor(beside / columns) === Math.floor(at / columns) : beside >= 0 && beside < values.length;
        return inside && !Number.isNaN(now[beside]) ? beside : at;
      });
      next[at] = (now[before] + 2 * now[at] + now[after]) / 4;
    }
    [now, next] = [next, now];
  }
  return now;
}
