// Tests of the table of all rows: bins of its histograms, brushes, and the order of rows.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Bins, brushedRows, ordered } from "../../assets/canvas/geometry/bins.js";

const AGES = Float32Array.of(20.5, 80.5, NaN, 50.5, 35.5, 80.5);
const WORDS = Float32Array.of(0, 2, 1, NaN, 0, 2);

test("bins of numbers cover the range, the greatest number is in the last bin, and missing ones are in none", () => {
  const ages = new Bins(AGES, null);
  assert.equal(ages.all.length, 16);
  assert.equal(ages.all.reduce((sum, count) => sum + count), 5);
  assert.deepEqual([ages.at[0], ages.at[1], ages.at[2], ages.at[3]], [0, 15, -1, 8]);
  assert.deepEqual(ages.ends([0, 15]), [20.5, 80.5]);
  assert.deepEqual(Array.from(ages.counts([1, 2, 5])), [...new Array(15).fill(0), 2]);
});

test("words and whole numbers of a small range have a bin each", () => {
  assert.deepEqual(Array.from(new Bins(WORDS, ["oak", "pine", "birch", "ash"]).all), [2, 1, 2, 0]);
  const whole = new Bins(Float32Array.of(3, 5, 5, 7), null);
  assert.deepEqual([Array.from(whole.all), whole.ends([1, 2])], [[1, 0, 2, 0, 1], [4, 5]]);
  assert.deepEqual(Array.from(new Bins(Float32Array.of(4, 4), null).all), [2]);
  assert.equal(new Bins(Float32Array.of(NaN, NaN), null).all.reduce((sum, count) => sum + count), 0);
});

test("brushed rows are inside all brushes", () => {
  const columns = [{ bins: new Bins(AGES, null), brush: [8, 15] }, { bins: new Bins(WORDS, ["oak", "pine", "birch"]), brush: null }];
  assert.deepEqual(Array.from(brushedRows(6, columns)), [1, 3, 5]);
  columns[1].brush = [2, 2];
  assert.deepEqual(Array.from(brushedRows(6, columns)), [1, 5]);
  columns[0].brush = [0, 1];
  assert.deepEqual(Array.from(brushedRows(6, columns)), []);
});

test("rows are ordered both ways, and missing values stay last", () => {
  const age = (n) => AGES[n];
  assert.deepEqual(ordered([0, 1, 2, 3, 4, 5], age, false), [0, 4, 3, 1, 5, 2]);
  assert.deepEqual(ordered([0, 1, 2, 3, 4, 5], age, true), [1, 5, 3, 4, 0, 2]);
});
