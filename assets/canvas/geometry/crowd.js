// If a model has very many rows, its page has complete data only for a sample. For the other rows, the page
// fetches only what it draws: positions in the shown dimensions, labels, and a fact for the colours.

import { readFrame } from "../kit/frame.js";

/** @import { Floats } from "./kernels.js" */

/** The header's information about all rows. @typedef {{ count: number, stride: number, ranges: [number, number][], labels: number[] }} CrowdHeader */

/** All rows of a model; the first rows are the sample. */
export class Crowd {
  /** @param {CrowdHeader} header */
  constructor({ count, stride, ranges, labels }) {
    this.count = count;
    this.stride = stride;
    this.ranges = ranges;
    /** The labels that occur in the data. */
    this.known = labels;
    /** The visitor's labels, if they are shown. @type {Int32Array | null} */
    this.own = null;
    /** Fetches the bytes of a column by its name; empty in an exported file. @type {Record<string, () => Promise<Uint8Array>>} */
    this.sources = {};
    /** The loaded columns; null while loading. @type {Map<string, Floats | Int32Array | null>} */
    this.columns = new Map();
    /** The error of a failed request. */
    this.problem = "";
    /** Called when a column has arrived or failed. @type {() => void} */
    this.onChange = () => {};
  }

  /** Whether rows beyond the sample can be fetched. */
  get fetched() {
    return Object.keys(this.sources).length > 0;
  }

  /** The labels that occur. */
  get present() {
    return this.own ?? this.known;
  }

  /** Return a column if it is loaded; otherwise request it once, and return undefined. @param {string} name @returns {any} */
  column(name) {
    if (name === "labels" && this.own) return this.own;
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

  /** Return the row's number in the data, from 0. @param {number} n the row's number in the order of the page */
  row(n) {
    return (n * this.stride) % this.count;
  }
}
