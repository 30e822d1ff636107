// Drawings on the map: the training points in several forms, the chosen point, and paths.

import { contextOf } from "../kit/dom.js";
import { inkDisc, inkLine, inkPath } from "../kit/ink.js";
import { thumbnailPicture } from "../kit/output.js";
import { css, tracePath } from "../kit/theme.js";
import { pointStyle } from "./colours.js";

/** @import { LatentMap } from "./map.js" */
/** @import { LatentPoints } from "../geometry/points.js" */

const THUMBNAIL = 40;
const HOVERED = 64;
const NAME = { height: 11, square: 6, letters: 24 }; // CSS pixels, and the longest name
const BESIDE = 3; // from the edge of a dot to its name

/** @param {CanvasRenderingContext2D} context @param {LatentMap} map */
export function drawTrajectories(context, map) {
  const { model, places } = map;
  const { sequences, order } = model;
  if (!sequences || !order) return;
  context.lineJoin = "round";
  for (let i = 0; i + 1 < order.length; ) {
    const sequence = sequences[order[i]];
    const style = pointStyle(model, map.state, order[i]);
    context.beginPath();
    context.moveTo(places[2 * order[i]], places[2 * order[i] + 1]);
    for (i += 1; i < order.length && sequences[order[i]] === sequence; i++) {
      context.lineTo(places[2 * order[i]], places[2 * order[i] + 1]);
    }
    inkPath(context, { line: css(style.colour, 0.55), width: 1.2 });
  }
}

/** Draw one standard deviation of q(x_n) for every point. @param {CanvasRenderingContext2D} context @param {LatentMap} map */
export function drawEllipses(context, map) {
  const { model, places, opacity } = map;
  const { a, b } = map.state;
  const Q = model.nLatent;
  const variance = model.latentVariance;
  if (!variance) return;
  const [ku, kv] = [map.width / (2 * map.view.su), map.height / (2 * map.view.sv)];
  for (let n = 0; n < model.nPoints; n++) {
    const ru = Math.sqrt(variance[n * Q + a]) * ku;
    const rv = Math.sqrt(variance[n * Q + b]) * kv;
    const { colour } = pointStyle(model, map.state, n);
    context.beginPath();
    context.ellipse(places[2 * n], places[2 * n + 1], ru, rv, 0, 0, 2 * Math.PI);
    inkPath(context, { line: css(colour, 0.5 * opacity[n]) });
  }
}

/**
 * Return the standard deviation of a typical position if its ellipse is smaller than a dot; else null.
 * @param {LatentMap} map
 */
export function unseenDeviation(map) {
  const { a, b } = map.state;
  const { latentVariance: variance, nLatent, nPoints } = map.model;
  if (!variance) return null;
  const larger = Array.from({ length: nPoints }, (_, n) => Math.sqrt(Math.max(variance[n * nLatent + a], variance[n * nLatent + b])));
  const usual = larger.sort((p, q) => p - q)[nPoints >> 1];
  return (usual * map.width) / (2 * map.view.su) < pointSize(map.model) ? usual : null;
}

/** @param {CanvasRenderingContext2D} context @param {LatentMap} map @param {Iterable<number>} rows */
export function drawDots(context, map, rows) {
  const { model } = map;
  const { theme } = map.state;
  const size = pointSize(map.model);
  for (const n of rows) {
    const { colour, marker } = pointStyle(model, map.state, n);
    const opacity = map.opacityOf(n);
    tracePath(context, marker, ...map.placeOf(n), size);
    inkPath(context, { fill: css(colour, opacity), line: css(theme.known, 0.7 * opacity), width: 0.8 });
  }
}

/**
 * Draw as many thumbnails as fit without covering each other.
 * @param {CanvasRenderingContext2D} context
 * @param {LatentMap} map
 */
export function drawThumbnails(context, map) {
  const { model, places, opacity } = map;
  /** @type {[number, number][]} */
  const taken = [];
  const half = THUMBNAIL / 2;
  for (let n = 0; n < model.nPoints; n++) {
    const [x, y] = [places[2 * n], places[2 * n + 1]];
    if (x < half || y < half || x > map.width - half || y > map.height - half) continue;
    if (opacity[n] < 0.2) continue;
    if (taken.some(([p, q]) => Math.abs(p - x) < THUMBNAIL + 3 && Math.abs(q - y) < THUMBNAIL + 3)) continue;
    taken.push([x, y]);
    drawItem(context, map, n, x - half, y - half, THUMBNAIL);
  }
}

/**
 * Draw the names of rows beside their points, as many as there is room for.
 * @param {CanvasRenderingContext2D} context
 * @param {LatentMap} map
 */
export function drawNames(context, map) {
  const { model, places, opacity, covered, width, height, state: { theme } } = map;
  context.save();
  const words = map.nameBoxes();
  context.font = contextOf(map.lower).font = `${NAME.height}px ${theme.font}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = css(theme.known, 0.85);
  context.fillStyle = css(theme.text);
  const measure = (/** @type {string} */ text) => contextOf(map.lower).measureText(text).width; // an SVG measures nothing
  const names = Array.from({ length: model.nPoints }, (_, n) => (opacity[n] < 0.2 ? null : model.id(n)));
  const inside = { left: 2, right: width - 2, top: covered.above, bottom: height - covered.below };
  for (const { text, left, middle } of placedNames(names, places, { inside, beside: pointSize(model) + BESIDE, measure, words })) {
    context.strokeText(text, left, middle);
    context.fillText(text, left, middle);
  }
  context.restore();
}

/**
 * Return names with room beside their points: none covers a dot, an earlier name or other words, or is cut by the frame.
 * @param {(string | null)[]} names null for a point without one
 * @param {ArrayLike<number>} places x and y of every point
 * @param {{ inside: { left: number, right: number, top: number, bottom: number }, beside: number, measure: (text: string) => number,
 *   words?: { left: number, middle: number, width: number }[] }} room
 *   beside: the distance from a point's centre to its name; words: other words on the map, such as the names of its axes
 */
export function placedNames(names, places, { inside, beside, measure, words = [] }) {
  const radius = beside - BESIDE;
  /** How many dots and names are in each small square. @type {Map<number, number>} */
  const taken = new Map();
  const take = (/** @type {Iterable<number>} */ squares) => {
    for (const each of squares) taken.set(each, (taken.get(each) ?? 0) + 1);
  };
  const dot = (/** @type {number} */ n) => new Set([-radius, radius].flatMap((down) => [-radius, radius].map((across) => nameSquareAt(places[2 * n] + across, places[2 * n + 1] + down))));
  for (let n = 0; n < names.length; n++) take(dot(n));
  for (const { left, middle, width } of words) take(new Set(nameSquaresUnder(left, middle, width)));
  const placed = [];
  for (let n = 0; n < names.length; n++) {
    const name = names[n];
    const [x, y] = [places[2 * n], places[2 * n + 1]];
    if (!name || x < inside.left || x > inside.right || y < inside.top || y > inside.bottom) continue;
    const text = name.length > NAME.letters ? `${name.slice(0, NAME.letters - 1)}…` : name;
    const width = measure(text);
    const [away, half, own] = [beside + NAME.height / 2, NAME.height / 2, dot(n)];
    const sides = [[x + beside, y], [x - beside - width, y], [x - width / 2, y - away], [x - width / 2, y + away]];
    for (const [left, middle] of sides) {
      const squares = nameSquaresUnder(left, middle, width);
      if (left < inside.left || left + width > inside.right || middle - half < inside.top || middle + half > inside.bottom) continue;
      if (squares.some((each) => (taken.get(each) ?? 0) > Number(own.has(each)))) continue;
      take(new Set(squares));
      placed.push({ row: n, text, left, middle, width });
      break;
    }
  }
  return placed;
}

/** @param {number} x @param {number} y */
function nameSquareAt(x, y) {
  return Math.floor(x / NAME.square) + 1e4 * Math.floor(y / NAME.square);
}

/** @param {number} left @param {number} middle @param {number} width */
function nameSquaresUnder(left, middle, width) {
  const [right, bottom] = [left + width, middle + NAME.height / 2];
  const found = [];
  for (let y = middle - NAME.height / 2; ; y = Math.min(y + NAME.square, bottom)) {
    for (let x = left; ; x = Math.min(x + NAME.square, right)) {
      found.push(nameSquareAt(x, y));
      if (x >= right) break;
    }
    if (y >= bottom) return found;
  }
}

/**
 * Draw training item n small, with a frame in its label's colour; which: the number of its picture if it has several.
 * @param {CanvasRenderingContext2D} context
 * @param {LatentMap} map
 * @param {number} n
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {number} [which]
 */
export function drawItem(context, map, n, x, y, size, which = 0) {
  const { model } = map;
  const { theme } = map.state;
  const key = `${which}:${n}:${size}:${theme.dark}`;
  let picture = map.pictures.get(key);
  if (!picture) {
    if (map.pictures.size > 600) map.pictures.clear();
    picture = thumbnailPicture(model.pictured[which], n, size, theme);
    map.pictures.set(key, picture);
  }
  const { colour } = pointStyle(model, map.state, n);
  context.drawImage(picture, x, y, size, size);
  context.strokeStyle = css(colour);
  context.lineWidth = 1.5;
  context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
}

/**
 * If one axis is held, draw the line on which the chosen point can move.
 * @param {CanvasRenderingContext2D} context
 * @param {LatentMap} map
 * @param {number} x
 * @param {number} y
 */
export function drawWay(context, map, x, y) {
  const { a, b, held, theme } = map.state;
  if (held.has(a) === held.has(b)) return;
  const [from, to] = held.has(a) ? [[x, 0], [x, map.height]] : [[0, y], [map.width, y]];
  inkLine(context, from, to, { line: css(theme.accent, 0.8), width: 1.5, dash: [6, 5] });
}

/** Draw the places of the outputs that are shown beside the map. @param {CanvasRenderingContext2D} context @param {LatentMap} map */
export function drawMarks(context, map) {
  const { a, b, marks, marked, theme } = map.state;
  marks.forEach((place, i) => {
    const [x, y] = map.toPixel(place[a], place[b]);
    const half = i === marked ? 7 : 4;
    context.beginPath();
    context.rect(x - half, y - half, 2 * half, 2 * half);
    inkPath(context, { line: css(theme.background, 0.9), width: 3.5 }, { line: css(theme.accent), width: i === marked ? 2.5 : 1.5 });
  });
}

/**
 * A path with its key frames and the place on it; before the end is chosen, the line to the pointer.
 * @param {CanvasRenderingContext2D} context
 * @param {LatentMap} map
 */
export function drawPath(context, map) {
  const { a, b, path, hover, theme } = map.state;
  if (!path) return;
  const pixels = path.points.map((x) => map.toPixel(x[a], x[b]));
  const open = pixels.length === 1;
  if (open && hover) pixels.push(map.toPixel(...hover));
  context.beginPath();
  for (const [x, y] of pixels) context.lineTo(x, y);
  context.lineJoin = "round";
  const dash = open ? [5, 5] : [];
  inkPath(context, { line: css(theme.background, 0.85), width: 5, dash }, { line: css(theme.accent), width: 2.5, dash });
  const ink = { fill: css(theme.accent), line: css(theme.background), width: 2 };
  for (const key of path.keys) inkDisc(context, ...map.toPixel(key[a], key[b]), 5.5, ink);
  if (path.at) inkDisc(context, ...map.toPixel(path.at[a], path.at[b]), 7, ink);
}

const FADES_MS = 1600;
const JUMP = 30; // CSS pixels; a longer step of a drag is a change to another explanation

/** Draw the fading trail of a dragged point. @param {CanvasRenderingContext2D} context @param {LatentMap} map */
export function drawTrail(context, map) {
  const { a, b, trail, trailTime = 0, theme } = map.state;
  if (!trail || trail.length < 2) return;
  const pixels = trail.map(({ point }) => map.toPixel(point[a], point[b]));
  context.lineCap = "round";
  for (let i = 1; i < pixels.length; i++) {
    const share = Math.max(1 - (trailTime - trail[i].time) / FADES_MS, 0);
    // A step to another explanation is drawn as a thin line.
    const jump = Math.hypot(pixels[i][0] - pixels[i - 1][0], pixels[i][1] - pixels[i - 1][1]) > JUMP;
    inkLine(context, pixels[i - 1], pixels[i], { line: css(theme.point, (jump ? 0.3 : 0.55) * share), width: jump ? 1 : 1 + 3 * share });
  }
}

/** Return the radius of a training point. @param {LatentPoints} model */
function pointSize(model) {
  return model.nPoints > 900 ? 3 : model.nPoints > 300 ? 3.8 : 4.6;
}

/**
 * Draw the hovered training point in front of all others, with its picture.
 * @param {CanvasRenderingContext2D} context
 * @param {LatentMap} map
 * @param {number} n
 */
export function drawHovered(context, map, n) {
  const { model } = map;
  const { theme } = map.state;
  const [x, y] = map.placeOf(n);
  const { colour, marker } = pointStyle(model, map.state, n);
  tracePath(context, marker, x, y, pointSize(map.model) + 2.5);
  inkPath(context, { fill: css(colour), line: css(theme.background), width: 2 });
  // If there are very many rows, the page has pictures of only some rows.
  const pictured = n < model.nPoints;
  const size = pictured ? HOVERED : 0;
  const count = pictured ? model.pictured.length : 0;
  context.font = `600 11px ${theme.font}`;
  const words = model.name(n);
  const wide = Math.max(pictured ? count * (HOVERED + 4) - 4 : 92, Math.min(context.measureText(words).width, 200));
  const left = x + 16 + wide > map.width ? Math.max(x - 16 - wide, 4) : x + 16;
  const top = Math.min(Math.max(y - size / 2, 4), map.height - size - 22);
  context.fillStyle = css(theme.background, 0.95);
  context.fillRect(left - 4, top - 4, wide + 8, size + 24);
  for (let i = 0; i < count; i++) drawItem(context, map, n, left + i * (size + 4), top, size, i);
  context.fillStyle = css(theme.text);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(words, left + wide / 2, top + size + 10, wide + 4);
}
