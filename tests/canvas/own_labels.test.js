// Tests of the visitor's own labels on a map: in place of the labels of the data, and back.

import assert from "node:assert/strict";
import { test } from "node:test";

import { LatentPoints } from "../../assets/canvas/geometry/points.js";
import { bareName, pointStyle } from "../../assets/canvas/map/colours.js";
import { OwnLabels, giveOwn } from "../../assets/canvas/map/own_labels.js";
import { fromLink, initial, reduce, toLink } from "../../assets/canvas/map/state.js";
import { readTheme } from "../../assets/canvas/kit/theme.js";

const OWN = { names: ["rich", "poor"], rows: [[0, 4], [2]] };

function modelOf() {
  const header = { relevance: [1, 1], start: 0, dims: [0, 1], label_names: ["Africa", "Asia"], palette: [] };
  const arrays = { latent: new Float32Array(10), labels: Int32Array.of(0, 1, 1, 0, 1) };
  return new LatentPoints({ header, arrays, shapes: { latent: [5, 2] } });
}

const names = (model) => Array.from({ length: 5 }, (_, n) => model.labelName(n));

test("own labels replace those of the data, and come back as they were stored", () => {
  const model = modelOf();
  giveOwn(model, OWN);
  assert.deepEqual(names(model), ["Africa", "Asia", "Asia", "Africa", "Asia"]);
  model.useOwn(true);
  assert.deepEqual(names(model), ["rich", null, "poor", null, "rich"]);
  assert.deepEqual(model.presentLabels(), [0, 1]);
  assert.deepEqual(new OwnLabels({ model }).data(), OWN);
  model.useOwn(false);
  assert.deepEqual(names(model), ["Africa", "Asia", "Asia", "Africa", "Asia"]);
  giveOwn(model, null);
  assert.equal(model.own, null);
});

test("rows with a new label leave their old one, which the form says, and a label without rows goes", () => {
  const model = modelOf();
  giveOwn(model, OWN);
  /** @type {any} */
  let cleared;
  const own = new OwnLabels({ model, state: { rows: [0, 2, 4] }, dispatch: (action) => (cleared = action) });
  own.changed = () => {};
  assert.equal(own.leaving("new"), "2 rows leave rich, 1 row leaves poor");
  assert.equal(own.leaving(" rich"), "1 row leaves poor");
  let sent;
  own.store = (given) => (sent = given);
  own.keep("rich");
  assert.deepEqual(own.data(), { names: ["rich"], rows: [[0, 2, 4]] });
  assert.deepEqual(sent, { name: "rich", rows: [0, 2, 4] });
  assert.deepEqual(cleared, { type: "set", name: "rows", value: [] });
});

test("rows without a label are visible on the map in both themes, and the legend names them", (t) => {
  const brightness = (colour) => {
    const [r, g, b] = colour.map((value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  globalThis.document = { createElement: () => ({ getContext: () => ({ fillStyle: "" }) }) };
  t.after(() => delete globalThis.document && delete globalThis.getComputedStyle);
  for (const [background, text] of [["#fdfcfa", "#1d2730"], ["#12171c", "#e7e9ea"]]) {
    const colours = { "--st-background-color": background, "--st-text-color": text };
    globalThis.getComputedStyle = () => ({ getPropertyValue: (name) => colours[name] ?? "" });
    const theme = readTheme(null);
    const { colour } = pointStyle(Object.assign(modelOf(), { labels: Int32Array.of(-1, 0, 0, 0, 0) }), { factor: -1, theme }, 0);
    const [low, high] = [brightness(colour), brightness(theme.known)].sort((p, q) => p - q);
    assert.ok((high + 0.05) / (low + 0.05) >= 3);
  }
  const model = modelOf();
  assert.equal(model.lacks(-1), false);
  giveOwn(model, OWN);
  model.useOwn(true);
  assert.equal(model.lacks(-1), true);
  assert.deepEqual([bareName(-1), bareName(0)], ["No label", "Missing"]);
});

test("rows of a page with a sample have their numbers in the data", () => {
  const model = modelOf();
  model.crowd = { count: 5, row: (n) => (3 * n) % 5, own: null };
  giveOwn(model, { names: ["last"], rows: [[4, 1]] });
  model.useOwn(true);
  assert.deepEqual(Array.from(model.crowd.own), [-1, -1, 0, 0, -1].map((label, n) => ([1, 4].includes((3 * n) % 5) ? 0 : label === 0 ? -1 : label)));
  assert.deepEqual(new OwnLabels({ model }).data().rows[0].sort(), [1, 4]);
});

test("own labels colour a map whenever it is opened, unless a link has another colouring, and highlighted labels are dropped", () => {
  const model = modelOf();
  const own = { type: "set", name: "by", value: -2 };
  assert.equal(reduce(initial(model), own).by, -1);
  assert.equal(fromLink({ by: "-1" }, model).by, -1);
  giveOwn(model, OWN);
  const opened = initial(model);
  assert.deepEqual([opened.by, toLink(opened).by, fromLink({}, model).by], [-2, null, -2]);
  const other = reduce(opened, { ...own, value: -1 });
  assert.equal(fromLink(toLink(other), model).by, -1);
  const chosen = reduce(reduce(other, { type: "set", name: "labels", value: [1] }), own);
  assert.deepEqual([chosen.by, chosen.labels], [-2, []]);
  assert.equal(fromLink({ by: "-1" }, model).by, -2);
});

test("a legend names labels in natural order, and the words of a grade in theirs", () => {
  const model = modelOf();
  const words = ["A", "D", "run 10", "C", "run 9"];
  assert.deepEqual(model.inOrder([0, 1, 2, 3, 4], words), [0, 3, 1, 4, 2]);
  model.header.drawing = { table: [{ kind: "grade", words: ["small", "medium", "large"] }] };
  assert.deepEqual(model.inOrder([0, 1, 2], ["small", "medium", "large"]), [0, 1, 2]);
});
