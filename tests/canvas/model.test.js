// Tests of the page's model against Python's numbers (numbers.json, which test_numbers.py checks). Every kernel is also tested against identities and
// a second implementation of its formula.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { KERNELS, kernelKind, kernelPlane } from "../../assets/canvas/geometry/kernels.js";
import { LatentModel } from "../../assets/canvas/geometry/model.js";

const NUMBERS = JSON.parse(readFileSync(new URL("numbers.json", import.meta.url), "utf8"));
const close = (found, expected, tolerance = 1e-9) =>
  assert.ok(Math.abs(found - expected) <= tolerance * (1 + Math.abs(expected)), `${found} is not ${expected}`);

test("a model shows the outputs at another value of its known factors, and again at the first", () => {
  const [first, last] = ["level 0", "level 2"].map((name) => NUMBERS[name]);
  const model = new LatentModel(new Uint8Array(Buffer.from(first.bytes, "base64")));
  for (const [level, { mean, deviation }] of [[2, last], [0, first]]) {
    model.showLevel(level);
    const found = new Float64Array(model.nOutputs);
    first.points.forEach((point, i) => {
      const variance = model.predict(point, found);
      mean[i].forEach((value, d) => close(found[d], value, 1e-5));
      close(model.deviation(variance), deviation[i], 1e-4);
      close(model.deviation(model.variance(point)), deviation[i], 1e-4);
    });
  }
  assert.ok(model.levels.has(2) && !model.levels.has(3));
});

for (const [name, numbers] of Object.entries(NUMBERS)) {
  const { bytes, points, mean, deviation } = numbers;
  const model = new LatentModel(new Uint8Array(Buffer.from(bytes, "base64")));

  test(`${name}: mean and deviation are Python's`, () => {
    const found = new Float64Array(model.nOutputs);
    points.forEach((point, i) => {
      const variance = model.predict(point, found);
      mean[i].forEach((value, d) => close(found[d], value, 1e-5));
      close(model.deviation(variance), deviation[i], 1e-4);
    });
  });

  test(`${name}: deviations far below the data's spread are bounded, not written with exponents`, () => {
    assert.equal(model.spreadWords(1e-10), model.spreadWords(1e-16));
    assert.match(model.spreadWords(1e-10), /^± under 0?\.?\d+$/);
  });

  test(`${name}: the deviation and the noise of every output are Python's`, () => {
    points.forEach((point, i) => {
      const found = model.moments(Float64Array.from(point), null);
      mean[i].forEach((value, d) => close(found.mean[d], value, 1e-5));
      numbers.deviations[i].forEach((value, d) => close(Math.sqrt(found.variances[d]), value, 1e-4));
    });
    numbers.noise.forEach((value, d) => close(model.noise(d), value, 1e-6));
  });

  test(`${name}: around an uncertain position the moments are those of exact expectations`, () => {
    points.forEach((point, i) => {
      const found = model.moments(Float64Array.from(point), numbers.around);
      numbers.mean_around[i].forEach((value, d) => close(found.mean[d], value, 1e-3));
      numbers.deviations_around[i].forEach((value, d) => close(Math.sqrt(found.variances[d]), value, 5e-3));
    });
  });

  test(`${name}: the closest training points, in order`, () => {
    points.forEach((point, i) => {
      const found = model.closest(point, 3);
      assert.deepEqual(found.map(({ row }) => row), numbers.closest[i]);
      found.forEach(({ distance }, k) => close(distance, numbers.distances[i][k], 1e-6));
    });
  });

  test(`${name}: the shading's variances are those of predictions`, () => {
    const slice = model.slice(points[0], 2, 0);
    const us = Float64Array.of(-1.5, 0.2, 2.1);
    const tables = slice.columns(us);
    const found = new Float64Array(2 * us.length);
    const mean_ = new Float64Array(model.nOutputs);
    [-0.7, 1.3].forEach((v, i) => slice.variances(us, tables, v, found, i * us.length));
    [-0.7, 1.3].forEach((v, i) => us.forEach((u, j) => {
      close(found[i * us.length + j], model.predict([v, points[0][1], u], mean_), 1e-9);
    }));
  });
}

// Each kind in the table has one part and a second implementation of k(x, z).
const PARTS = {
  rbf: { variance: 1.3, precision: [0.5, 2, 0.1] },
  waves: { variance: 0.9, precision: [0.5, 0, 0.1], sharpness: [0.7, 1.2, 0], frequency: [1.5, 0.8, 2] },
  linear: { variance: [0.4, 1.5, 0.2] },
  bias: { variance: 0.7 },
  white: { variance: 0.2 },
};
const FORMULAS = {
  rbf: ({ variance, precision }, x, z) =>
    precision.map((p, q) => Math.exp(-(p * (x[q] - z[q]) ** 2) / 2)).reduce((product, factor) => product * factor, variance),
  waves: ({ variance, precision, sharpness, frequency }, x, z) =>
    x.map((value, q) => Math.exp(-precision[q] * (value - z[q]) ** 2 / 2) * Math.exp(-2 * sharpness[q] * Math.sin(frequency[q] * (value - z[q]) / 2) ** 2))
      .reduce((product, factor) => product * factor, variance),
  linear: ({ variance }, x, z) => variance.map((v, q) => v * x[q] * z[q]).reduce((sum, term) => sum + term),
  bias: ({ variance }) => variance,
  white: ({ variance }, x, z) => (x.every((value, q) => value === z[q]) ? variance : 0),
};
const Z = [[0.1, -1, 2], [1.4, 0.3, -0.6], [-2, 0.8, 0.5], [0, 0, 1]];
const INPUTS = { inducing: Float64Array.from(Z.flat()), nInducing: 4, nLatent: 3 };
const X = [0.6, -0.4, 1.1];

test("every kind of kernel is tested here", () => {
  assert.deepEqual(Object.keys(PARTS).sort(), Object.keys(KERNELS).sort());
});

for (const [kind, numbers] of Object.entries(PARTS)) {
  const part = { kind, ...numbers };

  test(`${kind}: the row and the diagonal follow the formula`, () => {
    const row = new Float64Array(4).fill(10); // a row is added to these existing numbers
    kernelKind(part).row(part, X, INPUTS, row);
    Z.forEach((z, m) => close(row[m], 10 + FORMULAS[kind](part, X, z)));
    close(kernelKind(part).diagonal(part, X), FORMULAS[kind](part, X, X));
  });

  test(`${kind}: the values on a plane equal those at every point`, () => {
    const plane = kernelPlane(part, X, 1, 2, INPUTS);
    const us = Float64Array.of(-0.3, 0.9);
    const table = plane.columns(us);
    for (const v of [-1.2, 0.4]) {
      const factor = plane.height(v);
      us.forEach((u, i) => {
        const row = new Float64Array(4);
        plane.add(row, table, i, factor, u, v);
        const x = [X[0], u, v];
        Z.forEach((z, m) => close(row[m], FORMULAS[kind](part, x, z)));
        close(plane.diagonal(u, v), FORMULAS[kind](part, x, x));
      });
    }
  });
}

// White noise is independent at every position, so it has no derivative.
const smooth = (part, x, z) => (part.kind === "white" ? 0 : FORMULAS[part.kind](part, x, z));
const shifted = (x, q, by) => x.map((value, p) => value + (p === q ? by : 0));

// `derivative` is optional: without it, a map has no paths and no magnification.
for (const [kind, numbers] of Object.entries(PARTS).filter(([name]) => KERNELS[name].derivative)) {
  const part = { kind, ...numbers };
  const h = 1e-4;

  test(`${kind}: the derivative equals that of the formula`, () => {
    const row = new Float64Array(12).fill(10);
    kernelKind(part).derivative.row(part, X, INPUTS, row);
    const slope = (x, z, q) => (smooth(part, shifted(x, q, h), z) - smooth(part, shifted(x, q, -h), z)) / (2 * h);
    Z.forEach((z, m) => X.forEach((_, q) => close(row[3 * m + q], 10 + slope(X, z, q), 1e-6)));
    const mixed = new Float64Array(9).fill(10);
    kernelKind(part).derivative.diagonal(part, X, mixed);
    X.forEach((_, q) => X.forEach((__, p) =>
      close(mixed[3 * q + p], 10 + (slope(X, shifted(X, p, h), q) - slope(X, shifted(X, p, -h), q)) / (2 * h), 1e-6)));
  });
}

test("an unknown kernel is refused with a message", () => {
  assert.throws(() => kernelKind({ kind: "cosine" }), /cannot evaluate.*"cosine".*rbf/);
});
