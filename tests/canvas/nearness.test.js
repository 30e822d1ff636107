// Tests of the dimensions outside a map's plane, against a second implementation of the formulas.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { LatentModel } from "../../assets/canvas/geometry/model.js";
import { NearPlane, nearWeights, spacings } from "../../assets/canvas/geometry/nearness.js";
import { LatentPoints } from "../../assets/canvas/geometry/points.js";

const NUMBERS = JSON.parse(readFileSync(new URL("numbers.json", import.meta.url), "utf8"));
const close = (found, expected, tolerance = 1e-9) =>
  assert.ok(Math.abs(found - expected) <= tolerance * (1 + Math.abs(expected)), `${found} is not ${expected}`);

/** Random numbers from −1 to 1 that are the same at every run. */
function randoms(seed) {
  let state = seed;
  return () => {
    state = (state * 16807) % 2147483647;
    return (2 * state) / 2147483647 - 1;
  };
}

function pointsOf(rows, relevance = rows[0].map(() => 1)) {
  const latent = Float64Array.from(rows.flat());
  return new LatentPoints({ header: { relevance }, arrays: { latent }, shapes: { latent: [rows.length, rows[0].length] } });
}

/** Two clouds in five dimensions, one dense and one wide. */
function clouds() {
  const next = randoms(11);
  return Array.from({ length: 60 }, (_, n) => [0, 1, 2, 3, 4].map((q) => (n < 30 ? 0.3 * next() : 2 * next() + (q === 1 ? 3 : 0))));
}
const RELEVANCE = [1.5, 0.2, 0.7, 0.4, 1];

const median = (values) => values.slice().sort((p, q) => p - q)[values.length >> 1];

/** The formula with sums over all points, without approximation. */
function followed(rows, relevance, a, b, u, v) {
  const distance = (p, q) => Math.sqrt(relevance[a] * (p[0] - q[0]) ** 2 + relevance[b] * (p[1] - q[1]) ** 2);
  const plane = rows.map((row) => [row[a], row[b]]);
  const found = plane.map((p) => plane.map((q) => distance(p, q)).sort((p_, q_) => p_ - q_)[5]);
  const most = found.slice().sort((p, q) => p - q)[Math.floor(0.9 * found.length)];
  const spacing = found.map((s) => Math.min(s, most));
  const mean = (width, values) => {
    const far = Math.min(...plane.map((p) => distance(p, [u, v])));
    const here = width * (1 + (far / width) ** 2) ** 0.2;
    const weights = plane.map((p) => Math.exp(-0.5 * (distance(p, [u, v]) / here) ** 2));
    return weights.reduce((sum, w, n) => sum + w * values[n], 0) / weights.reduce((sum, w) => sum + w);
  };
  const width = 0.3 * mean(median(found), spacing);
  return rows[0].map((_, q) => (q === a ? u : q === b ? v : mean(width, rows.map((row) => row[q]))));
}

test("the spacing is the distance to the fifth neighbour, or to the last", () => {
  const next = randoms(3);
  const us = Float64Array.from({ length: 40 }, next).sort();
  const vs = Float64Array.from(us, next);
  const brute = (n) => Array.from(us, (u, m) => Math.hypot(u - us[n], vs[m] - vs[n])).sort((p, q) => p - q)[5];
  spacings(us, vs).forEach((found, n) => close(found, brute(n)));
  assert.deepEqual([...spacings(Float64Array.of(0, 3, 4), Float64Array.of(0, 4, 0))], [5, 5, Math.sqrt(17)]);
  assert.deepEqual([...spacings(Float64Array.of(2), Float64Array.of(1))], [0]);
});

test("the mean follows the formula near the data", () => {
  const rows = clouds();
  const next = randoms(5);
  for (const [a, b] of [[0, 1], [3, 2]]) {
    const near = new NearPlane(pointsOf(rows, RELEVANCE), a, b);
    for (let i = 0; i < 40; i++) {
      const row = rows[(i * 7) % rows.length];
      const [u, v] = [row[a] + 0.1 * next(), row[b] + 0.1 * next()];
      const x = new Float64Array(5);
      [x[a], x[b]] = [u, v];
      followed(rows, RELEVANCE, a, b, u, v).forEach((value, q) => close(near.follow(x)[q], value, 1e-8));
    }
  }
});

test("with a narrow width a training point keeps its position, and equal distances have equal weights", () => {
  const weights = new Float64Array(4);
  assert.equal(nearWeights(Float64Array.of(0.5, 0, 0.2, 9), 4, 1e-3, weights), 1);
  assert.deepEqual([...weights], [0, 1, 0, 0]);
  assert.equal(nearWeights(Float64Array.of(2, 2, 2, 2), 4, 0.7, weights), 4);
  assert.deepEqual([...weights], [1, 1, 1, 1]);
  // Six crowded points are far away from a single point: the width is that of the six.
  const rows = [...Array.from({ length: 20 }, (_, n) => [0.01 * n, 0, n]), [50, 50, -7]];
  const x = new NearPlane(pointsOf(rows), 0, 1).follow(Float64Array.of(50, 50, 0));
  assert.deepEqual([...x], [50, 50, -7]);
});

test("between two points the result is their average, also if all points coincide", () => {
  const between = new NearPlane(pointsOf([[-1, 0, 4], [1, 0, 10]]), 0, 1);
  close(between.follow(Float64Array.of(0, 0.3, 0))[2], 7);
  const stacked = new NearPlane(pointsOf([[1, 1, 4], [1, 1, 10], [1, 1, 1]]), 0, 1);
  close(stacked.follow(Float64Array.of(1, 1, 0))[2], 5);
  close(stacked.follow(Float64Array.of(-60, 8, 0))[2], 5);
});

test("far from all data the result is finite and approaches the nearest point", () => {
  const next = randoms(17);
  const rows = Array.from({ length: 25 }, (_, n) => [n % 5, Math.floor(n / 5), next()]);
  const points = pointsOf(rows);
  const near = new NearPlane(points, 0, 1);
  for (const [u, v] of [[1, 2], [-2, 1], [3, -1]]) {
    for (const [far, tolerance] of [[1e2, 0.2], [1e4, 2e-2], [1e6, 1e-4]]) {
      const x = near.follow(Float64Array.of(far * u, far * v, 0));
      close(x[2], rows[points.nearest(x, [0, 1])][2], tolerance);
    }
  }
  assert.ok(near.follow(Float64Array.of(1e100, -1e100, 0)).every(Number.isFinite));
});

test("small steps change the result little, across the dense cloud, the gap and the wide cloud", () => {
  const near = new NearPlane(pointsOf(clouds(), RELEVANCE), 0, 1);
  const largest = (steps) => {
    let [most, before] = [0, null];
    for (let i = 0; i <= steps; i++) {
      const x = near.follow(Float64Array.of(0.1, -2 + (8 * i) / steps, 0, 0, 0));
      if (before) most = Math.max(most, ...[2, 3, 4].map((q) => Math.abs(x[q] - before[q])));
      before = x;
    }
    return most;
  };
  // For a continuous function, steps of a tenth change the result by a tenth.
  const [coarse, fine] = [largest(5_000), largest(50_000)];
  assert.ok(coarse < 0.2 && fine < 0.15 * coarse, `${coarse}, ${fine}`);
});

test("without hidden dimensions nothing moves; a point's distance includes that from its mean", () => {
  const flat = new NearPlane(pointsOf([[0, 1], [2, 3]]), 0, 1);
  assert.deepEqual([...flat.follow(Float64Array.of(0.5, 0.25))], [0.5, 0.25]);
  const rows = clouds();
  const near = new NearPlane(pointsOf(rows, RELEVANCE), 0, 1);
  const place = followed(rows, RELEVANCE, 0, 1, rows[8][0], rows[8][1]);
  close(near.stray(8), [2, 3, 4].reduce((sum, q) => sum + RELEVANCE[q] * (place[q] - rows[8][q]) ** 2, 0), 1e-8);
});

for (const [name, { bytes }] of Object.entries(NUMBERS)) {
  test(`${name}: the shading is the variance at the position that the pointer gets`, () => {
    const model = new LatentModel(new Uint8Array(Buffer.from(bytes, "base64")));
    const near = new NearPlane(model, 2, 0);
    const slice = near.slice((x) => model.variance(x));
    const us = Float64Array.of(-1.5, 0.2, 2.1);
    const found = new Float64Array(2 * us.length);
    const mean = new Float64Array(model.nOutputs);
    [-0.7, 1.3].forEach((v, i) => slice.variances(us, slice.columns(us), v, found, i * us.length));
    [-0.7, 1.3].forEach((v, i) => us.forEach((u, j) => {
      const x = near.follow(Float64Array.of(v, 0, u));
      assert.notEqual(x[1], 0);
      close(found[i * us.length + j], model.predict(x, mean), 1e-9);
    }));
  });
}
