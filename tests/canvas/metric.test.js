// Tests of the expected metric of the output against Python's numbers, and of its identities. Python's numbers are finite differences of the
// posterior; test_numbers.py compares them with sampled functions.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { magnificationSlice } from "../../assets/canvas/geometry/magnification.js";
import { OutputMetric } from "../../assets/canvas/geometry/metric.js";
import { LatentModel } from "../../assets/canvas/geometry/model.js";
import { NearPlane } from "../../assets/canvas/geometry/nearness.js";

const NUMBERS = JSON.parse(readFileSync(new URL("numbers.json", import.meta.url), "utf8"));
const close = (found, expected, tolerance) =>
  assert.ok(Math.abs(found - expected) <= tolerance * (1 + Math.abs(expected)), `${found} is not ${expected}`);
const modelOf = ({ bytes }) => new LatentModel(new Uint8Array(Buffer.from(bytes, "base64")));
const prepared = (model) => {
  const metric = new OutputMetric(model);
  assert.equal([...metric.prepare()].length, model.rank);
  return metric;
};

for (const [name, numbers] of Object.entries(NUMBERS)) {
  const metric = prepared(modelOf(numbers));
  const points = numbers.points.map((point) => Float64Array.from(point));

  test(`${name}: the metric is Python's`, () => {
    points.forEach((x, i) => {
      const expected = numbers.metric[i].flat();
      metric.at(x).forEach((value, k) => close(value, expected[k], 1e-4));
    });
  });

  test(`${name}: expected changes between positions are Python's`, () => {
    const stations = points.map((x) => metric.station(x));
    numbers.changes.forEach((expected, i) => close(metric.squared(stations[i], stations[i + 1]), expected, 1e-4));
  });

  test(`${name}: a small step changes the output by the metric's length`, () => {
    for (const x of points) {
      const step = Float64Array.of(3e-4, -5e-4, 2e-4);
      const end = x.map((value, q) => value + step[q]);
      const length = metric.speed(x.map((value, q) => value + step[q] / 2), step);
      close(Math.sqrt(metric.squared(metric.station(x), metric.station(end))) / length, 1, 1e-4);
    }
  });

  test(`${name}: area grows by the root of the metric's determinant`, () => {
    const [across, up] = [[1, 0, 0.5], [0, 1, -0.3]];
    for (const x of points) {
      const G = metric.at(x);
      const product = (u, v) => u.reduce((sum, value, q) => sum + v.reduce((inner, other, p) => inner + value * other * G[3 * q + p], 0), 0);
      const expected = Math.sqrt(product(across, across) * product(up, up) - product(across, up) ** 2);
      close(metric.magnification(x, across, up), expected, 1e-9);
    }
  });

  test(`${name}: the magnification of the mean is that of its differences`, () => {
    const [across, up, h] = [[1, 0, 0.5], [0, 1, -0.3], 1e-5];
    const slope = (x, way) => {
      const [ahead, behind] = [1, -1].map((side) => {
        const mean = new Float64Array(metric.model.nOutputs);
        metric.model.predict(x.map((value, q) => value + side * h * way[q]), mean);
        return mean;
      });
      return ahead.map((value, d) => (value - behind[d]) / (2 * h));
    };
    for (const x of points) {
      const [s, t] = [slope(x, across), slope(x, up)];
      const product = (u, v) => u.reduce((sum, value, d) => sum + value * v[d], 0);
      const area = Math.sqrt(Math.max(product(s, s) * product(t, t) - product(s, t) ** 2, 0));
      close(metric.meanMagnification(x, across, up), area, 1e-4);
      assert.ok(metric.meanMagnification(x, across, up) <= metric.magnification(x, across, up) * (1 + 1e-6));
    }
  });

  test(`${name}: the shading is the growth of areas on the map, while other dimensions follow the data`, () => {
    const near = new NearPlane(metric.model, 2, 0);
    const follow = (u, v) => near.follow(Float64Array.of(v, 0, u));
    const us = Float64Array.of(-0.4, 0.9);
    const found = new Float64Array(3);
    magnificationSlice(metric, follow, [1e-5, 1e-5]).variances(us, null, 0.3, found, 1);
    us.forEach((u, i) => {
      // The expected value uses squared changes along the two sides of a small square and along its diagonal.
      const h = 1e-3;
      const [corner, right, above, across] = [[u, 0.3], [u + h, 0.3], [u, 0.3 + h], [u + h, 0.3 + h]].map(([p, q]) => metric.station(follow(p, q)));
      const [g, k, both] = [right, above, across].map((station) => metric.squared(corner, station) / (h * h));
      close(found[i + 1] / (g * k - ((both - g - k) / 2) ** 2), 1, 2e-2);
    });
  });

  test(`${name}: the energy of a path is the sum of its squared changes, and its gradient matches differences`, () => {
    const path = points.map((x) => x.slice());
    const gradient = path.map(() => new Float64Array(3));
    const nothing = path.map(() => new Float64Array(3));
    close(metric.energy(path, gradient), numbers.changes.reduce((sum, value) => sum + value), 1e-4);
    const h = 1e-5;
    path.forEach((x, i) => x.forEach((value, q) => {
      x[q] = value + h;
      const ahead = metric.energy(path, nothing);
      x[q] = value - h;
      const behind = metric.energy(path, nothing);
      x[q] = value;
      close(gradient[i][q], (ahead - behind) / (2 * h), 1e-5);
    }));
  });
}

test("a kernel without a derivative has no metric, and the error names it", () => {
  const model = modelOf(NUMBERS.rbf);
  model.kinds = [{ row() {}, diagonal: () => 1 }];
  assert.throws(() => new OutputMetric(model), /derivative of the kernel "rbf"/);
});
