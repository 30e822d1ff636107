// Tests that random positions have the moments of their mixtures, and that new positions are no copies of rows.

import assert from "node:assert/strict";
import { test } from "node:test";

import { drawnPlace, newPlace } from "../../assets/canvas/geometry/drawn.js";

/** Random numbers that are the same at every run (Park and Miller). */
function generator() {
  let state = 1;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}
const MEANS = [[-2, 1], [0, 1], [5, -2]];
const POINTS = {
  nPoints: 3, nLatent: 2,
  latentVariance: Float32Array.of(0.5, 0.01, 1, 0.04, 0.2, 2),
  position: (n) => Float64Array.from(MEANS[n]),
};

test("draws have the moments of the mixture", () => {
  const random = generator();
  const draws = Array.from({ length: 40000 }, () => drawnPlace(POINTS, random));
  for (const q of [0, 1]) {
    const mean = MEANS.reduce((sum, own) => sum + own[q] / 3, 0);
    const square = MEANS.reduce((sum, own, n) => sum + (own[q] ** 2 + POINTS.latentVariance[2 * n + q]) / 3, 0);
    const found = draws.reduce((sum, draw) => sum + draw[q], 0) / draws.length;
    const spread = draws.reduce((sum, draw) => sum + (draw[q] - found) ** 2, 0) / draws.length;
    assert.ok(Math.abs(found - mean) < 0.06, `${found} is not ${mean}`);
    assert.ok(Math.abs(spread / (square - mean ** 2) - 1) < 0.04, `${spread} is not ${square - mean ** 2}`);
  }
});

test("a mixture of exact points draws these points unchanged, also the last one", () => {
  const certain = { ...POINTS, latentVariance: undefined };
  const seen = new Set([0, 0.4, 0.999999, 1].map((number) => String(drawnPlace(certain, () => number))));
  assert.deepEqual([...seen], MEANS.map(String));
});

test("new positions lie between rows, with the spread of the nearest rows", () => {
  const rows = Array.from({ length: 24 }, (_, n) => Float64Array.of(n < 12 ? n : 100 + n, 0));
  const closest = (x) => [...rows.keys()].sort((a, b) => Math.abs(rows[a][0] - x[0]) - Math.abs(rows[b][0] - x[0])).slice(0, 12).map((row) => ({ row, distance: 0 }));
  const points = { nPoints: 24, nLatent: 2, latentVariance: undefined, position: (n) => rows[n].slice(), closest };
  const random = generator();
  const draws = Array.from({ length: 4000 }, () => newPlace(points, random));
  const low = draws.filter(([u]) => u < 50);
  assert.ok(Math.abs(low.length / draws.length - 0.5) < 0.03);
  const mean = low.reduce((sum, [u]) => sum + u, 0) / low.length;
  const spread = low.reduce((sum, [u]) => sum + (u - mean) ** 2, 0) / low.length;
  assert.ok(Math.abs(mean - 5.5) < 0.2, `${mean}`);
  assert.ok(Math.abs(spread / (143 / 12) - 1) < 0.08, `${spread}`);
  assert.ok(draws.every(([, v]) => v === 0));
  assert.ok(low.every(([u]) => !Number.isInteger(u)));
});
