// A map in a frame of a notebook's page, which Python reads and moves. The page's script (notebook.js) passes the
// values on; without Python, nobody answers, and the map stays as it is.

import { Explorer } from "../map/explorer.js";

/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Action } from "../map/state.js" */

/** The values that Python and the map share; rows are numbers in the data. @typedef {{ point: number[], kept: number[], rows: number[], dimensions: [number, number], names: string[] }} Told */

const FRAME_NAME = "manifolio "; // begins the frame's name, as in gplvm_core/offline/widget.py

/** Where the map has each value. @type {{ [Name in keyof Told]: (explorer: Explorer<LatentModel>) => ArrayLike<any> }} */
const SHARED = {
  names: ({ names }) => names.all,
  dimensions: ({ state }) => state.chosen.place.dims,
  rows: ({ state }) => state.chosen.rows,
  kept: ({ state }) => state.chosen.kept.point,
  point: ({ state }) => state.chosen.place.point,
};
// Python's values are taken in this order: keeping a point also moves the chosen one.
const SHARED_NAMES = /** @type {(keyof Told)[]} */ (Object.keys(SHARED));

/** An explorer that tells Python what the visitor does, and does what Python says. @extends {Explorer<LatentModel>} */
export class ConnectedExplorer extends Explorer {
  /** What Python knows, as text; null until Python has answered. @type {Partial<Record<keyof Told, string>> | null} */
  known = null;
  /** The objects from which the known values were read. @type {Partial<Record<keyof Told, ArrayLike<any>>>} */
  seen = {};
  /** The rules for a dark system. @type {CSSMediaRule[] | undefined} */
  dark = undefined;

  /** Begin to listen, if the page is the frame of a widget. */
  connect() {
    if (!window.name.startsWith(FRAME_NAME) || window.parent === window) return;
    addEventListener("message", ({ source, data }) => {
      if (source !== window.parent || data?.map !== window.name) return;
      if (!data.told) this.say({});
      else {
        this.hear(data.told);
        this.darken(data.dark);
      }
    });
    this.say({});
  }

  /** @param {{ told?: Partial<Told> }} message */
  say(message) {
    window.parent.postMessage({ map: window.name, ...message }, "*");
  }

  /** Use the theme of the notebook in place of the system's. @param {boolean} dark */
  darken(dark) {
    if (dark === this.theme.dark) return;
    const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).filter((rule) => rule instanceof CSSMediaRule);
    this.dark ??= rules.filter(({ conditionText }) => conditionText.includes("prefers-color-scheme"));
    for (const { media } of this.dark) media.mediaText = dark ? "all" : "not all";
    document.documentElement.style.colorScheme = dark ? "dark" : "light";
    this.retheme();
  }

  /** Return a value as Python has it. @template {keyof Told} Name @param {Name} name @returns {Told[Name]} */
  read(name) {
    const { model } = this;
    const value = Array.from(SHARED[name](this));
    if (name === "rows") return /** @type {any} */ (value.map((n) => model.dataRow(n)).sort((m, n) => m - n));
    // A single dimension is drawn against the order of the rows, which Python does not count.
    return /** @type {any} */ (name === "point" || name === "kept" ? value.slice(0, model.header.n_latent) : value);
  }

  /** Take Python's values. @param {Partial<Told>} told */
  hear(told) {
    this.known ??= {};
    this.names.kept = true;
    for (const name of SHARED_NAMES) {
      if (!(name in told)) continue;
      this.known[name] = JSON.stringify(told[name]);
      if (this.known[name] !== JSON.stringify(this.read(name))) this.take(name, told);
    }
    // The map may have another value than it was given, such as a rounded point.
    this.tellSoon();
  }

  /** @param {keyof Told} name @param {Partial<Told>} told */
  take(name, { names = [], dimensions = [0, 1], rows = [], point = [], kept = [] }) {
    const whole = (/** @type {number[]} */ given) => [...given, ...this.state.point.slice(given.length)];
    if (name === "names") {
      this.names.latest = "";
      this.takeNames({ key: "", stored: names });
    } else if (name === "dimensions") this.frameMap({ type: "pair", dims: dimensions });
    else if (name === "rows") this.dispatch({ type: "set", name, value: this.placesOf(rows) });
    else if (name === "kept") this.go({ type: "visit", place: { ...this.here(), point: whole(kept) } });
    else this.go({ type: "move", point: whole(point) });
  }

  /** Return the rows' places on the page. @param {number[]} rows */
  placesOf(rows) {
    const { crowd, nRows } = this.model;
    if (!crowd) return rows;
    const places = new Map(Array.from({ length: nRows }, (_, n) => [crowd.row(n), n]));
    return rows.map((row) => places.get(row) ?? 0).sort((m, n) => m - n);
  }

  /** Tell Python what has changed. */
  tellPython() {
    const { known, seen } = this;
    if (!known) return;
    /** @type {Partial<Record<keyof Told, any>>} */
    const told = {};
    for (const name of SHARED_NAMES) {
      const place = SHARED[name](this);
      if (place === seen[name]) continue;
      seen[name] = place;
      const value = this.read(name);
      const text = JSON.stringify(value);
      if (text === known[name]) continue;
      known[name] = text;
      told[name] = value;
    }
    if (Object.keys(told).length) this.say({ told });
  }

  /** Tell Python once after all changes of this moment. */
  tellSoon() {
    queueMicrotask(() => this.tellPython());
  }

  /** @override @param {Action} action */
  dispatch(action) {
    super.dispatch(action);
    this.tellSoon();
  }

  /** @override @param {number} q @param {string} name */
  rename(q, name) {
    super.rename(q, name);
    this.tellSoon();
  }
}
