// Tests of the predictions of regressions in the browser against NumPy's, and of the sentences about their layers.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Regression } from "../../assets/canvas/geometry/regression.js";
import { gridOf } from "../../assets/canvas/predict/sliders.js";
import { verdictInWords } from "../../assets/canvas/predict/layers.js";

/** @type {Record<string, any>[]} */
const stored = JSON.parse(readFileSync(new URL("./regression_numbers.json", import.meta.url), "utf8"));

for (const known of stored) {
  const model = new Regression(new Uint8Array(Buffer.from(known.bytes, "base64")));
  test(`${model.layers.length} layers predict as in Python, also for unknown inputs`, () => {
    known.points.forEach((/** @type {(number | null)[]} */ point, /** @type {number} */ i) => {
      const { mean, deviation } = model.answer(point.map((value) => value ?? NaN));
      assert.ok(Math.abs(mean - known.mean[i]) < 1e-6, `${mean} is not ${known.mean[i]}`);
      assert.ok(Math.abs(deviation - known.deviation[i]) < 1e-6, `${deviation} is not ${known.deviation[i]}`);
    });
  });
}

test("a word is an input of zeros and ones, a grade its number, and an unknown word is unknown in all", () => {
  const model = new Regression(new Uint8Array(Buffer.from(stored[stored.length - 1].bytes, "base64")));
  assert.deepEqual(model.inputs.map(({ words }) => words), [[], ["oak", "pine", "elm"], ["small", "large"]]);
  assert.deepEqual(model.expanded([0.5, 2, 1]), [0.5, 0, 0, 1, 1]);
  assert.deepEqual(model.expanded([0.5, NaN, 0]), [0.5, NaN, NaN, NaN, 0]);
  assert.deepEqual([...gridOf(model.inputs[1])].map((at) => model.expanded([0, at, 0]).indexOf(1) - 1), [0, 0, 1, 1, 2, 2]);
});

test("a layer that is off is reported", () => {
  assert.match(verdictInWords(["layer 1 of 2 is on", "layer 2 of 2 is on"]), /Every layer is in use/);
  assert.match(verdictInWords(["layer 1 of 2 is off", "layer 2 of 2 is on"]), /1 of 2 layers is off/);
});
