// A visitor's points: functions that find the nearest point, and add, remove or move points.

/** @typedef {[number, number]} HandPoint */
/** @typedef {{ name: string, title: string, adds: boolean, up: number | null, most: number }} HandRules */

/**
 * Return the index of the nearest point within reach of a pixel, or −1.
 * @param {HandPoint[]} pixels the points' pixels
 * @param {HandPoint} at
 * @param {number} reach
 */
export function pointWithin(pixels, at, reach) {
  const away = pixels.map(([x, y]) => Math.hypot(x - at[0], y - at[1]));
  const nearest = away.indexOf(Math.min(...away));
  return nearest >= 0 && away[nearest] <= reach ? nearest : -1;
}

/** Clip a position to the panel. If the rules give all points one height, the result has this height. @param {HandPoint} place @param {HandRules} rules @param {HandPoint} across @param {HandPoint} up @returns {HandPoint} */
export function ruledPlace([x, y], rules, across, up) {
  const inside = (/** @type {number} */ value, /** @type {HandPoint} */ [low, high]) => roundedTo(Math.min(Math.max(value, low), high), high - low);
  return [inside(x, across), rules.up ?? inside(y, up)];
}

/** Round a value to about a thousandth of the range, so that links are short. @param {number} value @param {number} range */
function roundedTo(value, range) {
  const step = 10 ** Math.floor(Math.log10(range / 1000));
  return Number((Math.round(value / step) * step).toPrecision(6));
}

/** Add a point, unless there are `most` points already. @param {HandPoint[]} points @param {HandPoint} place @param {HandRules} rules */
export function withPoint(points, place, { most }) {
  return points.length < most ? [...points, place] : points;
}

/** Remove a point. @param {HandPoint[]} points @param {number} which */
export function withoutPoint(points, which) {
  return points.filter((_, i) => i !== which);
}

/** Move a point. @param {HandPoint[]} points @param {number} which @param {HandPoint} place */
export function withMoved(points, which, place) {
  return points.map((point, i) => (i === which ? place : point));
}
