// Tests of the cells that a brush covers, of hidden cells, and of sequences between their frames.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cellsFor } from "../../assets/canvas/painter/cells.js";
import { HiddenRow, maskOfText, maskText } from "../../assets/canvas/painter/hidden_row.js";
import { Reel } from "../../assets/canvas/player/reel.js";

const IMAGE = { kind: "image", shape: [6, 4], range: [0, 1] };
const CURVE = { kind: "curve", shape: [10], range: [0, 1], columns: null };
const CHAIN = {
  kind: "skeleton", shape: [4, 3],
  skeleton: { names: ["hip", "knee", "foot", "head"], parents: [-1, 0, 1, 0] },
  extent: { centre: [0, 0, 0], reach: 2, floor: -1 },
};

test("a brush covers the pixels whose centres are under it, and at least the pixel under the pointer", () => {
  const cells = cellsFor(IMAGE, 24);
  const frame = { width: 40, height: 60 }; // ten CSS pixels per pixel of the picture
  for (const cell of [0, 9, 23]) assert.deepEqual(cells.under(...cells.place(cell, frame), 1, frame), [cell]);
  const [x, y] = cells.place(9, frame);
  const covered = cells.under(x, y, 3, frame);
  const expected = Array.from({ length: 24 }, (_, i) => i).filter((i) => {
    const [px, py] = cells.place(i, frame);
    return Math.hypot(px - x, py - y) <= 15;
  });
  assert.deepEqual(covered, expected);
});

test("the cursor that keys move stays on the picture", () => {
  const cells = cellsFor(IMAGE, 24);
  assert.equal(cells.step(0, -1, -1), 0);
  assert.equal(cells.step(23, 1, 1), 23);
  assert.equal(cells.step(9, 1, -1), 6);
});

test("a joint is selected alone, or with all joints beyond it", () => {
  const cells = cellsFor(CHAIN, 4);
  const values = [0, 0, 0, 0.5, -0.5, 0, 0.5, -1, 0, 0, 0.8, 0];
  const frame = { width: 300, height: 300, values, turn: { yaw: 0, pitch: 0 } };
  const knee = cells.place(1, frame);
  assert.deepEqual(cells.under(...knee, false, frame), [1]);
  assert.deepEqual(cells.under(...knee, true, frame), [1, 2]);
  assert.deepEqual(cells.under(knee[0] + 60, knee[1], false, frame), []);
});

test("a brush over a curve covers the columns around it", () => {
  const cells = cellsFor(CURVE, 10);
  const frame = { width: 300, height: 200 };
  const [x, y] = cells.place(4, frame);
  assert.deepEqual(cells.under(x, y, 2, frame), [3, 4, 5]);
});

test("a mask becomes text and back, with bits in the order of the cells", () => {
  const mask = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1);
  assert.equal(maskText(mask), btoa("\x80\x60"));
  assert.deepEqual(maskOfText(maskText(mask), 11), mask);
});

test("the model sees neither hidden nor missing cells", () => {
  const header = { cells: 3, drawing: CURVE, items: [{ id: "r", title: "Row" }] };
  const row = new HiddenRow(header, "r", Float32Array.of(1, 2, 3, NaN, 5, 6), Uint8Array.of(1, 0, 0));
  assert.deepEqual([...row.seen()], [NaN, NaN, 3, NaN, 5, 6]);
  assert.deepEqual([0, 1, 2].map((cell) => row.gap(cell)), [true, true, false]);
  assert.equal(row.gaps(), 2);
  assert.equal(row.whole, false);
  assert.deepEqual([...row.filled(Float32Array.of(9, 9, 9, 9, 9, 9))], [1, 2, 3, 9, 5, 6]);
});

/** A reel of framed arrays: {name: [typed array, shape]}. */
function reelOf(header, arrays) {
  let size = 0;
  const entries = {};
  for (const [name, [array, shape]] of Object.entries(arrays)) {
    size = Math.ceil(size / 8) * 8;
    const dtype = array.constructor.name.replace("Array", "").toLowerCase();
    entries[name] = { dtype, shape, offset: size };
    size += array.byteLength;
  }
  const text = new TextEncoder().encode(JSON.stringify({ ...header, arrays: entries }));
  const start = Math.ceil((4 + text.length) / 8) * 8;
  const bytes = new Uint8Array(start + size);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  for (const [name, [array]] of Object.entries(arrays)) bytes.set(new Uint8Array(array.buffer), start + entries[name].offset);
  return new Reel(bytes);
}

test("a sequence is linear between frames, and unknown beside unknown frames", () => {
  const reel = reelOf({ white: 254 }, {
    times: [Float64Array.of(0, 1, 3), [3]],
    forecast: [Uint8Array.of(0, 0, 1), [3]],
    hidden: [Uint8Array.of(0, 1, 1), [3]],
    values0: [Float32Array.of(0, 10, 2, 20, 6, NaN), [3, 2]],
    pixels: [Uint8Array.of(0, 100, 255), [3, 1]],
  });
  assert.deepEqual(reel.place(2), { frame: 1, share: 0.5 });
  assert.deepEqual(reel.place(-1), { frame: 0, share: 0 });
  assert.deepEqual(reel.place(9), { frame: 2, share: 0 });
  assert.deepEqual([...reel.row("values0", 0.5)], [1, 15]);
  assert.deepEqual([...reel.row("values0", 2)], [4, NaN]);
  assert.deepEqual([...reel.row("pixels", 0.25)], [25]);
  assert.deepEqual([...reel.row("pixels", 2)], [NaN]);
  assert.deepEqual([reel.known, reel.isForecast(1), reel.isForecast(1.5)], [1, false, true]);
  assert.deepEqual(reel.stretches("hidden"), [[1, 2]]);
});
