// Tests of drags: the objective against Python's (pull_numbers.json, which test_pull_numbers.py checks), bones, limbs, and the behaviour of a dragged
// body.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { LatentModel } from "../../assets/canvas/geometry/model.js";
import { KeyPoses } from "../../assets/canvas/map/key_poses.js";
import { turnJoints } from "../../assets/canvas/kit/geometry.js";
import { Doubt } from "../../assets/canvas/geometry/doubt.js";
import { Columns, heldColumns } from "../../assets/canvas/pull/columns.js";
import { BodyDrag } from "../../assets/canvas/pull/drag.js";
import { Limbs } from "../../assets/canvas/pull/limbs.js";
import { finish, NearData } from "../../assets/canvas/pull/near.js";
import { PaintedPull } from "../../assets/canvas/pull/painted.js";
import { cannotPull } from "../../assets/canvas/pull/grasp_of.js";
import { Seeds } from "../../assets/canvas/pull/seeds.js";
import { Sketch } from "../../assets/canvas/pull/sketch.js";
import { POSSIBLE, possiblePoses } from "../../assets/canvas/pull/possible.js";
import { canPull, Pull } from "../../assets/canvas/pull/solver.js";

const read = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
const [MODELS, NUMBERS] = [read("numbers.json"), read("pull_numbers.json")];
const close = (found, expected, tolerance = 1e-4) =>
  assert.ok(Math.abs(found - expected) <= tolerance * (1 + Math.abs(expected)), `${found} is not ${expected}`);
const modelOf = (name) => new LatentModel(new Uint8Array(Buffer.from(MODELS[name].bytes, "base64")));

const handlesOf = ({ functionals, targets, tolerance }) => functionals.map((weights, h) =>
  ({ outputs: [0, 1, 2, 3], weights, target: targets[h], tolerance: tolerance[h] }));

for (const [name, numbers] of Object.entries(NUMBERS)) {
  if (!numbers.points) continue;
  const model = modelOf(name);
  const pull = new Pull(model, new NearData(model));
  pull.hold(handlesOf(numbers));

  test(`${name}: objective, gradient and curvature are Python's`, () => {
    numbers.points.forEach((point, i) => {
      close(pull.at(point), numbers.values[i]);
      close(pull.value(point), numbers.values[i]);
      pull.at(point);
      pull.gradient.forEach((slope, q) => close(slope, numbers.gradients[i][q], 2e-4));
      pull.curvature.forEach((entry, k) => close(entry, numbers.curvatures[i][k], 2e-4));
    });
  });

  test(`${name}: a search ends at Python's value, or higher`, () => {
    const x = Float64Array.from(numbers.points[0]);
    const { value, still } = pull.climb(x, 100);
    assert.ok(still);
    assert.ok(value > numbers.best - 1e-2, `${value} is below ${numbers.best}`);
    close(pull.value(x), value, 1e-9);
  });
}

test("the score of an explanation counts only the dimensions that move", () => {
  const [name, numbers] = Object.entries(NUMBERS).find(([, each]) => each.points);
  const model = modelOf(name);
  const pull = new Pull(model, new NearData(model));
  pull.hold(handlesOf(numbers));
  pull.fixed = new Set([1]);
  for (const point of numbers.points) {
    const value = pull.at(point);
    const [a, b, c] = [pull.curvature[0], pull.curvature[2], pull.curvature[8]];
    close(pull.factorAt(point).score, value - 0.5 * Math.log(a * c - b * b), 1e-9);
  }
});

test("possible poses respect the held joint, differ, and have the bones' lengths", () => {
  const model = new LatentModel(new Uint8Array(Buffer.from(NUMBERS.body.bytes, "base64")));
  const drag = new BodyDrag(model);
  const start = new Float64Array(model.nOutputs);
  model.predict(model.position(4), start);
  drag.begin(model.position(4), start);
  drag.grab(2, { yaw: 0, pitch: 0 });
  drag.moveBy(0.02, 0.01);
  for (let frame = 0; frame < 60 && drag.step(); frame++);
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const before = [...drag.point, ...drag.pose];
  const poses = finish(possiblePoses(drag, random));
  assert.equal(poses.length, POSSIBLE);
  assert.deepEqual([...drag.point, ...drag.pose], before, "the drag itself is unchanged");
  const hand = poses.map(({ pose }) => [pose[9], pose[10], pose[11]]);
  const spread = [0, 1, 2].map((axis) => Math.max(...hand.map((place) => place[axis])) - Math.min(...hand.map((place) => place[axis])));
  assert.ok(Math.max(...spread) > 0.05 * drag.unit, "the free hand varies");
  for (const { pose } of poses) {
    const [across, up] = [pose[6] - drag.hand.place[0], pose[7] - drag.hand.place[1]];
    assert.ok(Math.hypot(across, up) < 0.03, `${across}, ${up}`);
    drag.limbs.parents.forEach((p, j) => p >= 0 && close(Math.hypot(...[0, 1, 2].map((axis) => pose[3 * j + axis] - pose[3 * p + axis])), drag.limbs.lengths[j], 1e-3));
  }
});

// --- paint -------------------------------------------------------------------------------------

for (const [name, { points, painted }] of Object.entries(NUMBERS)) {
  if (!points) continue;
  const model = modelOf(name);
  const pull = new PaintedPull(model, new NearData(model));
  const paint = () => painted.outputs.forEach((d, i) => pull.paint(d, painted.targets[i]));
  pull.tolerance = painted.error;

  test(`${name}: painted values have Python's objective, gradient and curvature`, () => {
    paint();
    points.forEach((point, i) => {
      close(pull.at(point), painted.values[i]);
      close(pull.value(point), painted.values[i]);
      pull.at(point);
      pull.gradient.forEach((slope, q) => close(slope, painted.gradients[i][q], 2e-4));
      pull.curvature.forEach((entry, k) => close(entry, painted.curvatures[i][k], 2e-4));
    });
    const { value } = pull.climb(Float64Array.from(points[0]), 100);
    assert.ok(value > painted.best - 1e-2, `${value} is below ${painted.best}`);
  });

  test(`${name}: repainted and erased values have no effect`, () => {
    pull.erase();
    paint();
    const expected = pull.value(points[1]);
    pull.paint(1, 7);
    pull.paint(0, -2);
    pull.paint(0, painted.targets[0]);
    pull.paint(1, NaN);
    pull.paint(1, NaN);
    assert.equal(pull.count, painted.outputs.length);
    close(pull.value(points[1]), expected, 1e-9);
    pull.erase();
    assert.equal(pull.count, 0);
    close(pull.value(points[1]), pull.near.at(points[1]), 1e-12);
  });
}

test("a sketch matches the paint within a few frames, and its other explanations differ", () => {
  const model = modelOf("rbf");
  const sketch = new Sketch(model);
  sketch.pull.tolerance = 0.1;
  finish(sketch.seeds.prepare());
  sketch.begin(Float64Array.of(0, 0, 0));
  assert.ok(!sketch.step(), "nothing is painted");
  const target = Float64Array.from(model.center);
  model.predict(model.position(3), target);
  for (let d = 0; d < 2; d++) sketch.hold(d, target[d]);
  for (let frame = 0; frame < 40 && sketch.step(); frame++);
  const settled = finish(sketch.settle());
  for (let d = 0; d < 2; d++) close(sketch.pose[d], target[d], 0.1);
  for (const { pose } of settled) assert.ok(sketch.differ(pose, sketch.pose));
  sketch.hold(0, Infinity);
  assert.equal(sketch.targets[0], target[0]);
});

test("a model that the page cannot search reports this", () => {
  const model = modelOf("rbf");
  const changed = (facts) => Object.create(model, Object.fromEntries(Object.entries({ drawing: { kind: "image" }, ...facts }).map(([name, value]) => [name, { value }])));
  assert.equal(cannotPull(changed({})), "");
  assert.match(cannotPull(changed({ lengths: false })), /cannot paint.*kernel/);
  assert.match(cannotPull(changed({ outputs: { groups: 40 } })), /40 noise levels/);
  assert.match(cannotPull(changed({ drawing: { kind: "skeleton" }, lengths: false })), /cannot drag.*kernel/);
  assert.match(cannotPull({ ...model, drawing: { kind: "skeleton" } }), /cannot drag.*several views/);
});

test("a search leaves some dimensions where they are, and finds the best place in the others", () => {
  const model = modelOf("rbf");
  const pull = new Pull(model, new NearData(model));
  pull.hold(handlesOf(NUMBERS.rbf).map((handle) => ({ ...handle, tolerance: 1 })));
  pull.fixed = new Set([1]);
  const start = Float64Array.from(NUMBERS.rbf.points[1]);
  const end = start.slice();
  pull.climb(end, 200, 0.01, 1e-10);
  assert.equal(end[1], start[1]);
  const best = pull.value(end);
  assert.ok(best > pull.value(start));
  const beside = (q, step) => pull.value(end.map((value, p) => (p === q ? value + step : value)));
  for (const q of [0, 2]) for (const step of [-0.01, 0.01]) assert.ok(beside(q, step) < best + 1e-3, `dimension ${q} could improve`);
  assert.ok(Math.max(beside(1, -0.01), beside(1, 0.01)) > best + 1e-3);
  for (const seed of new Seeds(pull).best(3, start)) assert.equal(seed[1], start[1]);
  // A fixed dimension gives the outputs hardly any freedom.
  pull.at(end);
  const [most] = pull.curvature.toSorted((p, q) => q - p);
  assert.ok(pull.factorAt(end).factor[4] ** 2 > 100 * most);
});

test("painted pixels reduce the uncertainty of all pixels", () => {
  const model = modelOf("rbf");
  const sketch = new Sketch(model);
  sketch.pull.tolerance = 0.05;
  sketch.begin(model.position(2));
  const doubt = new Doubt(model);
  const before = sketch.freedom(doubt);
  for (let d = 0; d < model.nOutputs; d++) sketch.hold(d, sketch.pose[d]);
  const after = sketch.freedom(doubt);
  assert.ok(after.share < before.share);
  after.cells.forEach((variance, i) => assert.ok(variance <= before.cells[i] * (1 + 1e-9)));
});

// --- columns that are held ---------------------------------------------------------------------

const RANGE = [-10, 0, 10];

/** A table of numbers in the browser. */
function numbersModel(name) {
  const model = modelOf(name);
  model.header.column_ranges = Array.from({ length: model.nOutputs }, () => RANGE);
  return model;
}

/** The deviations of all functions for a row of the data, with what the held columns leave open. */
function deviationsOf(columns) {
  const { model, point } = columns;
  const open = columns.freedom();
  return model.deviations(point).map((deviation, d) => Math.hypot(deviation, Math.sqrt(open[d]), model.noise(d)));
}

for (const [name, { held }] of Object.entries(NUMBERS)) {
  if (!held) continue;
  test(`${name}: held columns end where Python's fit_to does, with its intervals`, () => {
    const columns = new Columns(numbersModel(name));
    columns.begin(columns.model.position(3));
    held.columns.forEach((c, i) => columns.hold(c, held.targets[i]));
    finish(columns.settle());
    columns.pull.climb(columns.point, 5000, 0.01, 1e-13); // to the last digit, as in Python's numbers
    columns.begin(columns.point);
    const away = held.outputs.map((outputs) => Math.max(...outputs.map((value, d) => Math.abs(value - columns.pose[d]))));
    const k = away.indexOf(Math.min(...away));
    assert.ok(held.scores[k] > held.scores[0] - 4);
    columns.pose.forEach((value, d) => close(value, held.outputs[k][d], 1e-4));
    deviationsOf(columns).forEach((deviation, d) => close(deviation, held.deviations[k][d], 1e-4));
    close(columns.pull.factorAt(columns.point).score, held.scores[k], 1e-4);
  });
}

test("a number of a table with words is held as in Python", () => {
  const { table, table: { columns: [d], targets: [target] } } = NUMBERS;
  const model = new LatentModel(new Uint8Array(Buffer.from(read("table_numbers.json").bytes, "base64")));
  const kinds = model.table.cells.map(({ kind }) => kind);
  assert.ok(heldColumns(model).every(Boolean));
  const columns = new Columns(model);
  columns.begin(model.position(0));
  columns.hold(kinds.indexOf("number"), table.value);
  assert.equal(columns.pull.handles[0].outputs[0], d);
  close(columns.pull.handles[0].target, target, 1e-9);
  finish(columns.settle());
  columns.pull.climb(columns.point, 5000, 0.01, 1e-13);
  const { mean } = model.moments(columns.point, null);
  const away = table.outputs.map((outputs) => Math.max(...outputs.map((value, at) => Math.abs(value - mean[at]))));
  const k = away.indexOf(Math.min(...away));
  mean.forEach((value, at) => close(value, table.outputs[k][at], 1e-4));
  deviationsOf(columns).forEach((deviation, at) => close(deviation, table.deviations[k][at], 1e-4));
});

test("held words and counts: objective, gradient and end are Python's, and the row has the words", () => {
  const { words } = NUMBERS;
  const model = new LatentModel(new Uint8Array(Buffer.from(read("table_numbers.json").bytes, "base64")));
  const columns = new Columns(model);
  columns.begin(model.position(0));
  for (const [c, value] of Object.entries(words.values)) columns.hold(Number(c), value);
  assert.equal(columns.count, 4);
  words.places.forEach((point, i) => {
    close(columns.pull.at(point), words.objectives[i]);
    close(columns.pull.value(point), words.objectives[i]);
    columns.pull.at(point);
    columns.pull.gradient.forEach((slope, q) => close(slope, words.gradients[i][q]));
  });
  finish(columns.settle());
  columns.pull.climb(columns.point, 5000, 0.01, 1e-13);
  const away = words.ends.map((end) => Math.hypot(...end.map((value, q) => value - columns.point[q])));
  const k = away.indexOf(Math.min(...away));
  assert.ok(away[k] < 1e-3, `${columns.point} is no end of ${words.ends}`);
  assert.ok(words.scores[k] > words.scores[0] - 4);
  close(columns.pull.factorAt(columns.point).score, words.scores[k], 1e-3);
  // Another word goes elsewhere; a word that is let go no longer counts.
  const before = columns.point.slice();
  const [category] = Object.keys(words.values).map(Number);
  columns.hold(category, 0);
  finish(columns.settle());
  assert.notDeepEqual(columns.point, before);
  columns.hold(category, NaN);
  assert.equal(columns.count, 3);
  assert.equal(columns.pull.functionals.answers.length, 1);
});

test("held columns: new targets, letting go, and values that are no numbers", () => {
  const columns = new Columns(numbersModel("rbf"));
  const model = columns.model;
  model.header.column_ranges[1] = [2, 2, 2];
  assert.equal(heldColumns(model)[1], null, "a constant column cannot be held");
  columns.begin(model.position(2));
  columns.hold(0, Infinity);
  columns.hold(0, NaN);
  assert.ok(columns.still && !columns.holds);
  columns.hold(0, 1);
  columns.hold(2, 0.5);
  columns.hold(0, 2);
  assert.deepEqual(columns.pull.handles.map(({ target }) => target), [2, 0.5]);
  for (let frame = 0; frame < 60 && columns.step(); frame++);
  const earlier = columns.targets.slice();
  columns.free();
  assert.ok(!columns.holds && columns.still && columns.count === 0);
  columns.restore(earlier);
  assert.equal(columns.count, 2);
  assert.deepEqual(columns.outOfReach(), []);
  columns.hold(0, 9000);
  columns.step();
  assert.deepEqual(columns.outOfReach(), [0]);
});

test("the gradient with bones matches differences", () => {
  const model = modelOf("rbf");
  const pull = new Pull(model, new NearData(model));
  pull.hold(handlesOf(NUMBERS.rbf).slice(0, 1), [{ from: 0, to: 1, length: 1.3, tolerance: 0.05 }]);
  const x = Float64Array.of(0.3, -0.4, 0.7);
  pull.at(x);
  Array.from(pull.gradient).forEach((slope, q) => {
    const [high, low] = [1e-5, -1e-5].map((step) => pull.value(x.map((value, p) => value + (p === q ? step : 0))));
    close(slope, (high - low) / 2e-5, 1e-4);
  });
});

test("seeds explain the handles, are sorted by score, and differ from each other", () => {
  const model = modelOf("rbf");
  const pull = new Pull(model, new NearData(model));
  pull.hold(handlesOf(NUMBERS.rbf));
  const { functionals } = pull;
  const search = new Seeds(pull);
  const point = model.position(0);
  const seeds = search.best(3, point);
  assert.ok(seeds.length >= 1);
  const errors = seeds.map((seed) => {
    functionals.look(seed);
    return functionals.handles.reduce((sum, { target, tolerance }, h) => sum + (target - functionals.means[h]) ** 2 / (tolerance ** 2 + functionals.noises[h]), 0);
  });
  assert.deepEqual(errors, errors.toSorted((p, q) => p - q));
  for (const seed of seeds) for (const other of seeds) if (seed !== other) assert.ok(search.distance(seed, other) > search.apart);
  assert.ok(!search.best(3, point, [seeds[0]]).some((seed) => String(seed) === String(seeds[0])));
});

test("a density of few rows is finite, also if several rows have one position", () => {
  for (const count of [1, 2, 7]) {
    const latent = new Float32Array(2 * count).fill(0.5);
    const near = new NearData({ nPoints: count, nLatent: 2, latent, relevance: Float64Array.of(1, 0) });
    assert.ok(Number.isFinite(near.at([0.4, 0.1])));
    assert.ok(near.at([0.5, 0.4]) > near.at([3, 3]));
  }
});

// --- limbs ------------------------------------------------------------------------------------

// A leg and an arm of three bones each start at a hip; the last joint of the leg is at its parent's position.
const PARENTS = [-1, 0, 1, 2, 0, 4, 5, 3];
const REST = Float64Array.from([0, 0, 0, 0, -0.4, 0, 0, -0.8, 0.05, 0, -0.9, 0.2, 0.1, 0.5, 0, 0.4, 0.5, 0, 0.7, 0.4, 0, 0, -0.9, 0.2]);
const lengthsOf = (pose) => PARENTS.map((p, j) => (p < 0 ? 0 : Math.hypot(...[0, 1, 2].map((axis) => pose[3 * j + axis] - pose[3 * p + axis]))));

test("lengths come from the data and are restored from the root", () => {
  const limbs = new Limbs(PARENTS, [...REST, ...REST, ...REST], 1);
  lengthsOf(REST).forEach((length, j) => close(limbs.lengths[j], length, 1e-9));
  const bent = REST.map((value, i) => value * (1 + 0.1 * Math.sin(i)));
  limbs.restore(bent);
  lengthsOf(bent).forEach((length, j) => close(length, limbs.lengths[j], 1e-9));
  assert.ok(bent.every(Number.isFinite));
});

test("a bone of length 0 keeps its joints together and is not a term of the search", () => {
  const limbs = new Limbs(PARENTS, REST, 1);
  assert.equal(limbs.lengths[7], 0);
  assert.ok(limbs.terms([7]).every(({ to }) => to !== 21));
  const pose = REST.slice();
  pose[21] += 0.3;
  limbs.restore(pose);
  assert.deepEqual(pose.slice(21), pose.slice(9, 12));
});

test("a limb reaches a near position and stretches towards a far one", () => {
  const limbs = new Limbs(PARENTS, [...REST, ...turnJoints(REST, [0, 0, 0], { yaw: 0.3, pitch: 0.1 }).flat()], 1);
  const pose = REST.slice();
  limbs.restore(pose);
  limbs.reachFor(pose, 6, [0.5, 0.2, 0.1]);
  assert.ok(Math.hypot(pose[18] - 0.5, pose[19] - 0.2, pose[20] - 0.1) < 0.02);
  limbs.reachFor(pose, 6, [0, 50, 0]);
  lengthsOf(pose).forEach((length, j) => close(length, limbs.lengths[j], 1e-9));
  assert.ok(pose[19] > 0.9); // the arm is stretched upwards
  REST.slice(0, 12).forEach((value, i) => close(pose[i], value, 0.02)); // the leg does not move
});

// --- a body in the hand -----------------------------------------------------------------------

const bodyOf = () => new LatentModel(new Uint8Array(Buffer.from(NUMBERS.body.bytes, "base64")));
const FRONT = { yaw: 0, pitch: 0 };
const HAND_JOINT = 3;

function inHand(turn = FRONT) {
  const model = bodyOf();
  const drag = new BodyDrag(model);
  const point = model.position(model.header.start);
  const pose = new Float64Array(model.nOutputs);
  model.predict(point, pose);
  drag.begin(point, pose);
  drag.grab(HAND_JOINT, turn);
  return drag;
}

const settle = (drag, most = 200) => {
  for (let frame = 0; frame < most && drag.step(); frame++);
};

function bonesAreExact({ pose, limbs }) {
  limbs.parents.forEach((p, j) => {
    if (p < 0) return;
    const long = Math.hypot(...[0, 1, 2].map((axis) => pose[3 * j + axis] - pose[3 * p + axis]));
    close(long, limbs.lengths[j], 1e-9);
  });
}

test("a grabbed hand stays until it is moved, then follows the pointer; the bones keep their lengths", () => {
  const drag = inHand();
  const before = drag.pose.slice();
  assert.equal(drag.step(), false);
  assert.deepEqual(drag.pose, before);
  // Drag the hand to its position in another row.
  const row = drag.model.item((drag.model.header.start + 5) % drag.model.nPoints);
  const [right, up] = [0, 1].map((axis) => row[3 * HAND_JOINT + axis] - before[3 * HAND_JOINT + axis]);
  drag.moveBy(right, up);
  settle(drag);
  assert.ok(!drag.outOfReach(drag.hand), `${drag.missing(drag.hand)}`);
  assert.ok(drag.differ(before, drag.pose));
  bonesAreExact(drag);
});

test("in a turned view the hand is where the pointer is on the screen", () => {
  for (const turn of [{ yaw: 0.9, pitch: 0.3 }, { yaw: -2.2, pitch: -0.6 }]) {
    const drag = inHand(turn);
    const [before] = turnJoints(drag.placeOf(HAND_JOINT), [0, 0, 0], turn);
    drag.moveBy(0.05, 0.06);
    settle(drag);
    const [after] = turnJoints(drag.placeOf(HAND_JOINT), [0, 0, 0], turn);
    close(after[0] - before[0], 0.05, 0.02);
    close(after[1] - before[1], 0.06, 0.02);
  }
});

test("a joint moves at most as far as the limit of a frame", () => {
  const drag = inHand();
  drag.moveBy(-0.5, -0.5);
  const before = drag.pose.slice();
  drag.step();
  const most = 2 * drag.unit + 1.5 * Math.hypot(0.5, 0.5);
  for (let at = 0; at < before.length; at += 3) assert.ok(Math.hypot(...[0, 1, 2].map((axis) => drag.pose[at + axis] - before[at + axis])) < most + 1e-9);
  settle(drag);
  bonesAreExact(drag);
});

test("a position out of reach is reported, and the body stays whole", () => {
  const drag = inHand();
  drag.moveBy(40, 10);
  settle(drag);
  assert.ok(drag.outOfReach(drag.hand));
  bonesAreExact(drag);
  const pose = drag.pose.slice();
  drag.moveBy(Infinity, 0);
  drag.moveBy(NaN, 1);
  settle(drag);
  assert.ok(drag.pose.every(Number.isFinite));
  assert.ok(!drag.differ(pose, drag.pose));
});

test("a pinned joint stays while another joint is dragged; a second press removes the pin", () => {
  const drag = inHand();
  drag.release();
  assert.ok(drag.pin(1));
  const pinned = drag.placeOf(1);
  drag.grab(HAND_JOINT, FRONT);
  drag.moveBy(0.05, 0.08);
  settle(drag);
  const away = drag.placeOf(1).map((value, axis) => value - pinned[axis]);
  assert.ok(Math.hypot(...away) < 2 * drag.unit, `${Math.hypot(...away)}`);
  assert.equal(drag.pin(1), false);
  drag.free();
  assert.ok(!drag.holds);
});

test("one coordinate on the screen has several explanations, and each of them fits", () => {
  const drag = inHand({ yaw: Math.PI / 2, pitch: 0 }); // the body is seen from the side, so the phase of the swing is hidden
  drag.moveBy(0, 0.05);
  settle(drag);
  const search = drag.others();
  let step = search.next();
  while (!step.done) step = search.next();
  assert.ok(step.value.length >= 1);
  const [other] = step.value;
  assert.ok(drag.differ(drag.pose, other.pose));
  drag.choose(other);
  settle(drag);
  assert.ok(!drag.differ(drag.pose, other.pose));
});

test("held joints are less free than other joints", () => {
  const drag = inHand();
  const free = drag.freedom();
  drag.pin(HAND_JOINT);
  const held = drag.freedom();
  const of = (deviations) => Math.hypot(...[0, 1, 2].map((axis) => deviations[3 * HAND_JOINT + axis]));
  assert.ok(of(held) < of(free));
  assert.ok(held.every((deviation) => deviation >= 0));
});

test("a kernel without derivatives cannot be pulled", () => {
  const model = bodyOf();
  assert.ok(canPull(model));
  model.kinds = [{ row() {}, diagonal: () => 1 }];
  assert.ok(!canPull(model));
});

test("a body is forgotten when its key frame is removed", () => {
  const poses = new KeyPoses({ explorer: { body: { posedAt: ([u]) => [u, 2 * u] } } });
  const [first, second] = [[1, 0], [2, 0]];
  for (const point of [first, second]) poses.keep(point);
  assert.deepEqual(poses.at(first), Float64Array.of(1, 2));
  poses.forget([second]);
  assert.equal(poses.at(first), null);
  assert.deepEqual(poses.at(second), Float64Array.of(2, 4));
  poses.forget([]);
  assert.equal(poses.at(second), null);
});
