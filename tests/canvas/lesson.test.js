// Tests of a visitor's points in the tour: clicks, drags and keys change them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pointWithin, ruledPlace, withMoved, withoutPoint, withPoint } from "../../assets/canvas/learn/hand.js";
import { pickedRows } from "../../assets/canvas/learn/picker.js";

const RULES = { name: "points", title: "points", adds: true, up: null, most: 2 };

test("a finger grabs the nearest point only within its reach", () => {
  assert.equal(pointWithin([[0, 0], [30, 0], [100, 0]], [26, 3], 10), 1);
  assert.equal(pointWithin([[0, 0], [30, 0]], [60, 0], 10), -1);
  assert.equal(pointWithin([], [0, 0], 10), -1);
});

test("points stay inside the panel and at their common height", () => {
  assert.deepEqual(ruledPlace([5, -9], RULES, [-3, 3], [-2, 2]), [3, -2]);
  assert.deepEqual(ruledPlace([1.23456789, 1], { ...RULES, up: -1.5 }, [-3, 3], [-2, 2]), [1.235, -1.5]);
});

test("points are added up to the maximum, removed and moved", () => {
  const [one, other] = /** @type {[number, number][]} */ ([[0, 0], [1, 1]]);
  assert.deepEqual(withPoint([one], other, RULES), [one, other]);
  assert.deepEqual(withPoint([one, other], [2, 2], RULES), [one, other]);
  assert.deepEqual(withoutPoint([one, other], 0), [other]);
  assert.deepEqual(withMoved([one, other], 1, [3, 3]), [one, [3, 3]]);
});

test("a click chooses a row and keeps the previous choice as the second row", () => {
  assert.deepEqual(pickedRows(["from", "to"], { from: 3, to: 8 }, 5), { from: 8, to: 5 });
  assert.deepEqual(pickedRows(["from", "to"], { from: 3, to: 8 }, 8), {});
});
