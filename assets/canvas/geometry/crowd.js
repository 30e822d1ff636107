// Of a model of very many rows a page has some whole, the sample; of the others it fetches no more
// than what it draws of them: where they lie in the dimensions shown, labels, a fact of the rows.

import { readFrame } from "../kit/frame.js";

/** @import { Floats } from "./kernels.js" */

/** What a header says of all rows. @typedef {{ count: number, stride: number, ranges: [number, number][], labels: number[] }} CrowdHeader */

/** All rows of a model, in the order of which the sample is the beginning. */
export class Crowd {
  /** @param {CrowdHeader} header */
  constructor({ count, stride, ranges, labels }) {
    this.count = count;
    this.stride = stride;
    this.ranges = ranges;
    /** The labels that occur. */
    this.present = labels;
    /** Brings the bytes of a column, by its name; nothing in a file of its own. @type {Record<string, () => Promise<Uint8Array>>} */
    this.sources = {};
    /** The columns that are here; null: on their way. @type {Map<string, Floats | Int32Array | null>} */
    this.columns = new Map();
    /** What went wrong on the way. */
    this.problem = "";
    /** Called when a column has come, or will not. @type {() => void} */
    this.onChange = () => {};
  }

  /** Whether more than the sample can be had. */
  get fetched() {
    return Object.keys(this.sources).length > 0;
  }

  /** A column where it is here; else it is asked for, once. @param {string} name @returns {any} */
  column(name) {
    if (!(name in this.sources)) return null;
    if (!this.columns.has(name)) {
      this.columns.set(name, null);
      void this.bring(name);
    }
    return this.columns.get(name) ?? null;
  }

  /** @param {string} name */
  async bring(name) {
    try {
      this.columns.set(name, readFrame(await this.sources[name]()).arrays.values);
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
    this.onChange();
  }

  /** The row's own number, from 0. @param {number} n in the order here */
  row(n) {
    return (n * this.stride) % this.count;
  }
}
