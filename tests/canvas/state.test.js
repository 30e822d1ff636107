// Tests of the state of a map: every action, undo and redo, and conversion to and from links.

import assert from "node:assert/strict";
import { test } from "node:test";

import { LatentPoints } from "../../assets/canvas/geometry/points.js";
import { fromLink, initial, reduce, toLink } from "../../assets/canvas/map/state.js";

const ROWS = 6;

/** A model of three dimensions; `lacks` names features that the model does not have. */
function modelOf(lacks = false) {
  const latent = Float32Array.from({ length: 3 * ROWS }, (_, i) => ((7 * i) % 10) / 10);
  const arrays = { latent, ...(lacks ? {} : {
    latent_variance: new Float32Array(3 * ROWS), sequences: new Int32Array(ROWS), labels: Int32Array.of(0, 2, 2, -1, 0, 2), factors: new Float32Array(2 * ROWS),
  }) };
  const header = { relevance: [1, 1, 1], start: 2, dims: [0, 1], ...(lacks ? {} : { factors: ["age", "height"] }) };
  const model = new LatentPoints({ header, arrays, shapes: { latent: [ROWS, 3] } });
  return Object.assign(model, lacks ? {} : { items: new Uint8Array(ROWS), lengths: true, levels: { words: ["a", "b", "c"], first: 1 } });
}

const MODEL = modelOf();
const BARE = modelOf(true);
const NOTHING = { names: false, thumbnails: false, ellipses: false, trajectories: false, table: false };

/** Freeze a value and its parts, so that an action that changes a state in place throws an error. */
function frozen(value) {
  if (value && typeof value === "object" && !ArrayBuffer.isView(value)) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

const after = (state, ...actions) => actions.reduce((each, action) => frozen(reduce(each, action)), frozen(state));
const set = (name, value) => ({ type: "set", name, value });
const move = (...point) => ({ type: "move", point });
const KEEP = { type: "keep" };
const UNDO = { type: "undo" };
const REDO = { type: "redo" };

/** Every value of every switch that the model offers; values that a link can contain come first. */
const LINKED = {
  show: ["thumbnails", "ellipses", "trajectories", "table"].map((name) => ({ ...NOTHING, [name]: true })).concat([NOTHING, { ...NOTHING, thumbnails: true, ellipses: true, trajectories: true, table: true }]),
  shade: ["uncertainty", "magnification"],
  by: [-1, 0, 1],
  level: [0, 1, 2],
  wall: ["one", "around", "anywhere", "map"],
  unsure: ["blur", "fade", "off"],
  noise: [true, false],
  path: [null, [[0, 0.5, 1], [-1.25, 2, 0.0001]], [[0, 0.5, 1]], [[0, 0.5, 1], [1, 1, 1], [-1.25, 2, 0.0001]]],
  way: ["geodesic", "straight"],
  seconds: [3, 1, 7.5, 20],
};
const UNLINKED = { labels: [[], [2], [0, 2]], rows: [[], [1, 4], Uint32Array.of(0, 5)] };

test("a map opens at the model's first position, with trajectories if it has sequences", () => {
  const state = initial(MODEL);
  assert.deepEqual(state.place, { dims: [0, 1], point: Array.from(MODEL.position(2)), follow: true });
  assert.deepEqual(state.show, { ...NOTHING, trajectories: true });
  assert.deepEqual(initial(BARE).show, NOTHING);
  assert.deepEqual(Object.values(toLink(state)).filter((words) => words !== null), []);
});

test("a point moves without being kept, and is kept with the decimals of its link", () => {
  const state = initial(MODEL);
  const moved = after(state, move(0.123456, -1, 2));
  assert.deepEqual(moved.place.point, [0.123456, -1, 2]);
  assert.equal(moved.kept, state.kept);
  assert.equal(toLink(moved).at, null);
  const kept = after(moved, KEEP);
  assert.deepEqual(kept.place.point, [0.1235, -1, 2]);
  assert.equal(kept.kept, kept.place);
  assert.deepEqual(kept.past, [state.kept]);
  assert.equal(toLink(kept).at, "0.1235,-1,2");
  assert.equal(reduce(kept, KEEP), kept); // the same position adds nothing
});

test("a change of axes, a change of following, and a visit add a position to the history", () => {
  const state = initial(MODEL);
  const turned = after(state, { type: "pair", dims: [2, 0] }, { type: "follow", on: false }, KEEP);
  assert.deepEqual([turned.place.dims, turned.place.follow, turned.past.length], [[2, 0], false, 1]);
  assert.deepEqual([toLink(turned).dims, toLink(turned).hold], ["3,1", "1"]);
  const visited = after(turned, { type: "visit", place: { name: "a bookmark", dims: [1, 2], point: [1, 2, 3], follow: true } });
  assert.deepEqual(visited.kept, { dims: [1, 2], point: [1, 2, 3], follow: true });
  assert.deepEqual(visited.past.at(-1), turned.kept);
});

test("undo and redo visit the kept positions; a new position deletes the later ones", () => {
  const state = after(initial(MODEL), move(1, 0, 0), KEEP, move(2, 0, 0), KEEP, move(9, 9, 9));
  const back = after(state, UNDO); // undo drops a point that was not kept
  assert.deepEqual(back.place.point, [1, 0, 0]);
  assert.equal(after(back, UNDO).kept, state.past[0]);
  assert.deepEqual(after(back, REDO).place.point, [2, 0, 0]);
  const elsewhere = after(back, move(3, 0, 0), KEEP);
  assert.equal(reduce(elsewhere, REDO), elsewhere);
  assert.deepEqual(after(elsewhere, UNDO).place.point, [1, 0, 0]);
  const first = after(state, UNDO, UNDO);
  assert.equal(reduce(first, UNDO), first);
});

test("undo and redo cancel each other after any actions", () => {
  let seed = 3;
  const random = (count) => (seed = (48271 * seed) % 2147483647) % count;
  const makers = [
    () => move(random(5), random(5), random(5)), () => KEEP, () => UNDO, () => REDO,
    () => ({ type: "follow", on: Boolean(random(2)) }), () => ({ type: "pair", dims: [random(3), random(3)] }),
    () => ({ type: "visit", place: { dims: [2, random(2)], point: [random(5), 0, 0], follow: true } }), () => ({ type: "reset" }),
    () => set("by", random(4) - 1), () => set("wall", LINKED.wall[random(4)]), () => set("path", LINKED.path[random(2)]),
  ];
  let [state, undone, redone] = [initial(MODEL), 0, 0];
  for (let i = 0; i < 600; i++) {
    state = after(state, makers[random(makers.length)]());
    const settled = { ...state, place: state.kept }; // undo drops a movement that was not kept
    if (state.future.length) assert.deepEqual(after(state, REDO, UNDO), settled, `redo, undo ${redone++}`);
    if (state.past.length) assert.deepEqual(after(state, UNDO, REDO), settled, `undo, redo ${undone++}`);
  }
  assert.ok(undone > 300 && redone > 50);
});

test("a long history drops only its oldest entries", () => {
  let state = initial(MODEL);
  for (let i = 1; i <= 1000; i++) state = after(state, move(i, 0, 0), KEEP);
  let steps = 0;
  for (; state.past.length; steps++) state = after(state, UNDO);
  assert.ok(steps > 50 && steps < 1000);
  assert.equal(state.place.point[0], 1000 - steps);
  for (; state.future.length; steps--) state = after(state, REDO);
  assert.deepEqual([steps, state.place.point[0]], [0, 1000]);
});

test("reset restores the first position, clears selections and the path, and can be undone", () => {
  const state = after(initial(MODEL), move(5, 5, 5), { type: "pair", dims: [2, 1] }, { type: "follow", on: false }, KEEP,
    set("labels", [2]), set("rows", [1]), set("path", LINKED.path[1]), set("by", 1), set("wall", "map"));
  const reset = after(state, { type: "reset" });
  assert.deepEqual([reset.place.dims, reset.labels, reset.rows, reset.path], [[0, 1], [], [], null]);
  assert.deepEqual(reset.place.point, initial(MODEL).place.point.map((x) => Math.round(1e4 * x) / 1e4));
  // Reset changes neither the look of the map nor whether hidden dimensions follow the data.
  assert.deepEqual([reset.place.follow, reset.by, reset.wall], [false, 1, "map"]);
  assert.deepEqual(after(reset, UNDO).place, state.place);
});

test("every switch accepts every value that the model allows, and has an action", () => {
  const state = initial(MODEL);
  for (const [name, values] of Object.entries({ ...LINKED, ...UNLINKED })) {
    for (const value of values) {
      const changed = after(state, set(name, value));
      assert.deepEqual(changed, { ...state, [name]: value });
      assert.equal(reduce(changed, set(name, value)), changed);
    }
  }
  const places = ["offer", "first", "place", "kept", "past", "future"];
  assert.deepEqual(Object.keys(state).sort(), [...places, ...Object.keys(LINKED), ...Object.keys(UNLINKED)].sort());
});

test("a link restores its state, for each switch alone and for all switches together", () => {
  const settle = (state) => ({ ...state, past: [], future: [] });
  const place = [{ type: "pair", dims: [2, 0] }, move(-0.25, 1e-4, 300), { type: "follow", on: false }, KEEP];
  const states = Object.entries(LINKED).flatMap(([name, values]) => values.flatMap((value) => [
    after(initial(MODEL), set(name, value)),
    after(initial(MODEL), ...place, ...Object.entries(LINKED).map(([other, all]) => set(other, all[1])), set(name, value)),
  ]));
  for (const state of states) {
    const link = toLink(state);
    const query = Object.fromEntries(new URLSearchParams(Object.entries(link).filter(([, words]) => words !== null)));
    assert.deepEqual(fromLink(query, MODEL), settle(state));
    assert.deepEqual(fromLink(link, MODEL), settle(state)); // null equals a missing parameter
  }
  assert.equal(new Set(states.map((state) => JSON.stringify(toLink(state)))).size > 20, true);
});

test("links of earlier versions keep their meaning", () => {
  const linked = fromLink({ dims: "3,1", at: "1,-0.5,0", hold: "1", show: "thumbnails,clouds", shade: "magnification", wall: "map", noise: "1", by: "2", path: "0,0,0,1,1,1", way: "straight" }, MODEL);
  assert.deepEqual(linked.place, { dims: [2, 0], point: [1, -0.5, 0], follow: false });
  assert.deepEqual(linked.show, { ...NOTHING, thumbnails: true }); // this layer no longer exists, so it is left out
  assert.deepEqual([linked.shade, linked.wall, linked.noise, linked.by, linked.path, linked.way], ["magnification", "map", true, 1, [[0, 0, 0], [1, 1, 1]], "straight"]);
  assert.deepEqual(fromLink({ show: "none" }, MODEL).show, NOTHING);
  assert.deepEqual([linked.past, linked.future], [[], []]);
});

test("invalid words in a link are ignored", () => {
  const nonsense = {
    dims: ["1,99", "1,1", "1", "a,b", "0,1", "1.5,2", ""], at: ["1,2", "1,2,x", "1,,2", "1e9,0,0", "NaN,0,0", "Infinity,0,0", ""],
    show: ["clouds", "", "toString", "constructor", "None"], shade: ["depth", "", "__proto__"], by: ["9", "-1", "1.5", "age", "NaN"],
    wall: ["sixteen", "", "One"], noise: ["2", "yes", "constructor"], seconds: ["", "soon", "0", "21", "NaN"], path: ["1,2", "0,0,0,1,1,x", "0,0,0,1,1,", "0,0,0,1,1,1e9"], way: ["crooked", ""],
  };
  for (const [name, all] of Object.entries(nonsense)) {
    for (const words of all) assert.deepEqual(fromLink({ [name]: words }, MODEL), initial(MODEL), `${name}=${words}`);
  }
  assert.deepEqual(fromLink({ colour: "red", labels: "2", rows: "1", past: "1", offer: "1", first: "1" }, MODEL), initial(MODEL));
  // An invalid part does not invalidate the other parts.
  assert.equal(fromLink({ shade: "depth", wall: "map", dims: "1,99" }, MODEL).wall, "map");
});

test("features that a model lacks are refused, in an action and in a link", () => {
  const state = initial(BARE);
  const refused = [
    ...["thumbnails", "ellipses", "trajectories"].map((name) => set("show", { ...NOTHING, [name]: true })),
    set("shade", "magnification"), set("by", 0), set("labels", [0]), set("rows", [ROWS]), set("path", LINKED.path[1]), set("way", "straight"),
    move(1, 2), move(1, 2, NaN), move(1, 2, -1.01e6), { type: "pair", dims: [0, 3] }, { type: "pair", dims: [1, 1] },
    { type: "visit", place: { dims: [0, 1], point: [1, 2], follow: true } }, { type: "visit", place: { dims: [0, 3], point: [1, 2, 3], follow: true } },
  ];
  for (const action of refused) assert.equal(reduce(state, action), state, JSON.stringify(action));
  assert.deepEqual(reduce(state, move(1, 2, -1e6)).place.point, [1, 2, -1e6]);
  const rich = { show: "thumbnails,ellipses,trajectories", shade: "magnification", by: "1", path: "0,0,0,1,1,1", way: "straight" };
  assert.deepEqual(fromLink(rich, BARE), state);
  // Values that no model supports are refused as well.
  for (const action of [set("show", { ...NOTHING, thumbnails: "yes" }), set("wall", "sixteen"), set("noise", 1), set("by", 0.5), set("labels", [1]), set("rows", [-1])]) {
    const opened = initial(MODEL);
    assert.equal(reduce(opened, action), opened, JSON.stringify(action));
  }
});

test("points without labels are coloured by their times", () => {
  const timed = Object.assign(modelOf(true), {});
  timed.header.factors = ["speed", "time"];
  timed.factors = new Float32Array(2 * ROWS);
  assert.equal(initial(timed).by, timed.factorNames.indexOf("time"));
  assert.equal(initial(BARE).by, -1);
  assert.equal(initial(MODEL).by, -1); // it has labels
});
