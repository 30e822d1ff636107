// The brush of benchmarks/drag.py in node with the page's own scripts; ROOT and MODEL are replaced.
// Random lines are painted at 60 frames a second: a frame paints the pixels under a round brush and climbs.
import { readFileSync } from "node:fs";
import { LatentModel } from "ROOT/assets/canvas/geometry/model.js";
import { cellsFor } from "ROOT/assets/canvas/painter/cells.js";
import { finish } from "ROOT/assets/canvas/pull/near.js";
import { Sketch } from "ROOT/assets/canvas/pull/sketch.js";
const model = new LatentModel(new Uint8Array(readFileSync("MODEL")));
const sketch = new Sketch(model);
const begun = performance.now();
finish(sketch.seeds.prepare());
const prepared = performance.now() - begun;
const [rows, columns] = model.drawing.shape;
const cells = cellsFor(model.drawing, model.nOutputs);
const place = { width: columns, height: rows, values: [], turn: { yaw: 0, pitch: 0 } };
let state = 1;
const random = () => (state = (state * 16807) % 2147483647) / 2147483647;
const [low, high] = model.drawing.range;
const [frames, ends] = [[], []];
for (let stroke = 0; stroke < 30; stroke++) {
  if (stroke % 3 === 0) sketch.free();
  const [x, y, right, down] = [columns * random(), rows * random(), random() - 0.5, random() - 0.5];
  const value = low + random() * (high - low);
  sketch.begin(sketch.point);
  for (let frame = 0; frame < 40; frame++) {
    const share = frame / 40;
    const now = performance.now();
    for (const cell of cells.under(x + columns * share * right, y + rows * share * down, cells.brushes.first, place)) sketch.hold(cell, value);
    sketch.step();
    frames.push(performance.now() - now);
  }
  const now = performance.now();
  finish(sketch.settle());
  ends.push(performance.now() - now);
}
const quantile = (values, share) => values.sort((p, q) => p - q)[Math.floor(share * values.length)];
console.log(JSON.stringify({
  pixels: [rows, columns], inducing: model.nInducing, rows: model.nPoints, prepared,
  frame: [0.5, 0.95].map((share) => quantile(frames, share)), end: [0.5, 0.95].map((share) => quantile(ends, share)),
}));
