// Tests of the inspector: search for rows, names of dimensions, labels for uncertainty, description of a position.

import assert from "node:assert/strict";
import { test } from "node:test";

import { FAIRLY_SURE, WELL_KNOWN, sureWords } from "../../assets/canvas/geometry/doubt.js";
import { NearPlane } from "../../assets/canvas/geometry/nearness.js";
import { LatentPoints } from "../../assets/canvas/geometry/points.js";
import { alikeRows } from "../../assets/canvas/geometry/typicality.js";
import { formatFixed } from "../../assets/canvas/kit/format.js";
import { onRange } from "../../assets/canvas/map/values.js";
import { carrying } from "../../assets/canvas/map/matters.js";
import { DimensionNames } from "../../assets/canvas/map/names.js";
import { findRows, offeredQueries } from "../../assets/canvas/map/search.js";

const HEADER = { relevance: [1, 1, 1], label_names: ["young", "old"], factors: ["age", "weight"], row_names: ["anna", "bert", "carl", "dora", "emil", "7"] };
const ARRAYS = {
  latent: Float32Array.from([0, 0, 1, 1, 0, 2, 0, 1, 3, 1, 1, 4, 500, 500, 5, 501, 500, 5]),
  labels: Int32Array.of(0, 0, 1, 1, 1, -1),
  factors: Float32Array.of(0.1, 0.2, 0.8, 0.9, NaN, 0.5, 10, 20, 30, 40, 50, 60),
};
const rows = (changes = {}) => new LatentPoints({ header: { ...HEADER, ...changes }, arrays: ARRAYS, shapes: { latent: [6, 3] } });

test("rows are found by id, number, label, part of a name and value", () => {
  const cases = { Carl: [2], "row 2": [1], "#3": [2], 7: [5], old: [2, 3, 4], "age > 0.5": [2, 3], "age<=.2": [0, 1], "WEI = 30": [2], "an": [0] };
  for (const [words, found] of Object.entries(cases)) assert.deepEqual(findRows(rows(), words).rows, found, words);
});

test("the number of dimensions that cause 95 % of the change", () => {
  assert.equal(carrying([0.43, 0.02, 0.21, 0.16, 0.08, 0.1]), 5);
  assert.equal(carrying([0.95, 0.05]), 1);
  assert.equal(carrying([0.94, 0.06]), 2);
  assert.equal(carrying([0.5, 0.5, 0]), 2);
  assert.equal(carrying([0, 0]), 0);
});

test("the search offers labels first, then names that contain the typed text, and every offer finds a row", () => {
  assert.deepEqual(offeredQueries(rows(), ""), ["young", "old", "anna", "bert", "carl", "dora", "emil", "7"]);
  assert.deepEqual(offeredQueries(rows(), "R"), ["bert", "carl", "dora"]);
  assert.deepEqual(offeredQueries(rows({ row_names: undefined }), ""), ["young", "old"]);
  assert.deepEqual(offeredQueries(rows({ row_names: undefined }), "row 4"), ["Row 4"]);
  for (const query of offeredQueries(rows(), "")) assert.ok(findRows(rows(), query).rows.length, query);
});

test("the message about a failed search repeats the query and suggests alternatives", () => {
  assert.match(findRows(rows(), "row 99").message, /no row 99.*6 rows/);
  assert.match(findRows(rows(), "height > 2").message, /“height”. Try age, weight/);
  assert.match(findRows(rows(), "zzz").message, /“zzz”/);
  assert.match(findRows(rows({ factors: undefined }), "age > 2").message, /no columns/);
  assert.equal(findRows(rows(), "old").message, "3 rows found");
});

test("a row is called by its id, otherwise by its number, with its label", () => {
  assert.deepEqual([0, 5].map((n) => rows().name(n)), ["anna · young", "7"]);
  assert.equal(rows({ row_names: undefined }).name(2), "Row 3 · old");
});

const OWN = ["Dimension 1", "Dimension 2"];

/** @param {Partial<{ stored: string[] | null, linked: string, renamed: (names: string[]) => void, map: Map<string, string> }>} [given] */
function names({ stored = null, linked, renamed, map = new Map() } = {}) {
  const storage = { getItem: (key) => map.get(key) ?? null, setItem: (key, value) => map.set(key, value) };
  return new DimensionNames({ key: "faces", stored }, OWN, storage, linked, renamed);
}

test("the browser stores names of a ready model's dimensions, cuts long ones with a message, and deletes empty ones", () => {
  const map = new Map();
  assert.match(names({ map }).rename(1, `  ${"Heavier".padEnd(60, "!")} `), /40 letters/);
  const again = names({ map });
  assert.deepEqual(again.all, ["Dimension 1", "Heavier".padEnd(40, "!")]);
  assert.equal(again.rename(1, " "), "");
  assert.deepEqual(names({ map }).all, OWN);
  map.set("dimensions of faces", "damaged");
  assert.deepEqual(names({ map }).all, OWN);
  const nowhere = new DimensionNames({ key: "faces", stored: null }, ["A"], null);
  assert.equal(nowhere.rename(0, "<b>Smile</b>"), "");
  assert.deepEqual(nowhere.all, ["<b>Smile</b>"]); // the name is text, which menus and axes show unchanged
});

test("two dimensions cannot have the same name, and the old name remains", () => {
  const twice = names();
  twice.rename(0, "Smile");
  assert.match(twice.rename(1, "smile"), /Dimension 1 already has the name “smile”/);
  assert.match(twice.rename(1, "Dimension 1"), /Choose another/);
  assert.deepEqual(twice.all, ["Smile", "Dimension 2"]);
});

test("names in one's own model are sent to the server, and names from another page are adopted", () => {
  const sent = [];
  const map = new Map();
  const own = names({ stored: ["", "Age"], renamed: (all) => sent.push(all), map });
  own.rename(0, "Smile");
  assert.deepEqual([sent, map.size], [[["Smile", "Age"]], 0]);
  assert.equal(own.take(["", "Age"]), false); // this message is older
  assert.deepEqual(own.all, ["Smile", "Age"]);
  assert.equal(own.take(["Grin"]), true);
  assert.deepEqual(own.all, ["Grin", "Dimension 2"]);
});

test("a link contains the names, and invalid parts are ignored", () => {
  const map = new Map();
  const given = names({ map });
  assert.equal(given.toLink(), "");
  given.rename(0, "Woman ~ man, ~,");
  given.rename(1, "Older");
  assert.deepEqual(names({ linked: given.toLink() }).all, ["Woman ~ man, ~,", "Older"]);
  assert.deepEqual(names({ linked: "~,Smile~,beyond" }).all, ["Dimension 1", "Smile"]);
  assert.deepEqual(names({ linked: `Smile~,Smile` }).all, ["Smile", "Dimension 2"]);
  assert.deepEqual(names({ linked: "x".repeat(500) }).all[0], "x".repeat(40));
  const shown = names({ map, linked: "Grin" });
  assert.deepEqual(names({ map }).all, ["Woman ~ man, ~,", "Older"]); // opening a link does not change the stored names
  shown.rename(1, "Old");
  assert.deepEqual(names({ map }).all, ["Grin", "Old"]);
});

test("labels for uncertainty change at the measured limits", () => {
  const words = [0, WELL_KNOWN - 1e-9, WELL_KNOWN, FAIRLY_SURE - 1e-9, FAIRLY_SURE, 3].map(sureWords);
  assert.deepEqual(words, ["Well known here", "Well known here", "Fairly sure", "Fairly sure", "A guess", "A guess"]);
});

test("a position gets the most frequent label of its nearest rows, and no label if the rows have none", () => {
  assert.deepEqual(alikeRows(rows(), [0, 1, 3], 4), { label: 1, count: 2, asked: 4 });
  assert.deepEqual(alikeRows(rows(), [500, 500, 5], 2), { label: 1, count: 1, asked: 1 });
  const none = new LatentPoints({ header: HEADER, arrays: { latent: ARRAYS.latent }, shapes: { latent: [6, 3] } });
  assert.equal(alikeRows(none, [0, 0, 0], 3), null);
});

test("hidden dimensions near a position have the pointer's mean, and the spread of the rows there", () => {
  const corners = [0, 0, 1, 1, 0, 2, 0, 1, 3, 1, 1, 4];
  const square = new LatentPoints({ header: HEADER, arrays: { latent: Float32Array.from([...corners, ...corners]) }, shapes: { latent: [8, 3] } });
  const near = new NearPlane(square, 0, 1);
  const { mean, variances } = near.spread(0.5, 0.5);
  assert.ok(Math.abs(mean[2] - near.follow(Float64Array.of(0.5, 0.5, 0))[2]) < 1e-12);
  // Four rows at 1, 2, 3 and 4 are equally near.
  assert.ok(Math.abs(mean[2] - 2.5) < 1e-6);
  assert.ok(Math.abs(variances[2] - 1.25) < 1e-6);
  assert.deepEqual([variances[0], variances[1]], [0, 0]);
});

test("a value is on the range of its column; a value outside is cut at the end and described", () => {
  const inside = onRange(13, 1, [11, 13, 15]);
  assert.deepEqual([inside.side, inside.mark, inside.median, inside.band, inside.value, inside.spread], ["", 50, 50, [25, 75], "13.00", "± 1.00"]);
  assert.equal(inside.words, "13.00, plus or minus 1.00; range of the data 11.00 to 15.00, median 13.00");
  const above = onRange(16.5, 1, [11, 13, 15]);
  assert.deepEqual([above.side, above.mark, above.band], ["above", 100, [100, 100]]);
  assert.match(above.words, /^16\.50.*above the range of the data, 11\.00 to 15\.00$/);
  assert.deepEqual([onRange(-4, 0.5, [0, 1, 2]).side, onRange(-4, 0.5, [0, 1, 2]).mark], ["below", 0]);
  // A constant column has no range.
  assert.deepEqual([onRange(3, 0.1, [3, 3, 3]).mark, onRange(3, 0.1, [3, 3, 3]).value], [50, "3.00"]);
});

test("numbers have as many decimals as the width of their range needs, and zero has no sign", () => {
  assert.deepEqual([[678.4, 1400], [98.04, 92], [0.3301, 0.5], [-0.001, 4], [-12, 400], [2e-9, 5e-9], [NaN, 1]].map(([x, width]) => formatFixed(x, width)),
    ["678", "98.0", "0.330", "0.00", "−12", "2.00 × 10⁻⁹", "–"]);
});
