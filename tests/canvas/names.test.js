// Tests of the names of rows on the map and in the table of selected rows.

import assert from "node:assert/strict";
import { test } from "node:test";

import { LatentPoints } from "../../assets/canvas/geometry/points.js";
import { Selecting } from "../../assets/canvas/map/selecting.js";

test("a row is called by its identifier and label, otherwise by its number", () => {
  const latent = new Float32Array(6);
  const shapes = { latent: [3, 2] };
  const arrays = { latent, labels: Int32Array.of(0, 1, 0) };
  const header = { relevance: [1, 1], label_names: ["calm", "wild"], row_names: ["k1", "wild/2.png", ""] };
  const points = new LatentPoints(/** @type {any} */ ({ header, arrays, shapes }));
  assert.deepEqual([0, 1, 2].map((n) => points.name(n)), ["k1 · calm", "wild/2.png", "Row 3 · calm"]);
  const bare = new LatentPoints(/** @type {any} */ ({ header: { relevance: [1, 1] }, arrays: { latent }, shapes }));
  assert.equal(bare.name(1), "Row 2");
});

test("the table of selected rows has their names", () => {
  const header = { relevance: [1, 1], axes: ["Dimension 1", "Dimension 2"], n_latent: 2, label_names: ["calm"], row_names: ["k1", "=2", "k3"] };
  const arrays = { latent: Float32Array.of(1, 2, 3, 4, 5, 6), labels: Int32Array.of(0, 0, 0) };
  const model = new LatentPoints(/** @type {any} */ ({ header, arrays, shapes: { latent: [3, 2] } }));
  const table = Selecting.prototype.table.call(/** @type {any} */ ({ explorer: { state: { rows: [1, 2] }, map: { model }, model } }));
  const [head, first, second] = table.split("\r\n");
  assert.equal(head, "row,id,label,Dimension 1 mean,Dimension 2 mean,Dimension 1 variance,Dimension 2 variance");
  assert.deepEqual([first, second], ["2,'=2,calm,3,4,0,0", "3,k3,calm,5,6,0,0"]);
});
