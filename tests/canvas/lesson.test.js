// Tests of a visitor's points in the tour: clicks, drags and keys change them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pointWithin, ruledPlace, withMoved, withoutPoint, withPoint } from "../../assets/canvas/learn/hand.js";
import { nearestState } from "../../assets/canvas/learn/nearest_state.js";
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

test("a file with some settings moves a slider by every key, and goes to the nearest setting", () => {
  const controls = /** @type {import("../../assets/canvas/learn/controls.js").LessonControl[]} */ ([
    { kind: "slider", name: "turn", label: "", low: 0, high: 360 },
    { kind: "choice", name: "digit", label: "", options: [["3", "3"], ["6", "6"]] },
  ]);
  const alone = [{ turn: 0, digit: "6" }, { turn: 90, digit: "6" }, { turn: 180, digit: "6" }, { turn: 0, digit: "3" }];
  const go = (/** @type {number} */ from, /** @type {object} */ change, together = false) =>
    nearestState(alone, controls, { ...alone[from], ...change }, alone[from], together);
  assert.equal(go(0, { turn: 1 }), 1);
  assert.equal(go(1, { turn: 89 }), 0);
  assert.equal(go(0, { turn: 170 }), 2);
  assert.equal(go(2, { digit: "3" }), 3);
  assert.equal(go(3, { turn: 1 }), 1); // the digit returns to its first value
  const all = [{ turn: 0, digit: "6" }, { turn: 0, digit: "3" }, { turn: 90, digit: "6" }, { turn: 90, digit: "3" }];
  assert.equal(nearestState(all, controls, { turn: 90, digit: "3" }, { turn: 90, digit: "6" }, true), 3);
});
