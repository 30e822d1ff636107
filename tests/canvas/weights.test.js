// The heights of the bars that stand for ARD weights.

import assert from "node:assert/strict";
import { test } from "node:test";

import { barHeights } from "../../assets/canvas/map/weights.js";

test("a bar loses a quarter of its height with every power of ten", () => {
  const heights = barHeights([5, 0.5, 0.05, 5e-4, 5e-9]);
  [1, 0.75, 0.5, 0, 0].forEach((height, q) => assert.ok(Math.abs(heights[q] - height) < 1e-12));
});

test("dimensions without any weight have no height, and equal ones are equally high", () => {
  assert.deepEqual(barHeights([0, 2, 2]), [0, 1, 1]);
  assert.deepEqual(barHeights([0, 0]), [0, 0]);
});
