// The player's sequence: the dates of its frames, in words and as ticks.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Reel } from "../../assets/canvas/player/reel.js";

const DAY = 86_400_000;

/** Return a sequence with these dates, its times in days. @param {string[]} dates */
function dated(dates) {
  const days = dates.map((date) => Date.parse(date) / DAY);
  return Object.assign(Object.create(Reel.prototype), { header: { dates }, times: Float64Array.from(days, (day) => day - days[0]), count: dates.length });
}

/** Return the first days of the months from January 2014 on. @param {number} count */
const months = (count) => Array.from({ length: count }, (_, k) => `${2014 + Math.floor(k / 12)}-${String((k % 12) + 1).padStart(2, "0")}-01`);

/** Return the words of a sequence's ticks. @param {Reel} reel @param {number} count */
const words = (reel, count) => reel.ticks(reel.start, reel.end, count).map(({ word }) => word);

test("a time in words is the date of its row, or a number", () => {
  const reel = dated(months(24));
  assert.equal(reel.written(0), "2014-01-01");
  assert.equal(reel.written(31), "2014-02-01");
  assert.equal(reel.written(40), "2014-02-01"); // between two rows: the nearest
  assert.equal(Object.assign(Object.create(Reel.prototype), { header: { dates: [] }, times: [0, 0.1, 0.2], count: 3 }).written(0.1), "Time 0.1");
});

test("ticks are at the beginnings of years, months or days", () => {
  const years = dated(months(61));
  assert.deepEqual(words(years, 10), ["2015", "2016", "2017", "2018", "2019"]);
  assert.equal(years.ticks(0, 2000, 10)[0].at, 365);
  assert.deepEqual(words(dated(months(9)), 10), months(9).slice(1).map((date) => date.slice(0, 7)));
  // Too many months, and too few years: every second month.
  assert.deepEqual(words(dated(months(13)), 6), ["2014-02", "2014-04", "2014-06", "2014-08", "2014-10", "2014-12"]);
  const hours = dated(Array.from({ length: 30 }, (_, k) => new Date(k * DAY / 2).toISOString().slice(0, 16).replace("T", " ")));
  assert.ok(words(hours, 8).every((word) => /^1970-01-\d\d$/.test(word)));
});
