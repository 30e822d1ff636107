// The part of benchmarks/drag.py that runs in node with the page's own scripts; ROOT, TASK, MODEL and
// TOLERANCE are replaced.
import { readFileSync } from "node:fs";
import { LatentModel } from "ROOT/assets/canvas/geometry/model.js";
import { BodyDrag } from "ROOT/assets/canvas/pull/drag.js";
import { Pull } from "ROOT/assets/canvas/pull/solver.js";
const task = JSON.parse(readFileSync("TASK", "utf8"));
const model = new LatentModel(new Uint8Array(readFileSync("MODEL")));
const drag = new BodyDrag(model);
const started = performance.now();
for (const work = drag.seeds.prepare(); !work.next().done;);
const prepared = performance.now() - started;
const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const handles = (row, joints) => joints.flatMap((joint) => axes.map((weights) => ({
  outputs: [3 * joint, 3 * joint + 1, 3 * joint + 2], weights, tolerance: TOLERANCE,
  target: weights.reduce((sum, weight, axis) => sum + weight * row[3 * joint + axis], 0),
})));
const quantile = (values, share) => values.sort((p, q) => p - q)[Math.min(Math.floor(share * values.length), values.length - 1)];
const touches = [];
const errors = task.counts.map((count) => {
  const joints = task.joints.slice(0, count);
  let total = 0;
  for (const row of task.rows) {
    const begun = performance.now();
    drag.pull.hold(handles(row, joints), drag.limbs.terms(joints));
    const ends = drag.seeds.best(6).map((seed) => {
      drag.pull.climb(seed, 40, 0.01);
      return { seed, score: drag.pull.factorAt(seed).score };
    });
    const best = ends.reduce((found, next) => (next.score > found.score ? next : found));
    touches.push(performance.now() - begun);
    const pose = new Float64Array(model.nOutputs);
    model.predict(best.seed, pose);
    let sum = 0, others = 0;
    for (let j = 0; j < pose.length / 3; j++) {
      if (joints.includes(j)) continue;
      sum += Math.hypot(...[0, 1, 2].map((axis) => pose[3 * j + axis] - row[3 * j + axis]));
      others++;
    }
    total += sum / others;
  }
  return (100 * total) / task.rows.length;
});
// A hand follows motion in a turned view; its depth is free.
const [jumps, own, missing, bones] = [[], [], [], []];
const steps = Object.fromEntries([1, 3, 12].map((held) => [held, []]));
for (const held of [1, 3, 12]) {
  for (const block of task.motion) {
    const start = Float64Array.from(block[0]);
    const point = model.position(model.nearest(drag.near.centres.slice(0, model.nLatent)));
    drag.free();
    drag.begin(point, start);
    for (let k = 1; k < held; k++) {
      const joint = (task.joints[0] + 2 * k) % (start.length / 3);
      if (joint !== task.joints[0]) drag.pins.set(joint, { joint, place: drag.placeOf(joint), seen: null });
    }
    drag.grab(task.joints[0], { yaw: 0.6, pitch: 0.18 });
    for (let frame = 1; frame < block.length; frame++) {
      const wanted = block[frame];
      for (const [joint, pin] of drag.pins) pin.place = Array.from(wanted.slice(3 * joint, 3 * joint + 3));
      const away = [0, 1, 2].map((axis) => wanted[3 * task.joints[0] + axis] - drag.hand.place[axis]);
      const [right, up] = drag.hand.seen.map((axis) => axis.reduce((sum, weight, k) => sum + weight * away[k], 0));
      const before = drag.pose.slice();
      const begun = performance.now();
      drag.moveBy(right, up);
      drag.step();
      steps[held].push(performance.now() - begun);
      if (held > 1 || frame < 30) continue; // the body starts anywhere
      for (let at = 0; at < before.length; at += 3) {
        jumps.push(Math.hypot(...[0, 1, 2].map((axis) => drag.pose[at + axis] - before[at + axis])));
        own.push(Math.hypot(...[0, 1, 2].map((axis) => wanted[at + axis] - block[frame - 1][at + axis])));
      }
      missing.push(drag.missing(drag.hand));
      drag.limbs.parents.forEach((p, j) => {
        if (p < 0) return;
        const long = Math.hypot(...[0, 1, 2].map((axis) => drag.pose[3 * j + axis] - drag.pose[3 * p + axis]));
        bones.push(Math.abs(long / drag.limbs.lengths[j] - 1));
      });
    }
  }
}
console.log(JSON.stringify({
  errors, prepared, touch: [quantile(touches, 0.5), quantile(touches, 0.95)],
  steps: Object.fromEntries(Object.entries(steps).map(([held, each]) => [held, [quantile(each, 0.5), quantile(each, 0.95)]])),
  jump: 100 * quantile(jumps, 0.99), own: 100 * quantile(own, 0.99),
  missing: [100 * quantile(missing, 0.5), 100 * quantile(missing, 0.95)], bones: Math.max(...bones.slice(0, 100000)),
}));
