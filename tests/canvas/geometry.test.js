// Tests that the geometry of a map loads and computes without a page.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";

import { Density } from "../../assets/canvas/geometry/density.js";
import { deviationRange, gridOf, shadow } from "../../assets/canvas/geometry/shading.js";

const FOLDER = new URL("../../assets/canvas/geometry/", import.meta.url);
const VIEW = { u: 1, v: -1, su: 2, sv: 0.5 };
/** A variance that is a known function of the position. */
const SLICE = {
  columns: () => null,
  variances: (us, _, v, out, offset) => us.forEach((u, i) => (out[offset + i] = Math.exp(2 * (u + v)))),
};

test("every module of geometry loads without a page and creates no globals", async () => {
  const before = Object.keys(globalThis).sort();
  for (const name of readdirSync(FOLDER)) await import(new URL(name, FOLDER).href);
  assert.deepEqual(Object.keys(globalThis).sort(), before);
  for (const name of ["document", "window", "HTMLElement"]) assert.equal(name in globalThis, false);
});

test("a grid's cells lie on the map, with one more cell on every side", () => {
  const grid = gridOf({ slice: SLICE, view: VIEW, theme: null, width: 400, height: 100 }, 10);
  assert.deepEqual([grid.columns, grid.rows], [42, 12]);
  // The centres of the first and the last cell inside are half a cell from the edges of the view.
  assert.ok(Math.abs(grid.us[1] - (-1 + 0.05)) < 1e-12 && Math.abs(grid.us[40] - (3 - 0.05)) < 1e-12);
  assert.ok(Math.abs(grid.top - 1.5 * grid.dv - (-0.5 - 0.05)) < 1e-12);
});

test("light and shadow range from the smallest to the largest deviation of the view, on a log scale", () => {
  const [least, most] = deviationRange(SLICE, VIEW);
  // At the centres of 24 × 24 cells, the deviation is exp(u + v).
  const [across, up] = [2 * (1 - 1 / 24), 0.5 * (1 - 1 / 24)];
  assert.ok(Math.abs(Math.log(least) - (-across - up)) < 1e-12);
  assert.ok(Math.abs(Math.log(most) - (across + up)) < 1e-12);
  assert.equal(shadow(least ** 2, [least, most]), 0);
  assert.ok(Math.abs(shadow(least * most, [least, most]) - 0.5) < 1e-12);
  assert.equal(shadow(9 * most ** 2, [least, most]), 1);
  assert.equal(shadow(1, [1, 1.01]), 0); // these deviations are too similar to show
});

test("a spot with more points is more opaque, and has the mean colour of its points", () => {
  const density = new Density();
  density.clear(4, 1);
  density.sums.set([10, 20, 30, 1, 200, 100, 50, 2, 0, 0, 0, 0, 400, 0, 0, 8]);
  const data = new Uint8ClampedArray(16);
  density.paint(data);
  assert.deepEqual([...data.subarray(0, 3), ...data.subarray(4, 7)], [10, 20, 30, 100, 50, 25]);
  const [one, two, none, eight] = [3, 7, 11, 15].map((at) => data[at]);
  assert.equal(none, 0);
  assert.equal(eight, 255);
  assert.ok(Math.abs(one - 0.3 * 255) <= 1 && Math.abs(two - (0.3 + 0.7 / 3) * 255) <= 1);
});
