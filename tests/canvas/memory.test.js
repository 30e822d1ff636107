// Tests of bookmarks, of the points of the wall, and of the description of a point among the rows.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Bookmarks, readBookmarks, writeBookmarks } from "../../assets/canvas/map/bookmarks.js";
import { barLengths } from "../../assets/canvas/map/dimensions.js";
import { correlation, scaleEnds } from "../../assets/canvas/geometry/scale.js";
import { LatentPoints } from "../../assets/canvas/geometry/points.js";
import { Typicality } from "../../assets/canvas/geometry/typicality.js";
import { placeAround } from "../../assets/canvas/geometry/drawn.js";

const place = (...point) => ({ dims: [0, 1], point, follow: true });

function memory() {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
}

test("bookmarks are present at the next visit, with their names", () => {
  const storage = memory();
  const first = new Bookmarks("model", 2, storage);
  first.add(place(1, 2));
  first.add(place(3, 4));
  first.rename(0, " smiling ");
  first.rename(1, "  "); // a name cannot be empty
  first.remove(1);
  first.add({ ...place(5, 6), follow: false });
  const { places } = new Bookmarks("model", 2, storage);
  assert.deepEqual(places.map(({ name }) => name), ["smiling", "Place 2"]);
  assert.deepEqual(places[1], { name: "Place 2", dims: [0, 1], point: [5, 6], follow: false });
  assert.deepEqual(new Bookmarks("another", 2, storage).places, []);
  assert.deepEqual(new Bookmarks("model", 3, storage).places, []); // the model was trained again, with other dimensions
});

test("without browser storage, bookmarks last until the end of the visit", () => {
  const locked = { getItem: () => null, setItem: () => { throw new Error("denied"); } };
  const bookmarks = new Bookmarks("model", 2, locked);
  bookmarks.add(place(1, 2));
  assert.equal(bookmarks.places.length, 1);
});

test("a file of bookmarks can be read again; other files cause an error", () => {
  const places = [{ name: "a", dims: [1, 0], point: [0.5, -1], follow: false }];
  assert.deepEqual(readBookmarks(writeBookmarks("model", places), 2), places);
  const wrong = {
    "not JSON": "{",
    "“places” is missing": "[]",
    "3 coordinates; this model has 2": JSON.stringify({ places: [{ dims: [0, 1], point: [1, 2, 3] }] }),
    "no coordinates": JSON.stringify({ places: [null] }),
    "two different dimensions": JSON.stringify({ places: [{ dims: [0, 2], point: [1, 2] }] }),
  };
  for (const [said, text] of Object.entries(wrong)) assert.throws(() => readBookmarks(text, 2), new RegExp(said));
});

test("the bars are as long as the weights, or fall by a quarter with every power of ten", () => {
  assert.deepEqual(barLengths([4, 2, 0], false), [1, 0.5, 0]);
  assert.deepEqual(barLengths([10, 1, 1e-9, 0], true), [1, 0.75, 0, 0]);
  assert.deepEqual(barLengths([0, 0], true), [0, 0]);
});

test("a variation near the ring is halfway between the ring and a row near it", () => {
  const latent = Float64Array.from({ length: 200 }, (_, i) => (i % 2 ? 0 : i / 2));
  const points = new LatentPoints({ header: { relevance: [1, 1] }, arrays: { latent }, shapes: { latent: [100, 2] } });
  const ring = Float64Array.of(10, 0);
  for (const share of [0, 0.3, 0.999]) {
    const [u, v] = placeAround(points, ring, () => share);
    assert.equal(v, 0);
    assert.ok(Math.abs(u - 10) <= 15); // half of 30, because the forty nearest rows are 0 to 39
    assert.ok(Number.isInteger(2 * u));
  }
});

test("a scale ignores the outermost rows and unknown values", () => {
  const values = [NaN, 1000, -1000, ...Array.from({ length: 99 }, (_, i) => i)];
  const [low, high] = scaleEnds(values);
  assert.ok(low >= -1 && low <= 3 && high >= 95 && high <= 98);
  assert.deepEqual(scaleEnds([7, 7, 7, 8]), [7, 8]);
});

test("the correlation of two columns is Pearson's, over the rows in which both are known", () => {
  assert.ok(Math.abs(correlation([1, 2, 3, 4], [2, 4, 6, 8]) - 1) < 1e-12);
  assert.ok(Math.abs(correlation([1, 2, 3, 4], [4, 3, NaN, 1]) + 1) < 1e-12);
  // Computed by hand: 0.8, from the deviations (−1.5, −.5, .5, 1.5) and (−1.5, .5, −.5, 1.5).
  assert.ok(Math.abs(correlation([1, 2, 3, 4], [1, 3, 2, 4]) - 0.8) < 1e-12);
  assert.equal(correlation([1, 2, 3], [5, 5, 5]), 0);
});

test("a position among the rows is typical, and a position far away is off the map", () => {
  const side = 10;
  const latent = Float64Array.from({ length: 2 * side * side }, (_, i) => (i % 2 ? Math.floor(i / 2 / side) : (i >> 1) % side));
  const points = new LatentPoints({ header: { relevance: [1, 1] }, arrays: { latent }, shapes: { latent: [side * side, 2] } });
  const typicality = new Typicality(points);
  assert.ok(typicality.share([4.2, 4.7]) > 0.1);
  assert.ok(typicality.share([-0.6, 4.5]) < typicality.share([4.2, 4.7]));
  assert.equal(typicality.share([30, 4.5]), 0);
});

test("the closest rows equal the first rows after sorting by distance", () => {
  let seed = 1;
  const random = () => (seed = (16807 * seed) % 2147483647) / 2147483647;
  const latent = Float64Array.from({ length: 150 }, random);
  const points = new LatentPoints({ header: { relevance: [2, 0.5, 1] }, arrays: { latent }, shapes: { latent: [50, 3] } });
  const x = [0.3, 0.6, 0.1];
  const squared = (n) => [2, 0.5, 1].reduce((sum, weight, q) => sum + weight * (x[q] - latent[3 * n + q]) ** 2, 0);
  const sorted = Array.from({ length: 50 }, (_, n) => n).sort((m, n) => squared(m) - squared(n));
  assert.deepEqual(points.closest(x, 7).map(({ row }) => row), sorted.slice(0, 7));
  assert.equal(points.closest(x, 80).length, 50);
  assert.equal(points.nearest(x), sorted[0]);
});
