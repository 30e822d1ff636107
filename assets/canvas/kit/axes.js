// Ticks and axes of figures and maps.

import { formatNumber } from "./format.js";
import { css, mix } from "./theme.js";

/** @import { PlaneView } from "./plane.js" */
/** @import { Theme } from "./theme.js" */

/**
 * Return about `count` round numbers between two ends.
 * @param {number} low
 * @param {number} high
 * @param {number} count
 */
export function niceTicks(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) ticks.push(i * step);
  return ticks;
}

/**
 * Draw ticks along the left and lower edge of a plane.
 * @param {CanvasRenderingContext2D} context
 * @param {PlaneView} plane
 * @param {Theme} theme
 * @param {{ above: number, below: number }} [covered] CSS pixels that controls cover
 * @param {[number, number][]} [units] shift and scale from positions to the numbers of each axis
 * @param {(low: number, high: number, count: number) => { at: number, word: string }[]} [named] the ticks along the lower edge, if they are not numbers
 */
export function drawMapAxes(context, plane, theme, { above, below } = { above: 0, below: 0 }, [across, up] = [[0, 1], [0, 1]], named) {
  const { view, width, height } = plane;
  context.font = `11px ${theme.font}`;
  context.fillStyle = css(theme.muted);
  context.strokeStyle = css(theme.muted, 0.55);
  context.lineWidth = 1;
  context.beginPath();
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  const { u, v, su, sv } = view;
  const ticks = (/** @type {number[]} */ [shift, scale], /** @type {number} */ middle, /** @type {number} */ reach, /** @type {number} */ count) =>
    niceTicks(shift + scale * (middle - reach), shift + scale * (middle + reach), count).map((tick) => ({ at: (tick - shift) / scale, word: formatNumber(tick, Math.max(3, Math.ceil(Math.log10(Math.abs(tick / scale) || 1)) + 2)) }));
  for (const { at, word } of named?.(u - su, u + su, width / 110) ?? ticks(across, u, su, width / 110)) {
    const x = Math.round(plane.toPixel(at, 0)[0]) + 0.5;
    if (x < 34 || x > width - 14) continue;
    context.moveTo(x, height);
    context.lineTo(x, height - 5);
    context.fillText(word, x, height - 8 - below);
  }
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const { at, word } of ticks(up, v, sv, height / 90)) {
    const y = Math.round(plane.toPixel(0, at)[1]) + 0.5;
    if (y < 30 + above || y > height - 26 - below) continue;
    context.moveTo(0, y);
    context.lineTo(5, y);
    context.fillText(word, 8, y);
  }
  context.stroke();
}

const AXIS_NAME = { font: "600 11px", aside: 10, down: 8, up: 22, half: 5.5 }; // CSS pixels from the edges, and half a name's height
/** The CSS pixels that the names of the axes need beside controls, so that no dot is under them. */
export const AXIS_NAME_ROOM = { above: 26, below: 38 };

/** @param {[string, string]} names */
const axisWords = ([across, up]) => [`${across} →`, `↑ ${up}`];

/**
 * Return where `drawAxisNames` writes its words: their left ends, middles and widths.
 * @param {CanvasRenderingContext2D} context measures the words; its font changes
 * @param {PlaneView} plane
 * @param {[string, string]} names
 * @param {Theme} theme
 * @param {{ above: number, below: number }} covered
 */
export function axisNameBoxes(context, { width, height }, names, theme, { above, below }) {
  const { font, aside, down, up, half } = AXIS_NAME;
  context.font = `${font} ${theme.font}`;
  const [first, second] = axisWords(names).map((words) => context.measureText(words).width);
  return [
    { left: width - aside - first, middle: height - up - below - half + 2, width: first },
    { left: aside, middle: down + above + half, width: second },
  ];
}

/**
 * Write the names of the axes (across, up), each with a halo, in front of everything that was drawn before.
 * @param {CanvasRenderingContext2D} context
 * @param {PlaneView} plane
 * @param {[string, string]} names
 * @param {Theme} theme
 * @param {{ above: number, below: number }} [covered] CSS pixels that controls cover
 */
export function drawAxisNames(context, { width, height }, names, theme, { above, below } = { above: 0, below: 0 }) {
  const { font, aside, down, up } = AXIS_NAME;
  const [first, second] = axisWords(names);
  context.save();
  context.font = `${font} ${theme.font}`;
  context.lineJoin = "round";
  context.lineWidth = 5;
  context.strokeStyle = css(theme.known, 0.9);
  context.fillStyle = css(mix(theme.background, theme.text, 0.8));
  const write = (/** @type {string} */ words, /** @type {number} */ x, /** @type {number} */ y) => {
    context.strokeText(words, x, y);
    context.fillText(words, x, y);
  };
  context.textBaseline = "alphabetic";
  context.textAlign = "right";
  write(first, width - aside, height - up - below);
  context.textAlign = "left";
  context.textBaseline = "top";
  write(second, aside, down + above);
  context.restore();
}
