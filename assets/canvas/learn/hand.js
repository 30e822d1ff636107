// A visitor's points: which one is near, what a click and a drag make of them.

/** @typedef {[number, number]} HandPoint */
/** @typedef {{ name: string, title: string, adds: boolean, up: number | null, most: number }} HandRules */

/**
 * The point that is nearest to a pixel and within reach of it; −1: none.
 * @param {HandPoint[]} pixels of the points
 * @param {HandPoint} at
 * @param {number} reach
 */
export function pointWithin(pixels, at, reach) {
  const away = pixels.map(([x, y]) => Math.hypot(x - at[0], y - at[1]));
  const nearest = away.indexOf(Math.min(...away));
  return nearest >= 0 && away[nearest] <= reach ? nearest : -1;
}

/** A place as the rules have it: inside the box, at the height at which points lie. @param {HandPoint} place @param {HandRules} rules @param {HandPoint} across @param {HandPoint} up @returns {HandPoint} */
export function ruledPlace([x, y], rules, across, up) {
  const inside = (/** @type {number} */ value, /** @type {HandPoint} */ [low, high]) => roundedTo(Math.min(Math.max(value, low), high), high - low);
  return [inside(x, across), rules.up ?? inside(y, up)];
}

/** As many decimals as a thousandth of the range needs: links are short. @param {number} value @param {number} range */
function roundedTo(value, range) {
  const step = 10 ** Math.floor(Math.log10(range / 1000));
  return Number((Math.round(value / step) * step).toPrecision(6));
}

/** The points with one more, or unchanged where there are as many as may be. @param {HandPoint[]} points @param {HandPoint} place @param {HandRules} rules */
export function withPoint(points, place, { most }) {
  return points.length < most ? [...points, place] : points;
}

/** The points without one. @param {HandPoint[]} points @param {number} which */
export function withoutPoint(points, which) {
  return points.filter((_, i) => i !== which);
}

/** The points, one of them elsewhere. @param {HandPoint[]} points @param {number} which @param {HandPoint} place */
export function withMoved(points, which, place) {
  return points.map((point, i) => (i === which ? place : point));
}
