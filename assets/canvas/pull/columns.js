// "What if" for a table: columns that are held at values, and the row that fits them. This code does not depend on
// the page.

import { Fit } from "./fit.js";
import { Freedom } from "./freedom.js";
import { NearData } from "./near.js";
import { Seeds } from "./seeds.js";
import { Pull } from "./solver.js";

/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Handle } from "./functionals.js" */

/**
 * A column that can be held. d: its function, which is (value − center) / unit; at: the position of its value among
 * the outputs; low, high: its range in the data; noise: the standard deviation of its noise.
 * @typedef {{ d: number, at: number, center: number, unit: number, low: number, high: number, noise: number }} HeldColumn
 */

// The error of a held value, in units of the column's noise; the same as for fit_to in
// gplvm_core/models/estimators/with_handles.py.
const HELD_ERROR = 0.1;
const OTHER_ROW = 0.15; // two rows with a column this far apart, as a share of its range, are different explanations
const MISSED_BY = 2; // standard deviations of the column between a held value and the row that fits

/**
 * The columns that can be held: numbers that vary in the data; null for words and counts.
 * @param {LatentModel} model of a table
 * @returns {(HeldColumn | null)[]}
 */
export function heldColumns(model) {
  const { table, header } = model;
  const column = (/** @type {number} */ d, /** @type {number} */ at, /** @type {number} */ center, /** @type {number} */ unit, /** @type {readonly number[]} */ [low, , high]) =>
    (high > low ? { d, at, center, unit, low, high, noise: unit * model.noise(d) } : null);
  if (!table) return header.column_ranges.map((/** @type {readonly number[]} */ range, /** @type {number} */ d) => column(d, d, 0, 1, range));
  const { center, unit, columns } = table.links;
  return table.cells.map(({ kind, range, start: at }, c) => {
    const { start: d } = columns[c];
    return kind === "number" && range ? column(d, at, center[d], unit[d], range) : null;
  });
}

/** @extends {Fit<Pull, Seeds>} */
export class Columns extends Fit {
  /** @param {LatentModel} model of a table */
  constructor(model) {
    const near = new NearData(model);
    const pull = new Pull(model, near);
    super(model, pull, new Seeds(pull.functionals, near));
    this.columns = heldColumns(model);
    /** The held value of every column. */
    this.targets = new Float64Array(this.columns.length).fill(NaN);
    /** The ranges of the outputs: those of numbers and counts, 1 for probabilities. */
    this.ranges = model.table
      ? model.table.cells.flatMap(({ range, width }) => (range ? [range[2] - range[0]] : new Array(width).fill(1)))
      : this.columns.map((column) => (column ? column.high - column.low : 0));
    this.open = new Freedom(model);
  }

  /** Hold a column at a value; NaN releases it. @override @param {number} c @param {number} value */
  hold(c, value) {
    const before = this.targets[c];
    const alike = before === value || (Number.isNaN(before) && Number.isNaN(value));
    if (alike || !this.columns[c] || (!Number.isNaN(value) && !Number.isFinite(value))) return;
    super.hold(c, value);
    const { handles } = this;
    if (Number.isNaN(before) || Number.isNaN(value)) this.pull.hold(handles);
    else this.pull.handles.forEach((handle, h) => (handle.target = handles[h].target));
  }

  /** The held columns as targets of the search. @returns {Handle[]} */
  get handles() {
    return this.columns.flatMap((column, c) => {
      const value = this.targets[c];
      if (!column || Number.isNaN(value)) return [];
      const { d, center, unit, noise } = column;
      return [{ outputs: [d], weights: [1], target: (value - center) / unit, tolerance: (HELD_ERROR * noise) / unit }];
    });
  }

  /** The number of held columns. */
  get count() {
    return this.pull.handles.length;
  }

  /** The variances that the uncertainty of the latent point adds to the functions. */
  freedom() {
    return this.open.at(this.point, this.pull.factorAt(this.point).factor);
  }

  /** The held columns whose value in the row is clearly different from the held value. */
  outOfReach() {
    const { columns, targets, pose, model, point } = this;
    if (!this.holds) return [];
    const deviations = model.deviations(point);
    return Array.from(targets.keys()).filter((c) => {
      const column = columns[c];
      if (!column || Number.isNaN(targets[c])) return false;
      return Math.abs(targets[c] - pose[column.at]) > MISSED_BY * Math.hypot(column.noise, column.unit * deviations[column.d]);
    });
  }

  /** @override @param {Float64Array} pose @param {Float64Array} other */
  differ(pose, other) {
    return pose.some((value, at) => this.ranges[at] > 0 && Math.abs(value - other[at]) > OTHER_ROW * this.ranges[at]);
  }
}
