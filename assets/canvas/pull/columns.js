// "What if" for a table: columns that are held at values, and the row that fits them. This code does not depend on
// the page.

import { Fit } from "./fit.js";
import { Freedom } from "./freedom.js";
import { NearData } from "./near.js";
import { Seeds } from "./seeds.js";
import { Pull } from "./solver.js";

/** @import { LatentPoints } from "../geometry/points.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { TableOutput } from "../geometry/table.js" */
/** @import { Answer, Handle } from "./functionals.js" */

/**
 * A column that can be held at a number or a count: its function, which is (value − center) / unit or, for a count of
 * size r, (log(value / r) − center) / unit; the position of its value among the outputs, its range in the data, and the
 * standard deviation of the noise.
 * @typedef {{ d: number, at: number, center: number, unit: number, low: number, high: number, noise: number, size: number | null, words: null }} HeldNumber
 */
/** A column that can be held at a word, by its number: its first function, and the position of its first probability. @typedef {{ d: number, at: number, words: readonly string[] }} HeldWord */
/** @typedef {HeldNumber | HeldWord} HeldColumn */

// The error of a held value, in units of the column's noise; the same as for fit_to in
// gplvm_core/models/estimators/with_handles.py.
const HELD_ERROR = 0.1;
const LEAST_COUNT = 0.5; // the function of a count of 0 is that of half an event
const OTHER_ROW = 0.15; // two rows with a column this far apart, as a share of its range, are different explanations
const MISSED_BY = 2; // standard deviations of the column between a held value and the row that fits

/**
 * The columns that can be held: words, and numbers and counts that vary in the data.
 * @param {LatentModel} model of a table
 * @returns {(HeldColumn | null)[]}
 */
export function heldColumns(model) {
  const { table, header } = model;
  /** @param {number} d @param {number} at @param {number} center @param {number} unit @param {readonly number[]} range @param {number | null} size @returns {HeldNumber | null} */
  const column = (d, at, center, unit, [low, , high], size) =>
    (high > low ? { d, at, center, unit, low, high, noise: size ? 0 : unit * model.noise(d), size, words: null } : null);
  if (!table) return header.column_ranges.map((/** @type {readonly number[]} */ range, /** @type {number} */ d) => column(d, d, 0, 1, range, null));
  const { center, unit, columns } = table.links;
  return table.cells.map(({ range, words, start: at }, c) => {
    const { start: d, size = null } = columns[c];
    if (words) return { d, at, words };
    return range ? column(d, at, center[d], unit[d], range, size) : null;
  });
}

/** The mode of a count's function, and its variance in one observation, as in fit_to. @param {number} count @param {number} size */
function ofCount(count, size) {
  const mode = Math.max(count, LEAST_COUNT);
  return { mode: Math.log(mode / size), variance: 1 / mode + 1 / size };
}

/** @extends {Fit<Pull, Seeds>} */
export class Columns extends Fit {
  /** @param {LatentModel} model of a table @param {LatentPoints} [points] that the search stays near */
  constructor(model, points = model) {
    const pull = new Pull(model, new NearData(points));
    super(model, pull, new Seeds(pull));
    this.columns = heldColumns(model);
    /** The held value of every column. */
    this.targets = new Float64Array(this.columns.length).fill(NaN);
    /** The ranges of the outputs: those of numbers and counts, 1 for probabilities. */
    this.ranges = model.table
      ? model.table.cells.flatMap(({ range, width }) => (range ? [range[2] - range[0]] : new Array(width).fill(1)))
      : this.columns.map((column) => (column && !column.words ? column.high - column.low : 0));
    this.open = new Freedom(model);
  }

  /** Hold a column at a value; NaN releases it. @override @param {number} c @param {number} value */
  hold(c, value) {
    const before = this.targets[c];
    const alike = before === value || (Number.isNaN(before) && Number.isNaN(value));
    if (alike || !this.columns[c] || (!Number.isNaN(value) && !Number.isFinite(value))) return;
    super.hold(c, value);
    const { handles } = this;
    if (Number.isNaN(before) || Number.isNaN(value) || this.columns[c]?.words) this.pull.hold(handles, [], this.answers);
    else this.pull.handles.forEach((handle, h) => Object.assign(handle, { target: handles[h].target, tolerance: handles[h].tolerance }));
  }

  /** The held numbers and counts as targets of the search. @returns {Handle[]} */
  get handles() {
    return this.columns.flatMap((column, c) => {
      const value = this.targets[c];
      if (!column || column.words || Number.isNaN(value)) return [];
      const { d, center, unit, noise, size } = column;
      const { mode, variance } = size ? ofCount(value, size) : { mode: value, variance: (HELD_ERROR * noise) ** 2 };
      return [{ outputs: [d], weights: [1], target: (mode - center) / unit, tolerance: Math.sqrt(variance) / unit, noiseless: size !== null }];
    });
  }

  /** The held words as answers of yes/no outputs: a word, or a later one? @returns {Answer[]} */
  get answers() {
    return this.columns.flatMap((column, c) => {
      const word = this.targets[c];
      if (!column?.words || Number.isNaN(word)) return [];
      const { center, unit } = /** @type {TableOutput} */ (this.model.table).links;
      return Array.from({ length: Math.min(word + 1, column.words.length - 1) }, (_, k) => {
        const output = column.d + k;
        return { output, sign: k === word ? 1 : -1, center: center[output], unit: unit[output] };
      });
    });
  }

  /** The number of held columns. */
  get count() {
    return this.targets.reduce((count, value) => count + Number(!Number.isNaN(value)), 0);
  }

  /** The variances that the uncertainty of the latent point adds to the functions. */
  freedom() {
    return this.open.at(this.point, this.pull.factorAt(this.point).factor);
  }

  /** The held columns that the row does not reach: another word is more probable, or the value is far. */
  outOfReach() {
    const { columns, targets, pose, model, point } = this;
    if (!this.holds) return [];
    const deviations = model.deviations(point);
    return Array.from(targets.keys()).filter((c) => {
      const [column, target] = [columns[c], targets[c]];
      if (!column || Number.isNaN(target)) return false;
      if (column.words) return this.probable(c) !== target;
      const own = column.unit * deviations[column.d];
      const mean = pose[column.at];
      if (!column.size) return Math.abs(target - mean) > MISSED_BY * Math.hypot(column.noise, own);
      const { mode, variance } = ofCount(target, column.size);
      return Math.abs(mode - ofCount(mean, column.size).mode) > MISSED_BY * Math.sqrt(variance + own * own);
    });
  }

  /** The most probable word of a column in the row, by its number. @param {number} c */
  probable(c) {
    const { at, words } = /** @type {HeldWord} */ (this.columns[c]);
    const chances = this.pose.subarray(at, at + words.length);
    return chances.indexOf(Math.max(...chances));
  }

  /** @override @param {Float64Array} pose @param {Float64Array} other */
  differ(pose, other) {
    return pose.some((value, at) => this.ranges[at] > 0 && Math.abs(value - other[at]) > OTHER_ROW * this.ranges[at]);
  }
}
