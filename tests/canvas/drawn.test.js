// Random places have the mean and variance of the mixture of all q(x_n).

import assert from "node:assert/strict";
import { test } from "node:test";

import { drawnPlace } from "../../assets/canvas/geometry/drawn.js";

/** The same numbers at every run (Park and Miller). */
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

test("exact points are drawn unchanged, also the last one", () => {
  const certain = { ...POINTS, latentVariance: undefined };
  const seen = new Set([0, 0.4, 0.999999, 1].map((number) => String(drawnPlace(certain, () => number))));
  assert.deepEqual([...seen], MEANS.map(String));
});
