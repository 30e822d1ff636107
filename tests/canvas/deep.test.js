// Tests of stacked layers against NumPy's numbers, and of draws from deep priors against known properties.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathAt, verdictInWords, warpInWords } from "../../assets/canvas/deep/bend.js";
import { ChainModel } from "../../assets/canvas/deep/chain.js";
import { ViewsModel } from "../../assets/canvas/views/model.js";
import { movesInWords } from "../../assets/canvas/tree/explorer.js";
import { drawnLayers, DrawnFunction, flatShare, PRIOR_LENGTHSCALE, seeded } from "../../assets/canvas/deep/composed.js";

/** @type {Record<string, any>[]} */
const stored = JSON.parse(readFileSync(new URL("./deep_numbers.json", import.meta.url), "utf8"));

/** @param {ArrayLike<number>} found @param {number[]} expected @param {number} tolerance */
function near(found, expected, tolerance) {
  expected.forEach((value, i) => assert.ok(Math.abs(found[i] - value) <= tolerance, `${found[i]} is not ${value}`));
}

/** @param {Float64Array[]} places @param {number} depth @param {number} seed @param {boolean} sees */
function composedDraw(places, depth, seed, sees) {
  const layers = drawnLayers(places, seed, sees);
  return Array.from({ length: depth }, () => layers.next().value);
}

/** @param {number[]} values */
const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

stored.forEach((known) => {
  const { layer } = known;
  const named = `layer ${layer}${known.handed_on ? " with passed inputs" : ""}`;
  const model = new ChainModel(new Uint8Array(Buffer.from(known.bytes, "base64")));
  const mean = new Float64Array(model.nOutputs);
  // A layer of one dimension has a second axis on its map, which changes nothing.
  const places = known.points.map((/** @type {number[]} */ point) => (point.length === 1 ? [point[0], 0.7] : point));

  test(`the means of ${named} and of the layers below are composed as in Python`, () => {
    places.forEach((/** @type {number[]} */ place, /** @type {number} */ i) => {
      model.predict(place, mean);
      near(mean, known.composed[i], 1e-4);
    });
  });

  test(`moments of ${named} are nearly those of Python`, () => {
    places.forEach((/** @type {number[]} */ place, /** @type {number} */ i) => {
      const found = model.moments(Float64Array.from(place), null);
      // The page uses positions around the mean instead of exact expectations.
      near(found.mean, known.mean[i], layer === 2 ? 1e-4 : 0.05);
      near(found.variances.map(Math.sqrt), known.deviations[i], layer === 2 ? 1e-4 : 0.05);
    });
  });

  test(`the shading of ${named} is its relative variance`, () => {
    const [place] = places;
    const slice = model.slice(place, 0, 1);
    const us = Float64Array.of(place[0]);
    const out = new Float64Array(1);
    slice.variances(us, slice.columns(us), place[1], out, 0);
    near(out, [model.variance(place)], 1e-9);
    near(out, [model.predict(place, mean)], 1e-6);
    assert.ok(out[0] >= 0 && out[0] <= 1 + 1e-9);
  });
});

test("a view with its own hidden layers is drawn through all of them", () => {
  const known = stored.find(({ view }) => view);
  const { outputs: [{ model }], ...views } = new ViewsModel(new Uint8Array(Buffer.from(known?.view, "base64")), []);
  const mean = new Float64Array(model.nOutputs);
  known?.points.forEach((/** @type {number[]} */ place, /** @type {number} */ i) => {
    const share = model.predict(place, mean);
    near(mean, known.composed[i], 1e-4);
    assert.match(model.spreadWords(share), /^\d+ %$/);
  });
  assert.deepEqual(views.signal, [1]);
});

test("drawn functions have the covariance of their process", () => {
  const random = seeded(1);
  const places = [Float64Array.of(0, 0.5, 2)];
  const draws = Array.from({ length: 2000 }, () => new DrawnFunction(1, random).at(places));
  for (const i of [0, 1, 2]) {
    const expected = Math.exp(-(places[0][i] ** 2) / (2 * PRIOR_LENGTHSCALE ** 2));
    near([average(draws.map((draw) => draw[0] * draw[i]))], [expected], 0.1);
  }
});

test("the log of a slope falls with every layer as in theory, unless layers receive the input", () => {
  // For each layer, E log|N(0, π/2)| = ½ log(π/2) − ½ (γ + log 2); the slopes of the layers are independent.
  const layer = 0.5 * Math.log(Math.PI / 2) - 0.5 * (0.5772156649 + Math.LN2);
  const step = 1e-5;
  const places = [Float64Array.of(0.3, 0.3 + step)];
  const depth = 5;
  const logs = (/** @type {boolean} */ sees) => Array.from({ length: 250 }, (_, seed) => {
    const [last] = composedDraw(places, depth, seed, sees)[depth - 1];
    return Math.log(Math.abs(last[1] - last[0]) / step);
  });
  // The standard deviation of log|N(0, 1)| is π/√8.
  const error = (Math.PI / Math.sqrt(8)) * Math.sqrt(depth / 250);
  near([average(logs(false))], [depth * layer], 4 * error);
  assert.ok(average(logs(true)) > 0.3 * depth * layer);
});

test("a seed always gives the same draw, and deeper draws contain shallower ones", () => {
  const grid = [Float64Array.from({ length: 50 }, (_, i) => i / 10)];
  const [deep, again] = [composedDraw(grid, 6, 4, false), composedDraw(grid, 3, 4, false)];
  assert.deepEqual(deep[2], again[2]);
  assert.notDeepEqual(deep[2], composedDraw(grid, 3, 5, false)[2]);
  // Inputs with equal values in one layer have equal values in all layers below.
  assert.ok(flatShare(grid[0], deep[5][0]) >= 0);
  assert.equal(flatShare([0, 1, 2, 3], [0, 0, 1, 1]), 2 / 3);
});

test("a moving path goes through its frames and closes", () => {
  const paths = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8); // these are 2 frames × 2 paths × 2 positions
  const sizes = { frames: 2, paths: 2 };
  near(pathAt(paths, sizes, 2, 1, 0), [3, 4], 0);
  near(pathAt(paths, sizes, 2, 0, 0.5), [3, 4], 0);
  near(pathAt(paths, sizes, 2, 0, 1.999999), [1, 2], 1e-4);
});

test("the comparison of two models states the ratio of a point's densities", () => {
  assert.match(verdictInWords(-1, -1 + Math.log(4)), /two layers predict better.* 4 times as likely under two layers as under one layer/);
  assert.match(verdictInWords(0.5, 0.5 - Math.log(25)), /one layer predicts better.* 25 times as likely under one layer as under two layers/);
  assert.match(verdictInWords(0.88, 0.9), /layer is enough/);
  assert.match(verdictInWords(-40, 0), /more than 1,000 times/);
});

test("a sentence describes the hidden layer", () => {
  assert.match(warpInWords(["layer 1 of 2 passes the inputs on unchanged: the model is the shallow one"]), /passes its inputs on unchanged/);
  assert.match(warpInWords(["layer 1 of 2 is off: nothing of the inputs gets through it"]), /is off/);
  assert.match(warpInWords(["layer 1 of 2 is on"]), /bends the input/);
});

test("the sentence about a map that moved names what follows it", () => {
  assert.equal(movesInWords("“arms”", 1, 4), "Only “arms” moves; everything else stays.");
  assert.equal(movesInWords("“body”", 3, 5), "“body” moves, and the maps below it follow; everything else stays.");
  assert.equal(movesInWords("The top", 4, 4), "The top moves, and everything below it follows.");
});
