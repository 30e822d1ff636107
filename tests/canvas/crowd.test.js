// Tests of very many points: the grid agrees with a search through all points, and the shading shows all of them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Crowd } from "../../assets/canvas/geometry/crowd.js";
import { Density } from "../../assets/canvas/geometry/density.js";
import { PointGrid } from "../../assets/canvas/geometry/grid.js";
import { includes, rowsInside, united } from "../../assets/canvas/geometry/lasso.js";

/** Two clouds, the second far from round, and two points far outside. */
function cloud(count = 20_000) {
  let state = 7;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const us = Float32Array.from({ length: count }, (_, n) => normal() * (n % 2 ? 1 : 0.01) + (n % 2));
  const vs = Float32Array.from({ length: count }, (_, n) => normal() * 0.3 + (n % 2));
  [us[3], vs[3], us[4], vs[4]] = [90, -40, -70, 0.2];
  return { us, vs };
}

const sorted = (/** @type {ArrayLike<number>} */ numbers) => Array.from(numbers).sort((p, q) => p - q);

test("the points of a box are found, and approximately counted", () => {
  const { us, vs } = cloud();
  const grid = new PointGrid(us, vs);
  for (const box of [[-0.2, 0.3, 0.1, 0.4], [-100, 100, -100, 100], [50, 95, -60, 10], [3, 2, 0, 1]]) {
    const [u0, u1, v0, v1] = box;
    const all = [...us.keys()].filter((n) => us[n] >= u0 && us[n] <= u1 && vs[n] >= v0 && vs[n] <= v1);
    assert.deepEqual(sorted(grid.within(box)), all);
    assert.ok(grid.countAround(box) >= all.length);
  }
  assert.ok(grid.countAround([0.4, 0.6, 0.4, 0.6]) < us.length / 10);
});

test("the nearest point within reach is the nearest of all points, even outside the grid", () => {
  const { us, vs } = cloud();
  const grid = new PointGrid(us, vs);
  for (const [u, v] of [[0.1, 0.2], [1, 1], [89.9, -40], [-2.2, 0.9], [10, 10]]) {
    const [ru, rv] = [0.3, 0.15];
    let [best, least] = [-1, 1];
    us.forEach((_, n) => {
      const distance = ((us[n] - u) / ru) ** 2 + ((vs[n] - v) / rv) ** 2;
      if (distance < least) [best, least] = [n, distance];
    });
    assert.equal(grid.nearestWithin(u, v, ru, rv), best);
  }
});

test("a line encloses the points of the even-odd rule, also if the line crosses itself", () => {
  const { us, vs } = cloud();
  const grid = new PointGrid(us, vs);
  const places = Float32Array.from({ length: 2 * us.length }, (_, i) => (i % 2 ? vs : us)[i >> 1]);
  const round = Array.from({ length: 90 }, (_, i) => /** @type {[number, number]} */ ([0.9 + Math.cos(i / 14.3), 0.8 + 0.5 * Math.sin(i / 14.3)]));
  const star = /** @type {[number, number][]} */ ([[0, -1], [1, 2], [-1, 0.5], [2, 0.5], [-0.5, 2]]);
  const square = /** @type {[number, number][]} */ ([[-80, -50], [95, -50], [95, 0.25], [-80, 0.25]]);
  for (const line of [round, star, square]) assert.deepEqual(Array.from(grid.enclosed(line)), rowsInside(places, line));
});

test("points that coincide, and a single point, make a grid, too", () => {
  const same = new PointGrid(new Float32Array(50).fill(2), new Float32Array(50).fill(-1));
  assert.equal(same.within([1.9, 2.1, -1.1, -0.9]).length, 50);
  assert.equal(new PointGrid(Float32Array.of(0), Float32Array.of(0)).nearestWithin(0.1, 0, 1, 1), 0);
});

test("the shading's spots add up to the points in view, with their mean colours", () => {
  const us = Float32Array.of(0.5, 0.5, 0.5, 2.5, 9);
  const vs = Float32Array.of(0.5, 0.5, 0.5, 1.5, 0);
  const grid = new PointGrid(us, vs);
  const kinds = Uint8Array.from(grid.points, (n) => (n === 0 ? 1 : 0));
  const density = new Density();
  density.sums = new Float32Array(4 * 3 * 2);
  density.gather(grid, kinds, [{ colour: [10, 20, 30], weight: 1 }, { colour: [100, 0, 0], weight: 0.5 }], [0, 3, 0, 2], 3, 2);
  const spot = (/** @type {number} */ column, /** @type {number} */ row) => Array.from(density.sums.subarray(4 * (3 * row + column), 4 * (3 * row + column) + 4));
  assert.deepEqual(spot(0, 1), [70, 40, 60, 2.5]);
  assert.deepEqual(spot(2, 0), [10, 20, 30, 1]);
  assert.equal(density.sums.filter((_, i) => i % 4 === 3).reduce((p, q) => p + q), 3.5);
});

test("rows in the order of the page have their own numbers, each once", () => {
  const crowd = new Crowd({ count: 1000, stride: 619, ranges: [], labels: [] });
  assert.deepEqual(sorted(Array.from({ length: 1000 }, (_, n) => crowd.row(n))), [...Array(1000).keys()]);
  assert.equal(crowd.column("0"), null);
});

test("selections are merged in order and report their rows", () => {
  const both = united([1, 5, 9], [2, 5]);
  assert.deepEqual(Array.from(both), [1, 2, 5, 9]);
  assert.ok(includes(both, 9) && !includes(both, 8) && !includes([], 0));
});
