// Tests of new rows: which rows a table lists, in which order, and where the map shows them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { filtered, isOdd, levelOf, listed, thresholdsFor, usualThreshold } from "../../assets/canvas/rows/answers.js";
import { RowsMap } from "../../assets/canvas/rows/layer.js";

/** @import { Listing, NewRow } from "../../assets/canvas/rows/answers.js" */

/** @param {string} name @param {number | null} p @param {Partial<NewRow>} [more] @returns {NewRow} */
const row = (name, p, more = {}) => ({ name, p, unlike: false, typical: "", reasons: [], gaps: 0, near: [], weights: [], ...more });
const ROWS = [row("Row 1", 0.4), row("Row 2", 0.03, { gaps: 2 }), row("Row 3", 0.004, { unlike: true }), row("Row 4, b7", null), row("Row 5", 0.008)];
/** @type {Listing} */
const ALL = { filter: "all", order: "row", down: false, threshold: 0.01, find: "", selected: [] };

test("odd rows are those up to the threshold, and rows unlike all others", () => {
  assert.deepEqual(filtered(ROWS, "odd", ALL), [2, 4]);
  assert.deepEqual(filtered(ROWS, "odd", { ...ALL, threshold: 0.05 }), [1, 2, 4]);
  assert.deepEqual(filtered(ROWS, "unlike", ALL), [2]);
  assert.equal(isOdd(ROWS[3], 0.05), false, "a row that is not compared is not odd");
  assert.deepEqual(ROWS.map((each) => levelOf(each, 0.01)), ["Typical", "Less common", "Unlike all", "–", "Odd"]);
});

test("the table sorts, finds names, and lists the rows of the lasso", () => {
  assert.deepEqual(listed(ROWS, ALL), [0, 1, 2, 3, 4]);
  assert.deepEqual(listed(ROWS, { ...ALL, order: "p" }), [2, 4, 1, 0, 3]);
  assert.deepEqual(listed(ROWS, { ...ALL, order: "gaps", down: true })[0], 1);
  assert.deepEqual(listed(ROWS, { ...ALL, find: "B7 " }), [3]);
  assert.deepEqual(listed(ROWS, { ...ALL, filter: "selected", selected: [0, 4], order: "p" }), [4, 0]);
});

test("a row with several explanations is found at each of them, and its best place is in front", () => {
  const others = [[0.5, 0.5], [-0.5, 0]];
  const answers = {
    rows: [row("Row 1", null, { weights: [0.6, 0.3, 0.1] }), row("Row 2", null)],
    place: (/** @type {number} */ n, /** @type {number} */ _, k = 0) => Float64Array.from(k ? others[k - 1] : [n / 2, n / 2]),
  };
  const overlay = { answers, listing: ALL, shown: new Set([0, 1]), ellipses: true, current: -1 };
  const map = Object.create(RowsMap.prototype, {
    overlay: { value: overlay }, state: { value: { a: 0, b: 1 } }, model: { value: { nLatent: 2 } },
    view: { value: { u: 0, v: 0, su: 1, sv: 1 } }, width: { value: 200 }, height: { value: 100 },
  });
  assert.deepEqual(map.explanationAt(100, 50), [0, -1]);
  assert.deepEqual(map.explanationAt(50, 50), [0, 2]);
  assert.deepEqual(map.explanationAt(150, 25), [1, -1], "the second row is at an explanation of the first");
  overlay.ellipses = false;
  assert.deepEqual(map.explanationAt(50, 50), [-1, -1], "hidden explanations are not found");
});

test("a row beyond the map is drawn at the map's edge, and the lasso encloses only new rows", () => {
  const places = [[0, 0], [9, 0], [-0.5, 0.5]];
  const answers = { rows: ROWS.slice(0, 3), place: (/** @type {number} */ n) => Float64Array.from(places[n]) };
  const map = Object.create(RowsMap.prototype, {
    overlay: { value: { answers, listing: ALL, shown: new Set([0, 1, 2]) } },
    state: { value: { a: 0, b: 1 } }, model: { value: { nLatent: 2 } },
    view: { value: { u: 0, v: 0, su: 1, sv: 1 } }, width: { value: 200 }, height: { value: 100 }, covered: { value: { above: 20, below: 30 } },
  });
  assert.deepEqual(map.pixelOf(0), [100, 50, null]);
  assert.deepEqual(map.pixelOf(1), [182, 50, 0]);
  assert.equal(map.beyond, 1);
  // An arrow at a corner is not under the legend or the buttons, and points to the row.
  places[1] = [-9, 9];
  const [x, y, angle] = map.pixelOf(1);
  assert.deepEqual([x, y], [18, 38]);
  assert.ok(Math.cos(angle) < 0 && Math.sin(angle) < 0);
  assert.equal(map.newRowAt(52, 24), 2);
  assert.equal(map.newRowAt(140, 50), -1);
  assert.deepEqual(map.enclosed([[90, 40], [110, 40], [110, 60], [90, 60]]), [0]);
});

test("two odd training rows do not put the usual threshold out of reach", () => {
  // p of a row that is odder than all training rows but two is 3 / (known + 1).
  for (const known of [60, 112, 298, 299, 5000]) assert.ok(3 / (known + 1) <= usualThreshold(known));
  assert.deepEqual([20, 112, 5000].map(usualThreshold), [0.05, 0.05, 0.01]);
});

test("a threshold is offered only if the oddest of the known rows can reach it", () => {
  const values = (known) => thresholdsFor(known).map(({ value }) => value);
  assert.deepEqual(values(500), [0.05, 0.01]);
  assert.deepEqual(values(99), [0.05, 0.01]);
  assert.deepEqual(values(57), [0.05]);
  assert.deepEqual(values(3), [0.05]);
});
