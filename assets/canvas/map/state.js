// The visitor's choices on a map as one immutable value, the actions that change it, and its form in a link.
//
// Undo, links and tests compare these values. The value excludes transient state, which is in no link: the
// pointer, the zoom, the playback of a path, the line of a lasso (scene.js, map.js, paths.js, lasso_line.js). It
// also excludes bookmarks, which the browser stores (bookmarks.js).

import { OWN, SWITCHES, SWITCH_NAMES, coordinates, isPair, isPoint, offerOf, rounded } from "./switches.js";

/** @import { LatentPoints } from "../geometry/points.js" */
/** @import { Offer, Switch, Switches } from "./switches.js" */

/**
 * A place: the shown dimensions, the point in all dimensions, and whether the hidden dimensions follow the data.
 * @typedef {Readonly<{ dims: readonly [number, number], point: readonly number[], follow: boolean }>} Place
 */
/**
 * @typedef {object} Places
 * @property {Offer} offer
 * @property {Place} first the initial place
 * @property {Place} place the current place, which may not be kept yet
 * @property {Place} kept the last kept place, for links, undo and redo
 * @property {readonly Place[]} past earlier kept places, the latest last
 * @property {readonly Place[]} future undone places, the next one first
 */
/** @typedef {Places & Switches} Chosen */
/**
 * move: moves the point without keeping it; visit: goes to a place and keeps it; pair: shows two dimensions; set: sets a switch.
 * @typedef {{ type: "move", point: ArrayLike<number> } | { type: "follow", on: boolean } | { type: "pair", dims: [number, number] }
 *   | { type: "keep" } | { type: "visit", place: Place } | { type: "undo" } | { type: "redo" } | { type: "reset" }
 *   | { [Name in keyof Switches]: { type: "set", name: Name, value: Switches[Name] } }[keyof Switches]} Action
 */
/** Parameters of a link; null removes a parameter. @typedef {Record<string, string | null | undefined>} Link */

const MOST_PLACES = 200; // stored for undo and redo

// --- the value and its actions ------------------------------------------------------------------

/**
 * Return the initial state of a model's map.
 * @param {LatentPoints} model
 * @returns {Readonly<Chosen>}
 */
export function initial(model) {
  const { header } = model;
  const offer = offerOf(model);
  /** @type {Place} */
  const first = { dims: header.dims, point: Array.from(model.position(header.start)), follow: true };
  const switches = /** @type {Switches} */ (Object.fromEntries(SWITCH_NAMES.map((name) => [name, SWITCHES[name].first(offer)])));
  return Object.freeze({ offer, first, place: first, kept: first, past: [], future: [], ...switches });
}

/**
 * Return the state after an action; the same value if nothing changes or the model does not support the action.
 * @param {Readonly<Chosen>} chosen
 * @param {Action} action
 * @returns {Readonly<Chosen>}
 */
export function reduce(chosen, action) {
  const { offer, place, kept, past, future } = chosen;
  switch (action.type) {
    case "move":
      return isPoint(action.point, offer) ? moved(chosen, { ...place, point: Array.from(action.point) }) : chosen;
    case "follow":
      return moved(chosen, { ...place, follow: action.on });
    case "pair":
      return isPair(action.dims, offer) ? moved(chosen, { ...place, dims: action.dims }) : chosen;
    case "keep":
      return keptAt(chosen, place);
    case "visit": {
      const { dims, point, follow } = action.place;
      return isPair(dims, offer) && isPoint(point, offer) ? keptAt(chosen, { dims, point, follow }) : chosen;
    }
    case "undo": {
      const before = past[past.length - 1];
      return before ? next(chosen, { place: before, kept: before, past: past.slice(0, -1), future: [kept, ...future] }) : chosen;
    }
    case "redo": {
      const [after, ...rest] = future;
      return after ? next(chosen, { place: after, kept: after, past: [...past, kept], future: rest }) : chosen;
    }
    case "reset": {
      const { dims, point } = chosen.first;
      const opened = { labels: SWITCHES.labels.first(offer), rows: SWITCHES.rows.first(offer), path: null };
      return keptAt(next(chosen, opened), { dims, point, follow: place.follow });
    }
    case "set":
      return set(chosen, action.name, action.value);
  }
}

/** Return the state after a change of what the model offers. @param {Readonly<Chosen>} chosen @param {LatentPoints} model */
export function reoffered(chosen, model) {
  return next(chosen, { offer: offerOf(model) });
}

/** @param {Readonly<Chosen>} chosen @param {Partial<Chosen>} changes @returns {Readonly<Chosen>} */
function next(chosen, changes) {
  return Object.freeze({ ...chosen, ...changes });
}

/** @param {Readonly<Chosen>} chosen @param {Place} place */
function moved(chosen, place) {
  return equal(place, chosen.place) ? chosen : next(chosen, { place });
}

/** Keep a place, and discard undone places. @param {Readonly<Chosen>} chosen @param {Place} place */
function keptAt(chosen, place) {
  const { kept, past } = chosen;
  const exact = { ...place, point: rounded(place.point) };
  if (equal(exact, kept)) return moved(chosen, kept);
  return next(chosen, { place: exact, kept: exact, past: [...past, kept].slice(1 - MOST_PLACES), future: [] });
}

/** @param {Place} place @param {Place} other */
function equal(place, other) {
  const { dims, point, follow } = other;
  return place.follow === follow && place.dims.every((q, i) => q === dims[i]) && place.point.every((x, q) => x === point[q]);
}

/**
 * @template {keyof Switches} Name
 * @param {Readonly<Chosen>} chosen
 * @param {Name} name
 * @param {Switches[Name]} value
 */
function set(chosen, name, value) {
  if (value === chosen[name] || !SWITCHES[name].allows(value, chosen.offer)) return chosen;
  // Highlighted labels are those of the data, or the visitor's.
  const others = name === "by" && (value === OWN || chosen.by === OWN) ? { labels: SWITCHES.labels.first(chosen.offer) } : {};
  return next(chosen, { [name]: value, ...others });
}

// --- links ----------------------------------------------------------------------------------------

/**
 * Return a place in the link's format; dimensions are counted from 1, as in pages/ui/shared/place.py.
 * @param {{ dims: readonly number[] | null, point: readonly number[] | null, follow: boolean }} place
 */
export function placeInLink({ dims, point, follow }) {
  return { dims: dims && dims.map((q) => q + 1).join(","), at: point && point.join(","), hold: follow ? null : "1" };
}

/**
 * Return the link's parameters for a state; null for initial values.
 * @param {Readonly<Chosen>} chosen
 * @returns {Record<string, string | null>}
 */
export function toLink(chosen) {
  const { offer, first, kept } = chosen;
  /** @type {Record<string, string | null>} */
  const link = kept === first ? { dims: null, at: null, hold: null } : placeInLink(kept);
  for (const name of SWITCH_NAMES) {
    const { first: opened, toLink: words } = /** @type {Switch<any>} */ (SWITCHES[name]);
    if (!words) continue;
    const said = words(chosen[name]);
    link[name] = said === words(opened(offer)) ? null : said;
  }
  return link;
}

/**
 * Return the state for a link's parameters; invalid parameters give the initial value.
 * @param {Link} link
 * @param {LatentPoints} model
 * @returns {Readonly<Chosen>}
 */
export function fromLink(link, model) {
  const opened = initial(model);
  const { offer, first } = opened;
  const [dims, point] = [coordinates(link.dims).map((q) => q - 1), coordinates(link.at)];
  const place = {
    dims: isPair(dims, offer) ? dims : first.dims,
    point: isPoint(point, offer) ? point : first.point,
    follow: (link.hold ?? null) === null,
  };
  const start = equal(place, first) ? first : place;
  let chosen = next(opened, { place: start, kept: start });
  for (const name of SWITCH_NAMES) {
    const { fromLink: meant } = /** @type {Switch<any>} */ (SWITCHES[name]);
    const words = link[name];
    const value = meant && typeof words === "string" ? meant(words, offer) : undefined;
    if (value !== undefined) chosen = set(chosen, name, value);
  }
  return chosen;
}
