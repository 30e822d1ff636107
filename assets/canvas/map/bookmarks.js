// A model's named places, which this browser stores, and which are exported and imported as JSON.

/** @import { Place } from "./state.js" */

/** @typedef {Place & { name: string }} Bookmark */

/**
 * Read bookmarks from the text of a file, for a model with `axes` coordinates.
 * @param {string} text
 * @param {number} axes
 * @returns {Bookmark[]} Throws an Error with a message for invalid bookmarks.
 */
export function readBookmarks(text, axes) {
  /** @type {any} */
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Error("This file does not contain bookmarks: it is not JSON.");
  }
  if (!Array.isArray(content?.places)) throw new Error("This file does not contain bookmarks: “places” is missing.");
  return content.places.map((/** @type {any} */ place, /** @type {number} */ i) => {
    const { name, point, dims, follow } = place ?? {};
    const among = (/** @type {unknown} */ q) => Number.isInteger(q) && Number(q) >= 0 && Number(q) < axes;
    if (!Array.isArray(point) || point.length !== axes || !point.every(Number.isFinite)) {
      throw new Error(`Place ${i + 1} of the file has ${Array.isArray(point) ? point.length : "no"} coordinates; this model has ${axes}.`);
    }
    if (!Array.isArray(dims) || dims.length !== 2 || !dims.every(among) || dims[0] === dims[1]) {
      throw new Error(`Place ${i + 1} of the file needs two different dimensions of this model.`);
    }
    return { name: String(name ?? `Place ${i + 1}`), point, dims: /** @type {[number, number]} */ (dims), follow: follow !== false };
  });
}

/**
 * Return the text of a file with bookmarks; dimensions are counted from 0.
 * @param {string} model the model's name
 * @param {Bookmark[]} places
 */
export function writeBookmarks(model, places) {
  return `${JSON.stringify({ model, places }, null, 1)}\n`;
}

export class Bookmarks {
  /**
   * key: identifies the model in the storage; axes: the number of coordinates of its points.
   * @param {string} key
   * @param {number} axes
   * @param {{ getItem(key: string): string | null, setItem(key: string, value: string): void } | null} storage the browser's storage, if the browser allows it
   */
  constructor(key, axes, storage) {
    this.key = `places of ${key}`;
    this.axes = axes;
    this.storage = storage;
    /** @type {Bookmark[]} */
    this.places = [];
    try {
      // The stored places are invalid if an earlier version of the model had other dimensions.
      this.places = readBookmarks(storage?.getItem(this.key) ?? '{"places":[]}', axes);
    } catch {
      this.places = [];
    }
  }

  /** @param {Bookmark[]} places */
  keep(places) {
    this.places = places;
    try {
      this.storage?.setItem(this.key, writeBookmarks(this.key, places));
    } catch {
      // Without storage, bookmarks last until the visitor closes the page.
    }
  }

  /** Add a place, and give it the next free name. @param {Place} place */
  add(place) {
    let number = this.places.length + 1;
    const taken = new Set(this.places.map(({ name }) => name));
    while (taken.has(`Place ${number}`)) number += 1;
    this.keep([...this.places, { name: `Place ${number}`, ...place }]);
  }

  /** @param {number} i @param {string} name */
  rename(i, name) {
    this.keep(this.places.map((place, j) => (j === i ? { ...place, name: name.trim() || place.name } : place)));
  }

  /** @param {number} i */
  remove(i) {
    this.keep(this.places.filter((_, j) => j !== i));
  }
}
