// Tests of positions in pictures, formats of numbers, and the visible part of a plane.

import assert from "node:assert/strict";
import { test } from "node:test";

import { drawAxisNames, niceTicks } from "../../assets/canvas/kit/axes.js";
import { counted, decimalsOf, formatCoordinate, formatData, formatNumber, plainNumber, formatShare, formatTime } from "../../assets/canvas/kit/format.js";
import { readFrame, readHeader } from "../../assets/canvas/kit/frame.js";
import { imageBox, jointPlaces, turnJoints, vectorFrame } from "../../assets/canvas/kit/geometry.js";
import { PlaneView, framed, framedBetween, mappedRange } from "../../assets/canvas/kit/plane.js";
import { sides } from "../../assets/canvas/kit/skeleton.js";
import { heatColour } from "../../assets/canvas/kit/theme.js";

const near = (found, expected, tolerance = 1e-9) =>
  assert.ok(found.every((value, i) => Math.abs(value - expected[i]) < tolerance), `${found} is not ${expected}`);

test("a joint has a side only if its name says so, or the other side has such a joint", () => {
  const names = ["root", "lfemur", "rfemur", "LeftArm", "R_Hip", "L_Hip", "leg", "ribs", "lowerback", "Rightmost"];
  assert.deepEqual(sides(names), [null, "left", "right", "left", "right", "left", null, null, null, "right"]);
});

test("an image fills as much of its box as its shape allows, and is centred", () => {
  assert.deepEqual(imageBox({ shape: [10, 20] }, 100, 100), { x: 0, y: 25, fit: 5 });
  assert.deepEqual(imageBox({ shape: [20, 10] }, 100, 100), { x: 25, y: 0, fit: 5 });
});

test("turning keeps distances, and a quarter turn shows the depth from the side", () => {
  const [joint] = turnJoints([1, 2, 3], [0, 0, 0], { yaw: Math.PI / 2, pitch: 0 });
  near(joint, [3, 2, -1]);
  const [turned] = turnJoints([1, 2, 3], [0.5, 0.5, 0.5], { yaw: 0.7, pitch: -0.4 });
  near([Math.hypot(...turned)], [Math.hypot(0.5, 1.5, 2.5)]);
});

test("a higher joint is drawn higher, and the middle stays in the middle", () => {
  const drawing = { shape: [2, 3], extent: { centre: [0, 1, 0], reach: 2, floor: 0 } };
  const [low, high] = jointPlaces(drawing, [0, 1, 0, 0, 1.5, 0], 200, 100, { yaw: 0.3, pitch: 0 });
  assert.equal(low[0], 100);
  assert.ok(high[1] < low[1]);
});

for (const kind of ["curve", "bars"]) {
  test(`${kind}: the position of a column leads back to the column`, () => {
    const frame = vectorFrame({ kind, range: [-1, 3], columns: null }, 12, 300, 200);
    for (let i = 0; i < 12; i++) assert.equal(frame.at(frame.px(i)), i);
    assert.equal(frame.py(-1), frame.bottom);
    assert.equal(frame.py(3), frame.top);
  });
}

test("the position of a pixel in the plane leads back to the pixel", () => {
  const plane = new PlaneView();
  Object.assign(plane, { width: 320, height: 200 });
  plane.show({ u: 1, v: -2, su: 3, sv: 0.5 });
  near(plane.toPixel(...plane.toLatent(17, 120)), [17, 120]);
});

test("a link shows the same part of the plane in a window of another shape", () => {
  const [plane, other] = [new PlaneView(), new PlaneView()];
  Object.assign(plane, { width: 320, height: 200 });
  plane.show({ u: 1, v: -2, su: 3, sv: 0.5 });
  assert.equal(plane.zoomed, "");
  plane.zoomAt(40, 150, 4);
  other.show({ u: 1, v: -2, su: 3, sv: 2 });
  other.zoomTo(plane.zoomed.split(",").map(Number));
  near([other.view.u, other.view.v, other.view.su, other.view.sv], [plane.view.u, plane.view.v, 0.75, 0.5], 1e-3);
  const { view } = other;
  for (const wrong of [[1, 2], [0, 0, NaN], [0, 0, -1]]) other.zoomTo(wrong);
  assert.equal(other.view, view);
  other.zoomTo([0, 0, 1e9]);
  assert.equal(other.view.su, 0.06);
});

test("zooming keeps the position under the pointer, and has a limit", () => {
  const plane = new PlaneView();
  Object.assign(plane, { width: 320, height: 200 });
  plane.show({ u: 1, v: -2, su: 3, sv: 0.5 });
  const before = plane.toLatent(40, 150);
  assert.equal(plane.zoomAt(40, 150, 2), true);
  near(plane.toLatent(40, 150), before);
  assert.equal(plane.view.su, 1.5);
  for (const [factor, end] of [[1e-4, 7.5], [1e4, 0.06]]) {
    assert.equal(plane.zoomAt(40, 150, factor), true);
    assert.ok(Math.abs(plane.view.su - end) < 1e-9);
    assert.equal(plane.zoomAt(40, 150, factor), false);
    near(plane.toLatent(40, 150), before);
  }
});

test("points are framed in the space that controls do not cover", () => {
  const plane = new PlaneView();
  Object.assign(plane, { width: 100, height: 100 });
  for (const [above, below, top, foot] of [[0.3, 0.1, 30, 90], [0, 0, 8.333, 91.667], [0.9, 0.9, 30, 70]]) {
    const [v, sv] = framedBetween(5, 2, 0.2, above, below);
    plane.show({ u: 0, v, su: 1, sv });
    assert.ok(Math.abs(plane.toPixel(0, 7)[1] - top) < 0.01);
    assert.ok(Math.abs(plane.toPixel(0, 3)[1] - foot) < 0.01);
  }
});

test("a point outside moves the view, a point inside does not", () => {
  const plane = new PlaneView();
  plane.show({ u: 0, v: 0, su: 1, sv: 1 });
  plane.reveal(0.5, -0.5);
  assert.deepEqual(plane.view, { u: 0, v: 0, su: 1, sv: 1 });
  plane.reveal(3, -3);
  assert.ok(Math.abs(3 - plane.view.u) < 1 && Math.abs(-3 - plane.view.v) < 1);
});

test("a frame has margins on both sides, also around a single value", () => {
  assert.deepEqual(framed([2, 4], 0.5), [3, 1.5]);
  assert.ok(framed([2, 2], 0.5)[1] > 0);
  assert.deepEqual(mappedRange([-1e-7, 1e-7], true), [-2, 2]);
  assert.deepEqual(mappedRange([-3, 1e-7], true), [-3, 2]);
  assert.deepEqual(mappedRange([-1e-7, 1e-7], false), [-1e-7, 1e-7]);
});

test("ticks are round, in order, and inside the range", () => {
  assert.deepEqual(niceTicks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  for (const [low, high] of [[-0.37, 0.91], [1e4, 1.2e4]]) {
    const ticks = niceTicks(low, high, 6);
    assert.ok(ticks.length >= 2 && ticks.every((tick, i) => tick >= low && tick <= high && (!i || tick > ticks[i - 1])));
  }
});

test("numbers are written for people", () => {
  assert.equal(formatNumber(0.0123456), "0.0123");
  assert.equal(formatNumber(-2), "−2");
  assert.equal(formatNumber(123456), "123,000");
  assert.equal(formatNumber(-66880, 4), "−66,880");
  assert.equal(formatNumber(1e-5), "1.00 × 10⁻⁵");
  assert.equal(formatNumber(-2.5e12), "−2.50 × 10¹²");
  for (const value of [123000, -66900, 1e-5, -2.5e12, 0.0123, 4]) assert.equal(Number(plainNumber(formatNumber(value))), value);
  assert.equal(formatNumber(NaN), "–");
  assert.equal(formatCoordinate(-0.001), "0.00");
  assert.equal(formatCoordinate(-1.239), "−1.24");
  assert.equal(formatTime(2.5, 0.1), "2.5");
  assert.equal(formatTime(-3, 1), "−3");
  assert.equal(formatTime(-0.01, 0.1), "0.0");
  assert.equal(formatTime(-0.4, 1), "0");
  assert.deepEqual([0, 1, 2, 1200].map((count) => counted(count, "row")), ["0 rows", "1 row", "2 rows", "1,200 rows"]);
});

test("a percentage below 100 never shows as 100 %, and zero shows as 0 %", () => {
  const shares = [0, 0.001, 0.01, 0.5, 0.9949, 0.995, 1];
  assert.deepEqual(shares.map(formatShare), ["0 %", "under 1 %", "1 %", "50 %", "99 %", "99.5 % or more", "99.5 % or more"]);
});

test("the colours of a scale run from the first to the last and are clamped", () => {
  assert.deepEqual(heatColour(-1), heatColour(0));
  assert.deepEqual(heatColour(2), heatColour(1));
  const lightness = [0, 0.25, 0.5, 0.75, 1].map((share) => heatColour(share).reduce((sum, part) => sum + part));
  assert.deepEqual(lightness, lightness.toSorted((p, q) => p - q));
});

test("framed bytes are read from any offset", () => {
  const header = { name: "n", arrays: { a: { dtype: "float64", shape: [2], offset: 0 }, b: { dtype: "uint8", shape: [1, 3], offset: 16 } } };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const start = Math.ceil((4 + text.length) / 8) * 8;
  const message = new Uint8Array(3 + start + 19);
  const bytes = message.subarray(3);
  new DataView(message.buffer, 3).setUint32(0, text.length, true);
  bytes.set(text, 4);
  bytes.set(new Uint8Array(Float64Array.of(0.5, -7).buffer), start);
  bytes.set([1, 2, 3], start + 16);
  assert.equal(readHeader(bytes).name, "n");
  const { arrays, shapes } = readFrame(bytes);
  assert.deepEqual([...arrays.a], [0.5, -7]);
  assert.deepEqual([...arrays.b], [1, 2, 3]);
  assert.deepEqual(shapes.b, [1, 3]);
});

test("the names of axes have a halo, so that dots below them do not hide them", () => {
  const drawn = [];
  const context = { save() {}, restore() {}, strokeText: (words) => drawn.push(["halo", words]), fillText: (words) => drawn.push(["text", words]) };
  const theme = { known: [255, 255, 255], background: [255, 255, 255], text: [0, 0, 0], font: "serif" };
  drawAxisNames(context, { width: 300, height: 200 }, ["a", "b"], theme);
  assert.deepEqual(drawn, [["halo", "a →"], ["text", "a →"], ["halo", "↑ b"], ["text", "↑ b"]]);
});

test("values of the data have the digits of their column, and results of a computation few", () => {
  const texts = (/** @type {number[]} */ values) => values.map((value) => formatData(Math.fround(value), decimalsOf(values), Math.max(...values) - Math.min(...values)));
  assert.deepEqual(texts([1518, 2093.5, -120]), ["1518", "2093.5", "−120"]);
  assert.deepEqual(texts([1518, 2093, 16777215]), ["1518", "2093", "16777215"]);
  assert.deepEqual(texts([172.8, 165.1]), ["172.8", "165.1"]);
  assert.deepEqual(texts([35278.41, 0.05]), ["35278.41", "0.05"]);
  assert.deepEqual(texts([1 / 3, 2 / 3, 5]), ["0.33", "0.67", "5.00"]);
  assert.equal(formatData(NaN, 1, 2), "–");
});
