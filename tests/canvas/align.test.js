// Tests of the alignment of maps: it undoes rotations and reflections, and no other rotation agrees better.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { standing, turnings, turnOnto, TurnedModel } from "../../assets/canvas/compare/align.js";
import { LatentModel } from "../../assets/canvas/geometry/model.js";
import { NearPlane } from "../../assets/canvas/geometry/nearness.js";
import { LatentPoints } from "../../assets/canvas/geometry/points.js";

const NUMBERS = JSON.parse(readFileSync(new URL("numbers.json", import.meta.url), "utf8"));
const close = (found, expected, tolerance = 1e-9) =>
  assert.ok(Math.abs(found - expected) <= tolerance * (1 + Math.abs(expected)), `${found} is not ${expected}`);

const pointsOf = (rows, relevance) =>
  new LatentPoints({ header: { relevance, axes: ["1", "2", "3"] }, arrays: { latent: Float64Array.from(rows.flat()) }, shapes: { latent: [rows.length, rows[0].length] } });
const ROWS = Array.from({ length: 40 }, (_, n) => [Math.sin(3 * n) + 0.1 * n, Math.cos(7 * n), Math.sin(11 * n)]);

test("alignment undoes a reflection, rotation, shift and scaling", () => {
  const [cos, sin] = [Math.cos(2), Math.sin(2)];
  // The weights √w = (2, ½) turn these points into a reflected and rotated copy, five times as large.
  const other = ROWS.map(([u, v, w]) => [(5 * (cos * u + sin * v)) / 2 + 7, (5 * (sin * u - cos * v)) * 2 - 3, w]);
  const [first, second] = [pointsOf(ROWS, [1, 1, 1]), pointsOf(other, [4, 0.25, 1])];
  const [, turning] = turnings([first, second].map((model) => ({ model, a: 0, b: 1 })));
  close(turning.agreement, 1);
  const [p, q] = [new TurnedModel(first, 0, 1, turnings([{ model: first, a: 0, b: 1 }])[0]), new TurnedModel(second, 0, 1, turning)];
  for (let i = 0; i < p.latent.length; i++) close(q.latent[i], p.latent[i]);
});

test("no other rotation or reflection agrees better", () => {
  const noisy = ROWS.map(([u, v]) => [0.4 * v - u + 0.3 * Math.sin(u * 9), u + 0.2 * v]);
  const target = standing(pointsOf(ROWS, [1, 1, 1]), 0, 1).points;
  const moved = standing(pointsOf(noisy, [1, 1]), 0, 1).points;
  const { agreement } = turnOnto(moved, target);
  let best = 0;
  for (const mirror of [1, -1]) {
    for (let angle = 0; angle < 2 * Math.PI; angle += 1e-3) {
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      let sum = 0;
      for (let i = 0; i < moved.length; i += 2) sum += (moved[i] * c - mirror * moved[i + 1] * s) * target[i] + (moved[i] * s + mirror * moved[i + 1] * c) * target[i + 1];
      best = Math.max(best, sum / ROWS.length);
    }
  }
  close(agreement, best, 1e-5);
  assert.ok(agreement < 1);
});

test("alignment preserves distances, positions map back, and the variance belongs to the position", () => {
  const model = new LatentModel(Uint8Array.from(atob(NUMBERS.rbf.bytes), (letter) => letter.charCodeAt(0)));
  const [turning] = turnings([{ model, a: 0, b: 2 }]);
  const turned = new TurnedModel(model, 0, 2, { ...turning, matrix: [0.6, 0.8, 0.8, -0.6] });
  const apart = (points, m, n) => {
    const [x, y] = [points.position(m), points.position(n)];
    return x.reduce((sum, value, q) => sum + points.relevance[q] * (value - y[q]) ** 2, 0);
  };
  close(apart(turned, 3, 9), apart(model, 3, 9), 1e-6);
  const place = turned.position(5);
  turned.outward(place).forEach((value, q) => close(value, model.position(5)[q], 1e-6));
  const out = new Float64Array(1);
  turned.slice(place, 0, 2).variances(Float64Array.of(place[0]), null, place[2], out, 0);
  close(out[0], model.variance(model.position(5)), 1e-6);
});

test("a position maps to the position of its neighbouring rows on the other map", () => {
  const here = pointsOf(ROWS, [1, 2, 0.5]);
  const there = pointsOf(ROWS.map(([u, v, w], n) => [n, u * v - w]), [1, 1]);
  const near = new NearPlane(here, 0, 1);
  // At an isolated row of the plane, the position is that of the same row on the other map.
  const lonely = [100, 100, 0];
  const with_ = new NearPlane(pointsOf([...ROWS, lonely], [1, 1, 1]), 0, 1);
  const other = pointsOf([...ROWS.map(() => [0, 0]), [5, 6]], [1, 1]);
  with_.carried(100, 100, other).forEach((value, q) => close(value, [5, 6][q], 1e-6));
  // On the same map, the position is that of the pointer.
  const carried = near.carried(0.3, 0.2, here);
  const followed = near.follow(Float64Array.of(0.3, 0.2, 9));
  close(carried[2], followed[2]);
  assert.equal(near.carried(0.3, 0.2, there).length, 2);
});
