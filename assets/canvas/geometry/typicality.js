// How typical a place is: its distance to training rows, compared with distances between rows.

/** @import { LatentPoints } from "./points.js" */

const COMPANY = 5; // a place's spacing is its distance to its fifth nearest neighbour
const MOST_ROWS = 500; // rows whose spacing is computed
const ROUNDING = 1e-3; // relative tolerance: the coordinates of a kept place are rounded, and a place at a row must not count as farther away

export class Typicality {
  /** @param {LatentPoints} points */
  constructor(points) {
    this.points = points;
    /** Spacings of training rows, from dense to sparse. @type {Float64Array | null} */
    this.spacings = null;
  }

  /** Return the fraction of rows that are at least as far from the other rows as x is. @param {ArrayLike<number>} x */
  share(x) {
    const { points } = this;
    const count = Math.min(COMPANY, points.nPoints - 1);
    if (count < 1) return 1;
    const step = Math.ceil(points.nPoints / MOST_ROWS);
    // The first neighbour of a row is the row itself.
    this.spacings ??= Float64Array.from({ length: Math.ceil(points.nPoints / step) }, (_, i) =>
      points.closest(points.position(i * step), count + 1)[count].distance).sort();
    const spacing = (1 - ROUNDING) * points.closest(x, count)[count - 1].distance;
    let [low, high] = [0, this.spacings.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.spacings[middle] < spacing) low = middle + 1;
      else high = middle;
    }
    return 1 - low / this.spacings.length;
  }
}

/**
 * Return the commonest label among the rows nearest to a place.
 * @param {LatentPoints} points
 * @param {ArrayLike<number>} x
 * @param {number} asked number of rows
 */
export function alikeRows(points, x, asked) {
  const near = points.closest(x, asked).map(({ row }) => points.label(row)).filter((label) => label >= 0);
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const label of near) counts.set(label, (counts.get(label) ?? 0) + 1);
  const [best] = [...counts].sort(([, p], [, q]) => q - p);
  return best ? { label: best[0], count: best[1], asked: near.length } : null;
}
