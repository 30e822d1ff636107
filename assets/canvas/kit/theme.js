// Colours: Streamlit's theme through its CSS variables, and the palettes of the figures.

import { contextOf } from "./dom.js";

/** Red, green and blue, each from 0 to 255. @typedef {number[]} Colour */
/** @typedef {ReturnType<typeof readTheme>} Theme */

// When the colours repeat, the marker changes; the order is the same as in gplvm_core/figures/palette.py.
const MARKERS = ["circle", "diamond", "square", "triangle", "cross", "star"];

// Samples of cividis, a scale of monotone lightness that colour-blind people can read.
export const CIVIDIS = [
  [0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115],
  [138, 134, 120], [165, 156, 116], [195, 179, 105], [225, 204, 85], [254, 232, 56],
];

/** Parses colours with a canvas; each colour is parsed once. @type {{ context?: CanvasRenderingContext2D, known: Map<string, Colour> }} */
const colourReader = { known: new Map() };

/** @param {string} text @returns {Colour} */
function parseColour(text) {
  const known = colourReader.known.get(text) ?? readColour(text);
  colourReader.known.set(text, known);
  return known;
}

/** @param {string} text @returns {Colour} */
function readColour(text) {
  const context = (colourReader.context ??= contextOf(document.createElement("canvas")));
  context.fillStyle = "#000";
  context.fillStyle = text;
  const value = context.fillStyle;
  if (value.startsWith("#")) return [1, 3, 5].map((i) => parseInt(value.slice(i, i + 2), 16));
  return (value.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
}

/** @param {Colour} from @param {Colour} to @param {number} share @returns {Colour} */
export const mix = (from, to, share) => from.map((value, i) => value + (to[i] - value) * share);
/** @param {Colour} colour @param {number} [alpha] */
export const css = (colour, alpha = 1) => `rgba(${colour.map(Math.round).join(",")},${alpha})`;

/** Return the colour of a value from 0 to 1. @param {number} share */
export function heatColour(share) {
  const place = Math.min(Math.max(share, 0), 1) * (CIVIDIS.length - 1);
  const i = Math.min(Math.floor(place), CIVIDIS.length - 2);
  return mix(CIVIDIS[i], CIVIDIS[i + 1], place - i);
}

/** Return the colours of the theme around an element. @param {HTMLElement} element */
export function readTheme(element) {
  const style = getComputedStyle(element);
  const read = (/** @type {string} */ name, /** @type {string} */ fallback) => {
    const value = style.getPropertyValue(name).trim();
    return value && value !== "unset" ? value : fallback;
  };
  const background = parseColour(read("--st-background-color", "#ffffff"));
  const text = parseColour(read("--st-text-color", "#31333f"));
  const dark = background[0] + background[1] + background[2] < 384;
  return {
    dark,
    background,
    text,
    accent: parseColour(read("--st-primary-color", "#0072b2")),
    point: dark ? [255, 154, 92] : [194, 68, 10],
    muted: mix(background, text, 0.62),
    faint: mix(background, text, 0.16),
    // The map is light where the model is certain and dark where it is uncertain.
    known: dark ? mix(background, [190, 205, 235], 0.24) : [255, 255, 255],
    unknown: dark ? mix(background, [0, 0, 0], 0.35) : mix(background, [58, 74, 110], 0.34),
    font: read("--st-font", "sans-serif"),
  };
}

/**
 * Update `theme` with the colours of the theme around an element.
 * @param {HTMLElement} element
 * @param {Theme} theme
 */
export function takeTheme(element, theme) {
  Object.assign(theme, readTheme(element));
  element.style.colorScheme = theme.dark ? "dark" : "light";
}

/**
 * Return the colour and marker of a label; a point without label gets the palette's first colour.
 * @param {number} label
 * @param {string[]} palette
 * @param {Theme} theme
 */
export function labelStyle(label, palette, theme) {
  const n = palette.length;
  const colour = parseColour(palette[Math.max(label, 0) % n]);
  return {
    colour: theme.dark ? mix(colour, [255, 255, 255], 0.18) : colour,
    marker: MARKERS[Math.floor(Math.max(label, 0) / n) % MARKERS.length],
  };
}

/** Return the colour and marker of a row without label or value, which is quieter than those of labels. @param {Theme} theme */
export const bareStyle = ({ dark, background, muted }) => ({ colour: dark ? muted : mix(background, muted, 0.82), marker: "circle" });

/**
 * Trace a marker of radius r around (x, y).
 * @param {CanvasRenderingContext2D} context
 * @param {string} marker
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
export function tracePath(context, marker, x, y, r) {
  context.beginPath();
  if (marker === "circle") context.arc(x, y, r, 0, 2 * Math.PI);
  else if (marker === "square") context.rect(x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r);
  else if (marker === "cross") {
    const [s, l] = [0.4 * r, 1.1 * r];
    const steps = [[-s, -l], [s, -l], [s, -s], [l, -s], [l, s], [s, s], [s, l], [-s, l], [-s, s], [-l, s], [-l, -s], [-s, -s]];
    steps.forEach(([dx, dy], i) => (i ? context.lineTo(x + dx, y + dy) : context.moveTo(x + dx, y + dy)));
    context.closePath();
  } else {
    const corners = { triangle: 3, diamond: 4, star: 10 }[marker] ?? 3;
    Array.from({ length: corners }, (_, i) => {
      const angle = -Math.PI / 2 + (2 * Math.PI * i) / corners;
      const reach = marker === "star" && i % 2 ? 0.6 * r : 1.25 * r;
      const [px, py] = [x + reach * Math.cos(angle), y + reach * Math.sin(angle)];
      if (i) context.lineTo(px, py);
      else context.moveTo(px, py);
    });
    context.closePath();
  }
}
