// Tests of the names beside the points of a map, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

import { axisNameBoxes } from "../../assets/canvas/kit/axes.js";
import { svgOf } from "../../assets/canvas/kit/svg_context.js";
import { placedNames } from "../../assets/canvas/map/layers.js";
import { LatentMap } from "../../assets/canvas/map/map.js";

const [HEIGHT, RADIUS] = [11, 4]; // of a name, and of a dot
const room = (width, height) => ({ inside: { left: 0, right: width, top: 0, bottom: height }, beside: 7, measure: (text) => 6 * text.length });

test("names beside crowded points cover neither points nor each other, and zooming shows all", () => {
  const places = Array.from({ length: 400 }, (_, i) => 200 + 120 * Math.sin(7.3 * i + 0.01 * i * i));
  const names = Array.from({ length: 200 }, (_, n) => `Row ${n}`);
  const placed = placedNames(names, places, room(400, 400));
  assert.ok(placed.length > 20 && placed.length < 200, `${placed.length}`);
  for (const [i, one] of placed.entries()) {
    const [left, right] = [one.left, one.left + one.width];
    assert.ok(left >= 0 && right <= 400 && one.middle >= HEIGHT / 2 && one.middle <= 400 - HEIGHT / 2);
    for (const other of placed.slice(i + 1)) {
      const apart = other.left >= right || other.left + other.width <= left || Math.abs(other.middle - one.middle) >= HEIGHT;
      assert.ok(apart, `${one.text} covers ${other.text}`);
    }
    for (let n = 0; n < 200; n++) {
      const [x, y] = [places[2 * n], places[2 * n + 1]];
      const away = x + RADIUS <= left || x - RADIUS >= right || Math.abs(y - one.middle) >= HEIGHT / 2 + RADIUS;
      assert.ok(away || n === one.row, `${one.text} covers the dot of ${n}`);
    }
  }
  const far = places.map((place) => 60 * place);
  assert.equal(placedNames(names, far, room(24000, 24000)).length, 200);
});

test("a name is not on the names of the axes", () => {
  const canvas = { measureText: (/** @type {string} */ text) => ({ width: 6 * text.length }) };
  const words = axisNameBoxes(canvas, { width: 400, height: 300 }, ["Dimension 1", "Dimension 2"], { font: "serif" }, { above: 40, below: 50 });
  assert.deepEqual(words.map(({ left, width }) => [left, width]), [[312, 78], [10, 78]]);
  const covering = (/** @type {{ left: number, middle: number, width: number }[]} */ placed) =>
    placed.filter((one) => words.some((other) => one.left < other.left + other.width && other.left < one.left + one.width && Math.abs(one.middle - other.middle) < HEIGHT));
  const places = words.flatMap(({ left, middle }) => [left - 9, middle]); // their names begin where the words do
  const names = ["Row 0", "Row 1"];
  assert.equal(covering(placedNames(names, places, room(400, 300))).length, 2);
  const placed = placedNames(names, places, { ...room(400, 300), words });
  assert.deepEqual([placed.map(({ row }) => row), covering(placed)], [[0], []]); // left of its point; the other point is at the edge
});

test("no dot of the first view is under the name of an axis", () => {
  const canvas = { getContext: () => ({ measureText: (/** @type {string} */ text) => ({ width: 6 * text.length }) }) };
  const header = { on: [0, 1], n_latent: 2, axes: ["Dimension 1", "Dimension 2"], start: 0 };
  // Only the name that is on a dot gets room.
  for (const { latent, moved } of [
    { latent: [-2, 1.8, 0, 2, 2, -1.8, 0, -2], moved: [true, true] },
    { latent: [-2, 1.8, 0, 2, 0, -2], moved: [true, false] },
    { latent: [0, 2, 0, -2, -2, 0, 2, 0], moved: [false, false] },
  ]) {
    const model = { latent, nPoints: latent.length / 2, nLatent: 2, relevance: [1, 1], header, range: () => [-2, 2] };
    const map = new LatentMap(canvas, canvas, model, { a: 0, b: 1, theme: { font: "serif" } });
    Object.assign(map, { calibrate() {}, refresh() {}, covered: { above: 44, below: 54 }, width: 600, height: 500 });
    map.fit();
    assert.deepEqual(map.namesOnDots(), [false, false]);
    const [top, foot] = [map.toPixel(0, 2)[1], map.toPixel(0, -2)[1]];
    assert.ok(top > 49.9 && foot < 440.1, `${top}, ${foot}`); // whole dots are beside the controls
    assert.deepEqual([top > 51, foot < 439], moved);
  }
});

test("a long name is cut, and points without a name or outside the map have none", () => {
  const long = "The United Kingdom of Great Britain";
  const placed = placedNames([long, null, "outside"], [100, 50, 100, 80, 500, 50], room(400, 200));
  assert.deepEqual(placed.map(({ row, text }) => [row, text]), [[0, `${long.slice(0, 23)}…`]]);
});

test("names in an exported figure are words with a halo", () => {
  const svg = svgOf(100, 40, (context) => {
    context.font = "11px sans-serif";
    context.strokeStyle = "rgb(255,255,255)";
    context.strokeText("A & B", 5, 20);
    context.fillText("A & B", 5, 20);
  });
  assert.deepEqual([...svg.matchAll(/<text[^>]*>([^<]*)</g)].map((match) => match[1]), ["A &#38; B", "A &#38; B"]);
  assert.match(svg, /<text[^>]*fill="none" stroke="rgb\(255,255,255\)"/);
});
