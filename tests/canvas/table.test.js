// Tests of a table of words and counts in the page against Python's numbers (table_numbers.json, which test_table_numbers.py checks): probabilities,
// counts with intervals, and the contents of rows.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { LatentModel } from "../../assets/canvas/geometry/model.js";
import { cellChange, classChances, countInterval, countMean, intervalWords, yesChance } from "../../assets/canvas/geometry/table.js";
import { contrastOf } from "../../assets/canvas/geometry/contrast.js";
import { Chance } from "../../assets/canvas/map/chance.js";
import { findRows } from "../../assets/canvas/map/search.js";
import { fromLink, initial } from "../../assets/canvas/map/state.js";
import { tableLines } from "../../assets/canvas/map/taking.js";
import { cellText, cellsOfTable, ownText, valuesOfRow } from "../../assets/canvas/kit/table.js";

const NUMBERS = JSON.parse(readFileSync(new URL("table_numbers.json", import.meta.url), "utf8"));
const model = new LatentModel(new Uint8Array(Buffer.from(NUMBERS.bytes, "base64")));
const { table } = model;
const close = (found, expected, tolerance) => assert.ok(Math.abs(found - expected) <= tolerance, `${found} is not ${expected}`);
const PROBIT = 0.02; // the largest error of p(yes) without quadrature

test("probabilities of words, means and intervals are Python's", () => {
  NUMBERS.points.forEach((point, i) => {
    table.answers(Float64Array.from(point), null).forEach((answer, c) => {
      const { chances, mean, ends } = NUMBERS.columns[c];
      if (chances) {
        chances[i].forEach((chance, k) => close(answer.chances[k], chance, PROBIT));
        close(answer.chances.reduce((sum, chance) => sum + chance), 1, 1e-12);
        return;
      }
      close(answer.value, mean[i], 2e-4 * Math.abs(mean[i]));
      const count = table.cells[c].kind === "count";
      const wide = table.links.columns[c].freedom ? 0.01 * (answer.high - answer.value) : 0.05;
      [answer.low, answer.high].forEach((end, side) => close(end, ends[i][side], count ? 0 : wide));
    });
  });
});

test("p(yes) is the logistic function if the value is certain, and within 0.02 of quadrature otherwise", () => {
  close(yesChance(1.3, 0), 1 / (1 + Math.exp(-1.3)), 1e-15);
  close(yesChance(Math.SQRT2, 8 / Math.PI), 1 / (1 + Math.exp(-1)), 1e-12);
  for (const mean of [0, 0.5, 2, 6]) for (const variance of [0.3, 4, 30]) {
    let sum = 0;
    for (let z = -8; z < 8; z += 0.01) sum += (0.01 * Math.exp(-z * z / 2)) / Math.sqrt(2 * Math.PI) / (1 + Math.exp(-mean - z * Math.sqrt(variance)));
    close(yesChance(mean, variance), sum, PROBIT);
  }
});

test("a class has its probability times the probability that no earlier class occurs", () => {
  const found = classChances([0.25, 0.5]);
  [0.25, 0.375, 0.375].forEach((chance, k) => close(found[k], chance, 1e-15));
});

test("the mean of a count is that of a log-normal rate, and large counts have an interval, too", () => {
  close(countMean(0.4, 0.5, 2), 2 * Math.exp(0.65), 1e-12);
  const { low, high } = countInterval(Math.log(50), 0.01, 1000);
  // Around 50,000, the spread is that of the logarithm: 0.01 + 1/1000.
  close(low / 50000, Math.exp(-1.96 * Math.sqrt(0.01102)), 1e-3);
  close(high / 50000, Math.exp(1.96 * Math.sqrt(0.01102)), 1e-3);
});

test("the probability of one word equals that from the whole row", () => {
  for (const point of NUMBERS.points.slice(0, 3)) {
    const answers = table.answers(Float64Array.from(point), null);
    for (const c of [0, 3, 4]) answers[c].chances.forEach((chance, k) => close(table.chance(Float64Array.from(point), c, k), chance, 1e-9));
  }
});

test("a training row has its own words and counts, and a gap is missing", () => {
  const values = table.item(5);
  assert.deepEqual(table.cells.map((cell) => cellText(values, cell)).filter((_, c) => ![1, 5].includes(c)), NUMBERS.items.filter((_, c) => ![1, 5].includes(c)));
  assert.equal(cellText(table.item(0), table.cells[0]), "missing");
  assert.equal(model.factorWords(0)[model.factor(0, 5)], NUMBERS.items[0]);
  assert.equal(model.factorWords(1), null);
});

test("a sample has one word for every column, and each word is as frequent as probable", () => {
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const [point, values, counts] = [Float64Array.from(NUMBERS.points[0]), new Float64Array(table.nOutputs), [0, 0, 0]];
  let total = 0;
  const draws = 4000;
  for (let i = 0; i < draws; i++) {
    table.sample(point, values, random);
    counts.forEach((_, k) => (counts[k] += values[k]));
    assert.equal(values[0] + values[1] + values[2], 1);
    assert.ok(Number.isInteger(values[4]) && values[4] >= 0);
    total += values[4];
  }
  NUMBERS.columns[0].chances[0].forEach((chance, k) => close(counts[k] / draws, chance, 0.04));
  const mean = NUMBERS.columns[2].mean[0];
  close(total / draws / mean, 1, 0.25);
});

test("the interval of a robust number has 95 % of its draws, of which some are far off", () => {
  let seed = 3;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const [point, values] = [Float64Array.from(NUMBERS.points[1]), new Float64Array(table.nOutputs)];
  const { start } = table.cells[5];
  const { value, low, high } = table.answers(point, null)[5];
  const draws = Array.from({ length: 8000 }, () => (table.sample(point, values, random), Math.abs(values[start] - value) / (high - value)));
  close(draws.filter((own) => own < 1).length / draws.length, 0.95, 0.01);
  close(low + high, 2 * value, 1e-9);
  // No draw of a Gaussian is so far off.
  assert.ok(Math.max(...draws) > 3);
});

test("the expected error of values is small among the rows, and never above one", () => {
  const [near, far] = [model.position(0), Float64Array.of(60, 60)].map((x) => table.off(x, null));
  assert.ok(near < far && far <= 1, `${near} ${far}`);
});

const CELLS = cellsOfTable([
  { name: "species", kind: "category", words: ["Adelie", "Gentoo"] },
  { name: "mass", kind: "number", range: [2700, 4000, 6100] },
  { name: "eggs", kind: "count", range: [0, 2, 9] },
]);

test("values are words with their probability, numbers with the decimals of their range, and counts", () => {
  const texts = (values) => CELLS.map((cell) => cellText(values, cell));
  assert.deepEqual(texts([0.93, 0.07, 4012.4, 2.34]), ["Adelie 93 %", "4012", "2.3"]);
  assert.deepEqual(texts(valuesOfRow(CELLS, [1, 4012, 3])), ["Gentoo", "4012", "3"]);
  assert.deepEqual(texts(valuesOfRow(CELLS, [NaN, NaN, NaN])), ["missing", "missing", "missing"]);
  assert.deepEqual([ownText(CELLS[0], 1), ownText(CELLS[2], NaN)], ["Gentoo", "–"]);
  assert.equal(intervalWords(CELLS[2], { low: 0, high: 6 }), "0 to 6");
  assert.equal(intervalWords(CELLS[1], { low: 3900, high: 4100 }), "± 100");
});

test("a change of a column names both words, or the change of one word's probability", () => {
  assert.deepEqual(cellChange(CELLS[0], [0.9, 0.1], [0.2, 0.8], 0.5).words, ["Adelie", "Gentoo 80 %"]);
  const { words, size } = cellChange(CELLS[0], [0.9, 0.1], [0.6, 0.4], 0.5);
  assert.deepEqual(words, ["Adelie 90 %", "60 %"]);
  close(size, 0.6, 1e-12);
});

test("a map without labels has the colours of its first words, and its link shades by a probability", () => {
  assert.equal(initial(model).by, 0);
  assert.deepEqual(initial(model).offer.shades.filter((shade) => shade.startsWith("chance-1-")), ["chance-1-1", "chance-1-2", "chance-1-3"]);
  const shaded = fromLink({ shade: "chance-1-2", by: "0" }, model);
  assert.deepEqual([shaded.shade, shaded.by], ["chance-1-2", -1]);
  assert.equal(fromLink({ shade: "chance-2-1" }, model).shade, "uncertainty"); // this column has numbers
  const map = { state: { a: 0, b: 1 }, follows: () => false };
  const [x, out] = [Float64Array.from(NUMBERS.points[0]), new Float64Array(2)];
  new Chance(map, table, 0, 1).slice(x).variances(Float64Array.of(0.5, x[0]), null, x[1], out, 0);
  close(out[1], table.chance(x, 0, 1), 1e-12);
});

test("rows are found by the word of a column", () => {
  const { rows } = findRows(model, "made = true");
  assert.deepEqual(rows, []);
  const name = model.factorNames[4];
  assert.deepEqual(findRows(model, `${name} = Large`).rows, Array.from({ length: 40 }, (_, n) => n).filter((n) => n % 3 === 2));
  assert.deepEqual(findRows(model, "chinstrap").rows, findRows(model, `${model.factorNames[0]} = chinstrap`).rows);
  assert.match(findRows(model, `${name} = huge`).message, /has no word “huge”. Try small, medium, large/);
});

test("selected rows differ from the rest by the share of a word", () => {
  const { chosen, rest } = contrastOf((n) => table.item(n), 40, Array.from({ length: 20 }, (_, i) => 2 * i + 1));
  const { start } = table.cells[4];
  const share = (odd, size) => Array.from({ length: 40 }, (_, n) => n).filter((n) => n % 2 === odd && n % 3 === size).length / 20;
  [0, 1, 2].forEach((size) => {
    close(chosen[start + size], share(1, size), 1e-12);
    close(rest[start + size], share(0, size), 1e-12);
  });
});

test("an export has a line for every number with its interval, and for every word with its probability", () => {
  const [head, ...lines] = tableLines(table, Float64Array.from(NUMBERS.points[0]));
  assert.deepEqual(head, ["column", "value", "lower end (95 %)", "upper end (95 %)", "probability"]);
  assert.equal(lines.length, 3 + 1 + 1 + 2 + 3 + 1);
  assert.deepEqual(lines.slice(0, 3).map(([, word]) => word), table.cells[0].words);
  close(lines[0][4], NUMBERS.columns[0].chances[0][0], PROBIT);
});
