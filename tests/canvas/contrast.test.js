// Tests of the differences between selected rows and the rest, against numbers computed by hand and in two passes.

import assert from "node:assert/strict";
import { test } from "node:test";

import { contrastOf } from "../../assets/canvas/geometry/contrast.js";
import { effectWords, jointsApart, pixelDifference } from "../../assets/canvas/map/difference.js";

const near = (found, expected) => assert.ok(Math.abs(found - expected) < 1e-9 * Math.max(Math.abs(expected), 1), `${found} is not ${expected}`);
const of = (rows, chosen) => contrastOf((n) => rows[n], rows.length, chosen);

test("an effect is the difference of the means in standard deviations within the groups", () => {
  // The means are 3 and 13. Both groups have a sum of squares of 2 about their means; the divisor is 6 − 2 rows.
  const rows = [[2, 0], [3, 5], [4, 10], [12, 0], [13, 5], [14, 10]];
  const { chosen, rest, effects, order, count, others } = of(rows, [0, 1, 2]);
  assert.deepEqual([[...chosen], [...rest], count, others], [[3, 5], [13, 5], 3, 3]);
  near(effects[0], -10);
  near(effects[1], 0);
  assert.deepEqual(order, [0, 1]);
});

test("columns are sorted by their effects, independent of their units", () => {
  const random = (seed) => () => ((seed = (seed * 16807) % 2147483647) / 2147483647);
  const next = random(7);
  const rows = Array.from({ length: 60 }, (_, n) => [1e6 * next(), 1e-3 * next() + (n < 20 ? 1e-2 : 0), next() + (n < 20 ? -0.5 : 0)]);
  const chosen = Array.from({ length: 20 }, (_, n) => n);
  const { effects, order } = of(rows, chosen);
  assert.deepEqual(order, [1, 2, 0]);
  const column = rows.map((row) => row[2]);
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = (values) => values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0);
  const [mine, other] = [column.slice(0, 20), column.slice(20)];
  near(effects[2], (mean(mine) - mean(other)) / Math.sqrt((squares(mine) + squares(other)) / 58));
});

test("missing values count in neither group, and a column without information comes last", () => {
  const rows = [[1, NaN, 7, 0], [3, NaN, 7, 0], [NaN, 1, 7, 1], [5, 2, 7, 1], [7, 3, 7, 1]];
  const { chosen, rest, effects, order } = of(rows, [0, 1]);
  assert.deepEqual([chosen[0], rest[0]], [2, 6]);
  near(effects[0], -4 / Math.sqrt((2 + 2) / 2));
  assert.ok(Number.isNaN(effects[1]) && Number.isNaN(chosen[1]));
  assert.ok(Number.isNaN(effects[2]));
  // The column is constant in each group. The effect is relative to the deviation of all rows, and therefore finite.
  near(effects[3], -1 / Math.sqrt(1.2 / 4));
  assert.deepEqual(order.slice(0, 2).sort(), [0, 3]);
});

test("no contrast exists if all rows or no row of the sample are selected", () => {
  const rows = [[1], [2], [3]];
  assert.equal(of(rows, [0, 1, 2]), null);
  assert.equal(of(rows, [7, 9]), null);
  const { count, others } = of(rows, [1, 9]);
  assert.deepEqual([count, others], [1, 2]);
});

test("two groups are compared without the rows outside both", () => {
  const rows = [[2], [3], [4], [100], [12], [13], [14], [-50]];
  const found = contrastOf((n) => rows[n], rows.length, [0, 1, 2], [4, 5, 6, 99]);
  assert.deepEqual([found.chosen[0], found.rest[0], found.count, found.others], [3, 13, 3, 3]);
  near(found.effects[0], -10);
  assert.equal(contrastOf((n) => rows[n], rows.length, [0], [99]), null);
});

test("a pixel's difference is the mean over its channels, and effects have their sign", () => {
  const contrast = { chosen: Float64Array.of(3, 5, 7, 0, 0, 0), rest: Float64Array.of(1, 1, 1, 3, 3, 0) };
  assert.deepEqual([...pixelDifference(contrast, 3)], [4, -2]);
  assert.deepEqual([1.26, -0.31, 0.01, -0.04, -12.4].map(effectWords), ["+1.3", "−0.3", "0.0", "0.0", "−12"]);
});

test("the joints of a body that differ most come first; a joint that never moves comes last", () => {
  const effects = Float64Array.of(0, 0.3, 0, NaN, NaN, NaN, -3, 0, 4);
  assert.deepEqual(jointsApart({ effects }, ["hip", "root", "hand"]), ["hand (2.9)", "hip (0.2)", "root (0.0)"]);
});
