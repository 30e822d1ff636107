// Tests of shortest paths with known answers: straight in a flat space, circles in the hyperbolic half plane, and never longer than the straight
// line.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Way, dataWay, geodesic, gridWay, straightWay } from "../../assets/canvas/geometry/geodesic.js";
import { OutputMetric } from "../../assets/canvas/geometry/metric.js";
import { LatentModel } from "../../assets/canvas/geometry/model.js";
import { LatentPoints } from "../../assets/canvas/geometry/points.js";

const NUMBERS = JSON.parse(readFileSync(new URL("numbers.json", import.meta.url), "utf8"));
const near = (found, expected, tolerance) => assert.ok(Math.abs(found - expected) <= tolerance, `${found} is not ${expected}`);
const finished = (steps) => {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
};

/** G(x) = metric(x). Distances use the metric in the middle, and the gradient uses central differences. */
function space(nLatent, metric) {
  const square = (x, step) => {
    const G = metric(x);
    return step.reduce((sum, value, q) => sum + step.reduce((inner, other, p) => inner + G[q * nLatent + p] * value * other, 0), 0);
  };
  const squared = (x, y) => square(x.map((value, q) => (value + y[q]) / 2), y.map((value, q) => value - x[q]));
  const sum = (path) => path.slice(1).reduce((total, x, i) => total + squared(path[i], x), 0);
  return {
    nLatent,
    at: metric,
    station: (x) => x,
    squared,
    speed: (x, step) => Math.sqrt(square(x, step)),
    energy(path, gradient) {
      path.forEach((x, i) => x.forEach((value, q) => {
        const around = path.slice(Math.max(i - 1, 0), i + 2);
        const h = 1e-6 * (1 + Math.abs(value));
        x[q] = value + h;
        const ahead = sum(around);
        x[q] = value - h;
        gradient[i][q] = (ahead - sum(around)) / (2 * h);
        x[q] = value;
      }));
      return sum(path);
    },
  };
}
const sheet = (u, v, su, sv) => ({ a: 0, b: 1, view: { u, v, su, sv }, lift: (p, q) => Float64Array.of(p, q), free: [0, 1], rows: null });
const HALF_PLANE = space(2, ([, y]) => Float64Array.of(1 / (y * y), 0, 0, 1 / (y * y)));

test("in a flat space with any scaling the shortest path is straight", () => {
  const flat = space(2, () => Float64Array.of(4, 1, 1, 0.5));
  const [from, to] = [Float64Array.of(-1, 0.2), Float64Array.of(1.5, -0.7)];
  const way = finished(geodesic(flat, from, to, sheet(0, 0, 2, 2)));
  const step = to.map((value, q) => value - from[q]);
  near(way.length, flat.speed(from, step), 1e-9);
  for (const share of [0, 0.25, 0.6, 1]) way.place(share).forEach((value, q) => near(value, from[q] + share * step[q], 1e-6));
});

test("in the hyperbolic half plane the shortest path is an arc of a circle about the edge", () => {
  const [from, to] = [Float64Array.of(-1, 0.5), Float64Array.of(2, 1)];
  // The centre of the arc is on the edge, at the same distance from both ends.
  const centre = (to[0] ** 2 + to[1] ** 2 - from[0] ** 2 - from[1] ** 2) / (2 * (to[0] - from[0]));
  const radius = Math.hypot(from[0] - centre, from[1]);
  const expected = Math.acosh(1 + ((to[0] - from[0]) ** 2 + (to[1] - from[1]) ** 2) / (2 * from[1] * to[1]));
  const way = finished(geodesic(HALF_PLANE, from, to, sheet(0.5, 1.2, 2, 1)));
  near(way.length, expected, 2e-3 * expected);
  for (let i = 0; i <= 20; i++) {
    const [x, y] = way.place(i / 20);
    near(Math.hypot(x - centre, y), radius, 5e-3 * radius);
  }
  assert.ok(straightWay(HALF_PLANE, from, to).length > 1.1 * expected);
});

test("a path is traversed at constant speed", () => {
  const [from, to] = [Float64Array.of(0, 0.2), Float64Array.of(0, 5)];
  const way = straightWay(HALF_PLANE, from, to);
  near(way.length, Math.log(25), 1e-3);
  for (const share of [0.2, 0.5, 0.9]) near(way.place(share)[1], 0.2 * 25 ** share, 5e-3);
});

test("on a grid the path goes around a hill that the straight line crosses", () => {
  const hill = space(2, ([x, y]) => {
    const g = 1 + 400 * Math.exp(-4 * (x * x + y * y));
    return Float64Array.of(g, 0, 0, g);
  });
  const [from, to] = [Float64Array.of(-1, 0.01), Float64Array.of(1, 0.01)];
  const grid = new Way(hill, finished(gridWay(hill, from, to, sheet(0, 0, 1.6, 1.6))).even(160));
  const best = finished(geodesic(hill, from, to, sheet(0, 0, 1.6, 1.6)));
  const straight = straightWay(hill, from, to);
  assert.ok(grid.length < 0.5 * straight.length);
  assert.ok(best.length <= grid.length);
  assert.ok(Math.hypot(...best.place(0.5)) > 0.7);
});

test("the path follows the data if all other regions are expensive, also in a hidden dimension", () => {
  // The training points are on a vertical circle, which is a line when seen from above.
  const ring = ([x, , z]) => 1 + 100 * (Math.hypot(x, z) - 1) ** 2;
  const upright = space(3, (x) => Float64Array.of(ring(x), 0, 0, 0, ring(x), 0, 0, 0, ring(x)));
  const angles = Array.from({ length: 40 }, (_, i) => (2 * Math.PI * i) / 40);
  const latent = Float64Array.from(angles.flatMap((angle) => [Math.cos(angle), 0, Math.sin(angle)]));
  const rows = new LatentPoints({ header: { relevance: [1, 1, 1] }, arrays: { latent }, shapes: { latent: [40, 3] } });
  const [from, to] = [Float64Array.of(1, 0, 0), Float64Array.of(-1, 0, 0)];
  const along = finished(dataWay(upright, from, to, rows));
  along.points.forEach(([x, , z]) => near(Math.hypot(x, z), 1, 1e-12));
  near(along.length, Math.PI, 0.05);
  const where = { ...sheet(0, 0, 2, 2), lift: (u, v) => Float64Array.of(u, v, 0), free: [0, 1, 2] };
  const best = finished(geodesic(upright, from, to, { ...where, rows }));
  assert.ok(best.length <= along.length);
  assert.ok(best.length < 0.7 * finished(geodesic(upright, from, to, { ...where, rows: null })).length);
});

test("equal ends give a path of length 0", () => {
  const at = Float64Array.of(0.3, 1);
  const way = finished(geodesic(HALF_PLANE, at, at.slice(), sheet(0, 1, 1, 0.9)));
  near(way.length, 0, 1e-12);
  assert.deepEqual([...way.place(0.5)], [...at]);
});

for (const [name, { bytes, points }] of Object.entries(NUMBERS)) {
  test(`${name}: neither the straight line nor the path over the grid is shorter`, () => {
    const model = new LatentModel(new Uint8Array(Buffer.from(bytes, "base64")));
    const metric = new OutputMetric(model);
    finished(metric.prepare());
    points.slice(1).forEach((end, i) => {
      const [from, to] = [Float64Array.from(points[i]), Float64Array.from(end)];
      for (const free of [[0, 1, 2], [0, 1]]) {
        const where = { ...sheet(0, 0, 3, 3), lift: (u, v) => Float64Array.of(u, v, from[2]), free };
        const way = finished(geodesic(metric, from, to, where));
        const grid = new Way(metric, finished(gridWay(metric, from, to, where)).even(160));
        assert.ok(way.length <= straightWay(metric, from, to).length);
        assert.ok(way.length <= grid.length * (1 + 1e-12));
        [from, to].forEach((place, side) => assert.deepEqual([...way.place(side)], [...place]));
      }
    });
  });
}
