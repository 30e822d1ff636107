// The map's shading by the probability of a word.

import { sampledSlice } from "../geometry/slice.js";
import { labelStyle, mix } from "../kit/theme.js";

/** @import { LatentMap } from "./map.js" */
/** @import { Colour, Theme } from "../kit/theme.js" */
/** @import { TableOutput } from "../geometry/table.js" */
/** @import { Slice } from "../geometry/slice.js" */

const FULL = 0.45; // opacity of the word's colour at probability 1; below 1, so that dots stay visible

export class Chance {
  /** @param {LatentMap} map @param {TableOutput} table @param {number} column @param {number} word */
  constructor(map, table, column, word) {
    this.map = map;
    this.table = table;
    this.column = column;
    this.word = word;
  }

  /** @param {Float64Array} x a point of the plane @returns {Slice<any>} */
  slice(x) {
    const { map, table, column, word } = this;
    const { a, b } = map.state;
    const chance = (/** @type {Float64Array} */ place) => table.chance(place, column, word);
    if (map.follows()) return map.near.slice(chance);
    const place = x.slice();
    return sampledSlice((u, v) => {
      [place[a], place[b]] = [u, v];
      return chance(place);
    });
  }

  /** The colour is stronger where the word is more probable. */
  tone = {
    /** @param {Theme} theme @returns {[Colour, Colour]} */
    ends: (theme) => [theme.known, mix(theme.known, labelStyle(this.word, this.table.header.palette, theme).colour, FULL)],
    /** @param {number} value */
    share: (value) => value,
  };

  words() {
    return ["0 %", "100 %"];
  }

  refresh() {}

  draw() {}

  stop() {}
}
