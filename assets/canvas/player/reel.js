// A sequence that interpolates linearly between its frames, so that it has values at any time.

import { niceTicks } from "../kit/axes.js";
import { formatNumber, formatTime } from "../kit/format.js";
import { readFrame } from "../kit/frame.js";
import { heatColour } from "../kit/theme.js";

/** @import { Turn } from "../kit/geometry.js" */
/** @import { Theme } from "../kit/theme.js" */

/**
 * The shared state of a player's parts; axis −1 is time.
 * @typedef {{
 *   a: number, b: number, time: number, theme: Theme, turn: Turn, speed: number, loop: boolean,
 *   show: Record<string, boolean> }} PlayerState
 */
/** The lengths of a date's year, month, day, minute and second. */
const PARTS = [4, 7, 10, 16, 19];

/** The training points and the drawing of outputs. @typedef {{ header: any, arrays: Record<string, any>, nLatent: number }} Stage */

export class Reel {
  /** bytes: framed, from gplvm_core/wire/sequence.py, pack_reel. @param {Uint8Array} bytes */
  constructor(bytes) {
    const { header, arrays, shapes } = readFrame(bytes);
    this.header = header;
    this.arrays = arrays;
    /** The times of the frames, increasing. @type {Float64Array} */
    this.times = arrays.times;
    this.count = this.times.length;
    this.nLatent = arrays.latent_mean ? shapes.latent_mean[1] : 0;
    /** @type {Map<string, Float32Array>} */
    this.rows = new Map();
    this.firstForecast = this.arrays.forecast.indexOf(1);
  }

  get start() {
    return this.times[0];
  }

  get end() {
    return this.times[this.count - 1];
  }

  /** The last time that is within the data. */
  get known() {
    return this.firstForecast > 0 ? this.times[this.firstForecast - 1] : this.end;
  }

  /**
   * Return a time's position between frames: the frame before it, and the fraction of the interval to the next frame.
   * @param {number} time
   */
  place(time) {
    let [low, high] = [0, this.count - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle;
    }
    if (this.count === 1 || time <= this.times[0]) return { frame: 0, share: 0 };
    const share = (time - this.times[low]) / (this.times[high] - this.times[low]);
    return share >= 1 ? { frame: high, share: 0 } : { frame: low, share };
  }

  /** Return a time in words: the date of the nearest frame, or a number. @param {number} time */
  written(time) {
    const step = this.count > 1 ? (this.end - this.start) / (this.count - 1) : 1;
    return this.header.dates[this.nearest(time)] ?? `Time ${formatTime(time, step)}`;
  }

  /**
   * Return at most about `count` ticks between two times: beginnings of years, months or days, or round numbers.
   * @param {number} low
   * @param {number} high
   * @param {number} count
   * @returns {{ at: number, word: string }[]}
   */
  ticks(low, high, count) {
    /** @type {string[]} */
    const dates = this.header.dates;
    if (!dates.length) return niceTicks(low, high, count).map((at) => ({ at, word: formatNumber(at) }));
    const levels = PARTS.map((length) => dates.flatMap((date, i) => {
      const word = date.slice(0, length);
      const begins = i > 0 && word !== dates[i - 1].slice(0, length);
      return begins && this.times[i] >= low && this.times[i] <= high ? [{ at: this.times[i], word }] : [];
    }));
    const most = Math.max(...levels.map((each) => (each.length <= count ? each.length : 0)));
    const fits = levels.find((each) => each.length === most) ?? []; // months rather than first days of months
    const finer = levels.find((each) => each.length > count);
    if (most > 2 || !finer) return fits;
    const every = Math.ceil(finer.length / count);
    return finer.filter((_, k) => k % every === 0);
  }

  /** Return the frame nearest to a time. @param {number} time */
  nearest(time) {
    const { frame, share } = this.place(time);
    return share > 0.5 ? frame + 1 : frame;
  }

  /**
   * Return one row of an array of frames at a time; the next call overwrites the result.
   * @param {string} name
   * @param {number} time
   */
  row(name, time) {
    const array = this.arrays[name];
    const width = array.length / this.count;
    const out = this.rows.get(name) ?? new Float32Array(width);
    this.rows.set(name, out);
    const { frame, share } = this.place(time);
    const here = frame * width;
    const next = share ? here + width : here;
    // Pixels are integers, which have a code for missing values.
    const unknown = array instanceof Uint8Array ? this.header.white + 1 : NaN;
    for (let d = 0; d < width; d++) {
      const [from, to] = [array[here + d], array[next + d]];
      out[d] = from === unknown || to === unknown ? NaN : from + share * (to - from);
    }
    return out;
  }

  /** Return the value at a time, interpolated from an array with one number per frame. @param {string} name @param {number} time */
  number(name, time) {
    const { frame, share } = this.place(time);
    const array = this.arrays[name];
    return share ? array[frame] + share * (array[frame + 1] - array[frame]) : array[frame];
  }

  /** @param {number} time */
  isForecast(time) {
    return this.firstForecast >= 0 && time > this.known;
  }

  /** @param {number} time */
  isHidden(time) {
    return this.arrays.hidden[this.nearest(time)] === 1;
  }

  /** Return the ranges of frames in which a flag is set, as [first, last]. @param {string} name */
  stretches(name) {
    /** @type {[number, number][]} */
    const found = [];
    this.arrays[name].forEach((/** @type {number} */ flag, /** @type {number} */ i, /** @type {Uint8Array} */ all) => {
      if (flag && !all[i - 1]) found.push([i, i]);
      else if (flag) found[found.length - 1][1] = i;
    });
    return found;
  }
}

/**
 * Return the colour of a relative time: cividis without the end that is invisible on the background.
 * @param {number} share
 * @param {Theme} theme
 */
export function timeColour(share, theme) {
  return heatColour(theme.dark ? 0.24 + 0.76 * share : 0.86 * share);
}
