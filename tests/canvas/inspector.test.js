// Beside the map: rows that words mean, names of dimensions, words for a doubt, what a place looks like.

import assert from "node:assert/strict";
import { test } from "node:test";

import { FAIRLY_SURE, WELL_KNOWN, sureWords } from "../../assets/canvas/geometry/doubt.js";
import { NearPlane } from "../../assets/canvas/geometry/nearness.js";
import { LatentPoints } from "../../assets/canvas/geometry/points.js";
import { alikeRows } from "../../assets/canvas/geometry/typicality.js";
import { DimensionNames } from "../../assets/canvas/map/names.js";
import { findRows } from "../../assets/canvas/map/search.js";

const HEADER = { relevance: [1, 1, 1], label_names: ["young", "old"], factors: ["age", "weight"], row_names: ["anna", "bert", "carl", "dora", "emil", "7"] };
const ARRAYS = {
  latent: Float32Array.from([0, 0, 1, 1, 0, 2, 0, 1, 3, 1, 1, 4, 500, 500, 5, 501, 500, 5]),
  labels: Int32Array.of(0, 0, 1, 1, 1, -1),
  factors: Float32Array.of(0.1, 0.2, 0.8, 0.9, NaN, 0.5, 10, 20, 30, 40, 50, 60),
};
const rows = (changes = {}) => new LatentPoints({ header: { ...HEADER, ...changes }, arrays: ARRAYS, shapes: { latent: [6, 3] } });

test("rows are found by id, number, label, part of a name and value", () => {
  const cases = { Carl: [2], "row 2": [1], "#3": [2], 7: [5], old: [2, 3, 4], "age > 0.5": [2, 3], "age<=.2": [0, 1], "WEI = 30": [2], "an": [0] };
  for (const [words, found] of Object.entries(cases)) assert.deepEqual(findRows(rows(), words).rows, found, words);
});

test("what is not found says what was looked for and what to try", () => {
  assert.match(findRows(rows(), "row 99").message, /no row 99.*6 rows/);
  assert.match(findRows(rows(), "height > 2").message, /“height”; try age, weight/);
  assert.match(findRows(rows(), "zzz").message, /“zzz”/);
  assert.match(findRows(rows({ factors: undefined }), "age > 2").message, /no columns/);
  assert.equal(findRows(rows(), "old").message, "3 rows found");
});

test("a row is called by its id, else by its number, with its label", () => {
  assert.deepEqual([0, 5].map((n) => rows().name(n)), ["anna · young", "7"]);
  assert.equal(rows({ row_names: undefined }).name(2), "Row 3 · old");
});

test("names of dimensions are remembered, cut, and forgotten when they are emptied", () => {
  const stored = new Map();
  const storage = { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) };
  const names = new DimensionNames("faces", ["Dimension 1", "Dimension 2"], storage);
  names.rename(1, `  ${"Heavier".padEnd(60, "!")} `);
  const again = new DimensionNames("faces", ["Dimension 1", "Dimension 2"], storage);
  assert.deepEqual(again.all, ["Dimension 1", "Heavier".padEnd(40, "!")]);
  again.rename(1, " ");
  assert.deepEqual(new DimensionNames("faces", ["Dimension 1", "Dimension 2"], storage).all, ["Dimension 1", "Dimension 2"]);
  stored.set("dimensions of faces", "damaged");
  assert.deepEqual(new DimensionNames("faces", ["A", "B"], storage).all, ["A", "B"]);
  assert.deepEqual(new DimensionNames("faces", ["A"], null).all, ["A"]);
});

test("words for a doubt change at the limits that were measured", () => {
  const words = [0, WELL_KNOWN - 1e-9, WELL_KNOWN, FAIRLY_SURE - 1e-9, FAIRLY_SURE, 3].map(sureWords);
  assert.deepEqual(words, ["Well known here", "Well known here", "Fairly sure", "Fairly sure", "A guess", "A guess"]);
});

test("a place looks like the commonest label of its nearest rows, and without labels like nothing", () => {
  assert.deepEqual(alikeRows(rows(), [0, 1, 3], 4), { label: 1, count: 2, asked: 4 });
  assert.deepEqual(alikeRows(rows(), [500, 500, 5], 2), { label: 1, count: 1, asked: 1 });
  const none = new LatentPoints({ header: HEADER, arrays: { latent: ARRAYS.latent }, shapes: { latent: [6, 3] } });
  assert.equal(alikeRows(none, [0, 0, 0], 3), null);
});

test("hidden dimensions near a place have the mean that the pointer gets, and the spread of the rows there", () => {
  const corners = [0, 0, 1, 1, 0, 2, 0, 1, 3, 1, 1, 4];
  const square = new LatentPoints({ header: HEADER, arrays: { latent: Float32Array.from([...corners, ...corners]) }, shapes: { latent: [8, 3] } });
  const near = new NearPlane(square, 0, 1);
  const { mean, variances } = near.spread(0.5, 0.5);
  assert.ok(Math.abs(mean[2] - near.follow(Float64Array.of(0.5, 0.5, 0))[2]) < 1e-12);
  // Four rows equally near, at 1, 2, 3 and 4.
  assert.ok(Math.abs(mean[2] - 2.5) < 1e-6);
  assert.ok(Math.abs(variances[2] - 1.25) < 1e-6);
  assert.deepEqual([variances[0], variances[1]], [0, 0]);
});
