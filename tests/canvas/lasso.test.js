// Tests of the points that a line encloses.

import assert from "node:assert/strict";
import { test } from "node:test";

import { rowsInLink, rowsInside, rowsOfLink } from "../../assets/canvas/geometry/lasso.js";

test("a circle encloses the points within its radius", () => {
  const circle = Array.from({ length: 400 }, (_, i) => [50 + 30 * Math.cos((i * Math.PI) / 200), 40 + 30 * Math.sin((i * Math.PI) / 200)]);
  const places = Float32Array.from({ length: 2000 }, (_, i) => ((i * 7919) % 1009) / 10);
  const near = [];
  for (let n = 0; n < 1000; n++) {
    const distance = Math.hypot(places[2 * n] - 50, places[2 * n + 1] - 40);
    if (Math.abs(distance - 30) > 0.05 && distance < 30) near.push(n);
  }
  const found = rowsInside(places, circle).filter((n) => Math.abs(Math.hypot(places[2 * n] - 50, places[2 * n + 1] - 40) - 30) > 0.05);
  assert.ok(near.length > 100);
  assert.deepEqual(found, near);
});

test("a bay is outside, and so is a region that the line encircles twice", () => {
  const bay = [[0, 0], [10, 0], [10, 10], [6, 10], [6, 3], [4, 3], [4, 10], [0, 10]];
  assert.deepEqual(rowsInside([5, 6, 2, 6, 8, 6, 5, 1], bay), [1, 2, 3]);
  const square = [[0, 0], [4, 0], [4, 4], [0, 4]];
  assert.deepEqual(rowsInside([2, 2], [...square, ...square]), []);
  assert.deepEqual(rowsInside([2, 2], [[0, 0], [1, 1]]), []);
});

test("rows are restored from a link, and invalid links are harmless", () => {
  for (const rows of [[], [0], [4999], [3, 4, 5, 1200, 4998], Array.from({ length: 5000 }, (_, n) => n)]) {
    const text = rowsInLink(rows);
    assert.ok(/^[\w-]{0,840}$/.test(text));
    assert.deepEqual(rowsOfLink(text, 5000), rows);
  }
  for (const text of ["%", "a", "aaaaa", "__".repeat(9999), "ä"]) assert.deepEqual(rowsOfLink(text, 5000), []);
  assert.deepEqual(rowsOfLink(rowsInLink([2, 9]), 5), [2]);
});
