// The switches of a map's state: the values that a model allows, and their form in a link.

/** @import { LatentPoints } from "../geometry/points.js" */
/** @import { Levels } from "../geometry/levels.js" */
/** @import { TableOutput } from "../geometry/table.js" */
/** @import { TableCell } from "../kit/table.js" */

/** The key frames of a path, in all dimensions: its ends, and the places between them that it goes through. @typedef {readonly (readonly number[])[]} KeyPoints */
/** @typedef {keyof typeof LAYERS} Layer */
/** "uncertainty", "magnification", or the probability of a word, from `shadeOf`. @typedef {string} Shade */
/** @typedef {"one" | "around" | "anywhere" | "map"} WallMode */
/** @typedef {"straight" | "geodesic"} WayKind */
/** @typedef {"blur" | "fade" | "off"} Unsure */
/**
 * The features of a model; actions that need other features are refused.
 * @typedef {object} Offer
 * @property {number} axes the number of coordinates of a point
 * @property {Readonly<Record<Layer, boolean>>} show
 * @property {number} facts the number of columns that can colour the points
 * @property {number} coloured the fact that colours the points of a model without labels: words, else the time; −1: none
 * @property {readonly number[]} labels
 * @property {boolean} own whether the visitor has labels of his own
 * @property {number} rows the number of rows
 * @property {readonly Shade[]} shades
 * @property {boolean} lengths whether paths and magnification are available
 * @property {number} levels the number of values of known factors to choose from
 * @property {number} level the value that is shown first
 */
/**
 * @typedef {object} Switches
 * @property {Readonly<Record<Layer, boolean>>} show the layers on the map
 * @property {Shade} shade
 * @property {number} by the fact that colours the points; −1: their labels do; −2: the visitor's labels do
 * @property {readonly number[]} labels the highlighted labels
 * @property {ArrayLike<number>} rows the selected rows, in order
 * @property {WallMode} wall the number and places of the pictures beside the map
 * @property {number} level the value of the known factors that the map leaves out
 * @property {Unsure} unsure how a picture shows unsure pixels
 * @property {boolean} noise whether they have noise
 * @property {KeyPoints | null} path a single key frame is the beginning of a path
 * @property {WayKind} way
 * @property {number} seconds from the path's start to its end
 */

const FARTHEST = 1e6; // the largest coordinate, as in pages/ui/shared/place.py
const DECIMALS = 1e4; // kept coordinates are rounded like those in a link

const MOST_KEYS = 24;
export const LEAST_SECONDS = 1;
export const MOST_SECONDS = 20;

/** The value of the switch `by` if the visitor's own labels colour the points. */
export const OWN = -2;

/** @type {readonly number[]} */
const NONE = Object.freeze([]);

/** Optional layers on the map and the table below it, and whether a model has them. */
const LAYERS = {
  names: (/** @type {any} */ model) => Boolean(model.header?.row_names) && !model.crowd,
  thumbnails: (/** @type {any} */ model) => Boolean(model.items),
  ellipses: (/** @type {any} */ model) => Boolean(model.latentVariance),
  trajectories: (/** @type {any} */ model) => Boolean(model.sequences),
  table: (/** @type {any} */ model) => Boolean(model.labels || model.factorNames.length),
};
/** The layers that are on at first. @type {Layer[]} */
const OPENED = ["names", "trajectories"];
const LAYER_NAMES = /** @type {Layer[]} */ (Object.keys(LAYERS));

/**
 * A switch: its initial value, the values that a model allows, a value's text in a link, and the value for a text
 * (undefined if the text is invalid).
 * @template Value
 * @typedef {object} Switch
 * @property {(offer: Offer) => Value} first
 * @property {(value: Value, offer: Offer) => boolean} allows
 * @property {(value: Value) => string} [toLink]
 * @property {(words: string, offer: Offer) => Value | undefined} [fromLink]
 */

/** All switches, one entry each. @type {{ [Name in keyof Switches]: Switch<Switches[Name]> }} */
export const SWITCHES = {
  show: {
    first: (offer) => layers((name) => OPENED.includes(name) && offer.show[name]),
    allows: (show, offer) => LAYER_NAMES.every((name) => show[name] === false || (show[name] === true && offer.show[name])),
    toLink: (show) => LAYER_NAMES.filter((name) => show[name]).join(",") || "none",
    fromLink: (words, offer) => {
      const known = words.split(",").filter((name) => offer.show[/** @type {Layer} */ (name)] === true);
      return known.length || words === "none" ? layers((name) => known.includes(name)) : undefined;
    },
  },
  shade: {
    first: ({ shades }) => shades[0],
    allows: (shade, { shades }) => shades.includes(shade),
    toLink: (shade) => shade,
    fromLink: (words, { shades }) => shades.find((shade) => shade === words),
  },
  by: {
    // Labels that the visitor has kept colour the map whenever it is opened.
    first: ({ coloured, own }) => (own ? OWN : coloured),
    allows: (by, { facts, own }) => by === -1 || (by === OWN && own) || among(by, facts),
    toLink: (by) => String(by + 1),
    fromLink: (words) => Number(words) - 1,
  },
  labels: { first: () => NONE, allows: (labels, offer) => labels.every((label) => offer.labels.includes(label)) },
  rows: { first: () => NONE, allows: (rows, offer) => !rows.length || among(rows[rows.length - 1], offer.rows) },
  level: {
    first: ({ level }) => level,
    allows: (level, { levels }) => among(level, levels),
    toLink: (level) => String(level + 1),
    fromLink: (words) => Number(words) - 1,
  },
  wall: oneOf(["one", "around", "anywhere", "map"]),
  unsure: oneOf(["blur", "fade", "off"]),
  noise: {
    first: () => false,
    allows: (noise) => typeof noise === "boolean",
    toLink: (noise) => (noise ? "1" : "0"),
    fromLink: (words) => (words === "1" ? true : words === "0" ? false : undefined),
  },
  path: {
    first: () => null,
    allows: (path, offer) => path === null || (offer.lengths && among(path.length - 1, MOST_KEYS) && path.every((key) => isPoint(key, offer))),
    toLink: (path) => (path ?? []).map((key) => rounded(key)).join(","),
    fromLink: (words, { axes }) => {
      const numbers = coordinates(words);
      if (numbers.length % axes) return undefined;
      return Array.from({ length: numbers.length / axes }, (_, i) => numbers.slice(i * axes, (i + 1) * axes));
    },
  },
  way: oneOf(["geodesic", "straight"], (way, { lengths }) => lengths || way === "geodesic"),
  seconds: {
    first: () => 3,
    allows: (seconds) => seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS,
    toLink: (seconds) => String(seconds),
    fromLink: (words) => (words.trim() ? Number(words) : undefined),
  },
};
export const SWITCH_NAMES = /** @type {(keyof Switches)[]} */ (Object.keys(SWITCHES));

/**
 * Return a switch with a few values, which are also their texts; the first value is the initial value.
 * @template {string} Value
 * @param {readonly Value[]} values
 * @param {(value: Value, offer: Offer) => boolean} possible
 * @returns {Switch<Value>}
 */
function oneOf(values, possible = () => true) {
  return {
    first: () => values[0],
    allows: (value, offer) => values.includes(value) && possible(value, offer),
    toLink: (value) => value,
    fromLink: (words) => values.find((value) => value === words),
  };
}

/**
 * @param {LatentPoints & { lengths?: boolean, table?: TableOutput | null, levels?: Levels | null }} model
 * @returns {Offer}
 */
export function offerOf(model) {
  const words = model.factorNames.findIndex((_, f) => model.factorWords(f));
  return {
    axes: model.nLatent,
    show: layers((name) => LAYERS[name](model)),
    facts: model.factorNames.length,
    coloured: model.labels ? -1 : words >= 0 ? words : model.factorNames.indexOf("time"),
    // Those of the data and the visitor's, whichever are shown now.
    labels: [...new Set([...model.presentLabels(), ...(model.file?.labels ?? []), ...(model.own?.names ?? []).keys()])].filter((label) => label >= 0),
    own: model.own !== null,
    rows: model.nRows,
    shades: ["uncertainty", ...(model.lengths ? ["magnification"] : []), ...chancesOf(model.table?.cells ?? []).map(({ shade }) => shade)],
    lengths: Boolean(model.lengths),
    levels: model.levels?.words.length ?? 0,
    level: model.levels?.first ?? 0,
  };
}

/** Return the name of the shading by the probability of a word. @param {number} column @param {number} word */
export const shadeOf = (column, word) => `chance-${column + 1}-${word + 1}`;

/** Return the probabilities that can shade a map. @param {readonly TableCell[]} cells */
export function chancesOf(cells) {
  return cells.flatMap(({ name, words = [] }, column) => words.map((text, word) => ({ shade: shadeOf(column, word), column, word, name, text })));
}

/** @param {(name: Layer) => boolean} on @returns {Record<Layer, boolean>} */
function layers(on) {
  return /** @type {Record<Layer, boolean>} */ (Object.fromEntries(LAYER_NAMES.map((name) => [name, on(name)])));
}

/** @param {number} n @param {number} count */
function among(n, count) {
  return Number.isInteger(n) && n >= 0 && n < count;
}

/** @param {readonly number[]} dims @param {Offer} offer @returns {dims is [number, number]} */
export function isPair(dims, { axes }) {
  return dims.length === 2 && dims.every((q) => among(q, axes)) && dims[0] !== dims[1];
}

/** @param {ArrayLike<number>} point @param {Offer} offer */
export function isPoint(point, { axes }) {
  return point.length === axes && Array.from(point).every((x) => Math.abs(x) <= FARTHEST);
}

/** Return the numbers in a link's text, NaN for invalid text. @param {string | null | undefined} words */
export function coordinates(words) {
  return (words ?? "").split(",").map((text) => (text.trim() ? Number(text) : NaN));
}

/** @param {ArrayLike<number>} point */
export function rounded(point) {
  return Array.from(point, (x) => Math.round(x * DECIMALS) / DECIMALS);
}
