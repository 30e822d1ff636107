// Tests of fractions in the page: the nearest possible fractions, and their places in a triangle.

import assert from "node:assert/strict";
import { test } from "node:test";

import { toFractions } from "../../assets/canvas/geometry/table.js";
import { cardHeight } from "../../assets/canvas/kit/table_card.js";
import { Triangle, threeFractions } from "../../assets/canvas/kit/triangle.js";

const cells = ["a", "b", "c"].map((name, start) => ({ name, kind: "fraction", range: [0, 0.5, 1], start, width: 1 }));
const close = (found, expected) => found.forEach((value, k) => assert.ok(Math.abs(value - expected[k]) < 1e-12, `${found} is not ${expected}`));

test("the nearest fractions are not negative, keep their sum, and leave other columns alone", () => {
  const values = Float64Array.of(7, 0.9, 0.4, -0.3);
  toFractions(values, [1, 2, 3], 1);
  // Of all rows with a 0 in the last place, (0.75, 0.25) is nearest to (0.9, 0.4).
  close(values, [7, 0.75, 0.25, 0]);
  const possible = Float64Array.of(20, 30, 50);
  toFractions(possible, [0, 1, 2], 100);
  close(possible, [20, 30, 50]);
});

test("no possible row is nearer than the nearest fractions", () => {
  const wanted = [0.8, 0.5, -0.2, -0.4];
  const found = Float64Array.from(wanted);
  toFractions(found, [0, 1, 2, 3], 1);
  const away = (row) => row.reduce((sum, value, k) => sum + (value - wanted[k]) ** 2, 0);
  for (let a = 0; a <= 20; a++) for (let b = 0; a + b <= 20; b++) for (let c = 0; a + b + c <= 20; c++) {
    assert.ok(away([a, b, c, 20 - a - b - c].map((part) => part / 20)) >= away(found) - 1e-12);
  }
});

test("a corner is one whole fraction, and equal fractions are the middle", () => {
  const triangle = new Triangle(cells, 200, 200);
  [0, 1, 2].forEach((k) => close(triangle.place([0, 1, 2].map((own) => Number(own === k))), triangle.corners[k]));
  const middle = [0, 1].map((axis) => triangle.corners.reduce((sum, corner) => sum + corner[axis], 0) / 3);
  close(triangle.place([1 / 3, 1 / 3, 1 / 3]), middle);
});

test("only three fractions have a triangle, above the columns of a card", () => {
  assert.equal(threeFractions(cells)?.length, 3);
  assert.equal(threeFractions(cells.slice(1)), null);
  const height = (table) => cardHeight({ table }, 300, false);
  assert.ok(height(cells) > height(cells.map((cell) => ({ ...cell, kind: "number" }))) + 150);
});
