// Tests of contour lines: circles on a cone, no crossings at a saddle, and no lines at unknown values.

import assert from "node:assert/strict";
import { test } from "node:test";

import { contour, levelsBetween, smoothGrid } from "../../assets/canvas/geometry/contours.js";

const SIDE = 41;
const grid = (height) => Float64Array.from({ length: SIDE * SIDE }, (_, at) => height((at % SIDE) - 20, Math.floor(at / SIDE) - 20));
const lengthOf = (pieces) => pieces.reduce((sum, [x0, y0, x1, y1]) => sum + Math.hypot(x1 - x0, y1 - y0), 0);

test("a line of equal height on a cone is a circle", () => {
  const pieces = contour(grid(Math.hypot), SIDE, 12.3);
  for (const [x0, y0, x1, y1] of pieces) {
    for (const [x, y] of [[x0, y0], [x1, y1]]) assert.ok(Math.abs(Math.hypot(x - 20, y - 20) - 12.3) < 0.02);
  }
  assert.ok(Math.abs(lengthOf(pieces) / (2 * Math.PI * 12.3) - 1) < 5e-3);
});

test("every segment continues in another segment, even at saddles", () => {
  const values = grid((x, y) => Math.sin(0.7 * x + 0.1) * Math.sin(0.9 * y + 0.2));
  for (const level of [-0.02, 0, 0.02]) {
    const ends = new Map();
    for (const [x0, y0, x1, y1] of contour(values, SIDE, level)) {
      for (const [x, y] of [[x0, y0], [x1, y1]]) {
        const key = `${x.toFixed(6)} ${y.toFixed(6)}`;
        ends.set(key, (ends.get(key) ?? 0) + 1);
      }
    }
    for (const [key, count] of ends) {
      const rim = key.split(" ").some((number) => ["0.000000", "40.000000"].includes(number));
      assert.equal(count, rim ? 1 : 2);
    }
  }
});

test("two hills have one contour if the saddle is above the level, otherwise two", () => {
  const square = Float64Array.of(1, -0.5, -0.5, 1);
  const [first, second] = contour(square, 2, 0);
  // The middle is above 0, so each line cuts off a low corner, (1, 0) or (0, 1).
  for (const [x0, y0, x1, y1] of [first, second]) assert.ok(Math.abs((x0 + x1) / 2 - (y0 + y1) / 2) > 0.5);
  for (const [x0, y0, x1, y1] of contour(square.map((value) => -value), 2, 0)) assert.ok(Math.abs((x0 + x1) / 2 - (y0 + y1) / 2) > 0.5);
  for (const [x0, y0, x1, y1] of contour(Float64Array.of(0.5, -1, -1, 0.5), 2, 0)) assert.ok(Math.abs((x0 + x1) / 2 - (y0 + y1) / 2) < 0.1);
});

test("no lines exist at NaN, and levels form a geometric sequence", () => {
  const values = grid((x, y) => (x < 0 ? NaN : Math.hypot(x, y)));
  assert.ok(contour(values, SIDE, 12.3).every(([x0, , x1]) => x0 >= 20 && x1 >= 20));
  assert.deepEqual(levelsBetween([NaN, 3, 5, 20], 2), [6, 12]);
  assert.deepEqual(levelsBetween([NaN], 8), []);
  assert.deepEqual(levelsBetween([1, 70], 4), [4, 16, 64]);
});

test("smoothing spreads a peak as a Gaussian, keeps the total, and ignores unknown values", () => {
  const times = 8;
  const peak = smoothGrid(grid((x, y) => (x === 0 && y === 0 ? 1 : 0)), SIDE, times);
  const middle = 20 * SIDE + 20;
  assert.ok(Math.abs(peak.reduce((sum, value) => sum + value, 0) - 1) < 1e-12);
  // Each direction has a variance of times / 2.
  const square = peak.reduce((sum, value, at) => sum + value * ((at % SIDE) - 20) ** 2, 0);
  assert.ok(Math.abs(square - times / 2) < 1e-9);
  assert.ok(Math.abs(peak[middle] - 1 / (Math.PI * times)) < 2e-3);
  const half = smoothGrid(grid((x) => (x < 0 ? NaN : 3)), SIDE, times);
  assert.ok(half.every((value, at) => (at % SIDE < 20 ? Number.isNaN(value) : value === 3)));
});
