// The difference between selected rows and the rest, or between two labels: a list of columns, a picture, or mean bodies.

import { element, fitCanvas } from "../kit/dom.js";
import { fold } from "../kit/folds.js";
import { formatNumber } from "../kit/format.js";
import { drawPixels } from "../kit/image.js";
import { drawOutput, outputHeight } from "../kit/output.js";
import { mix } from "../kit/theme.js";
import { columnNames } from "./outputs.js";
import { contrastOf } from "../geometry/contrast.js";

/** @import { Drawing } from "../kit/geometry.js" */
/** @import { Theme } from "../kit/theme.js" */
/** @import { Contrast } from "../geometry/contrast.js" */
/** @import { TableCell } from "../kit/table.js" */
/** @import { Explorer } from "./explorer.js" */

const TOP_COLUMNS = 6; // number of columns in the short list
const TOP_JOINTS = 4; // number of joints in the text
const MOST_LISTED = 200; // the most columns in the long list
const FULL_EFFECT = 2; // an effect of this size has the longest bar; larger effects shorten the other bars
const WIDEST_MEAN = 150; // the largest width of a picture in CSS pixels
const [LESS_BLUE, MORE_RED] = [[33, 102, 172], [178, 24, 43]]; // colours of less and more, which colour-blind people can distinguish

/**
 * Two groups of rows; others: null for all other rows; names: for a heading; words: for a sentence.
 * @typedef {{ rows: ArrayLike<number>, others: ArrayLike<number> | null, names: [string, string], words: [string, string] }} Groups
 */

export class RowDifference {
  /** @param {Explorer<any>} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    /** @type {Groups | null} */
    this.groups = null;
    /** @type {Contrast | null} */
    this.contrast = null;
  }

  /** Return elements that show the difference between two groups of rows. @param {Groups} groups @returns {HTMLElement[]} */
  elements(groups) {
    const { model } = this.explorer;
    const { rows, others } = groups;
    if (groups !== this.groups) {
      [this.groups, this.contrast] = [groups, contrastOf((n) => (model.table ?? model).item(n), model.nPoints, rows, others)];
    }
    const { contrast } = this;
    if (!contrast) return [element("p", {}, rows.length >= model.nRows ? "These are all rows, so there are no other rows for a comparison." : "This page does not have the values of these rows, because they are not in its sample.")];
    const { kind } = model.drawing;
    const sampled = contrast.count < rows.length ? [element("p", {}, `The comparison uses ${contrast.count.toLocaleString("en")} of these rows, whose values this page has.`)] : [];
    if (kind === "image") return [this.images(contrast, groups), ...sampled];
    if (kind === "skeleton") return [this.bodies(contrast, groups), ...sampled];
    return [this.columns(contrast, groups), ...sampled];
  }

  /** Return a picture with a caption. @param {string} words @param {number} height @param {(canvas: HTMLCanvasElement, width: number) => void} draw */
  figure(words, height, draw) {
    const width = this.width();
    const canvas = element("canvas", { role: "img", "aria-label": words, style: `width:${width}px; height:${height}px` });
    draw(canvas, width);
    return element("figure", { style: `width:${width}px` }, canvas, element("figcaption", {}, words));
  }

  width() {
    const room = (this.explorer.parts.selection.clientWidth - 24) / 3;
    return Math.max(Math.min(Math.floor(room), WIDEST_MEAN), 72);
  }

  /** Return the drawing of the small pictures of the rows. @returns {Drawing} */
  drawing() {
    const { drawing, header } = this.explorer.model;
    return { ...drawing, shape: header.item_shape, range: header.item_range ?? drawing.range };
  }

  /** @param {Contrast} contrast @param {Groups} groups */
  images(contrast, { names, words }) {
    const { model, state: { theme } } = this.explorer;
    const drawing = this.drawing();
    const channels = drawing.shape[2] ?? 1;
    const difference = pixelDifference(contrast, channels);
    const most = Math.max(...difference.map((value) => Math.abs(value) || 0)) || 1;
    const [low, high] = drawing.range;
    const share = Math.round((100 * most) / (high - low));
    const height = outputHeight(drawing, this.width());
    return element("div", { class: "differences" },
      this.mean(names[0], contrast.chosen, drawing, height),
      this.mean(names[1], contrast.rest, drawing, height),
      this.figure(`Difference, ± ${share} %`, height, (canvas, width) => {
        drawPixels(fitCanvas(canvas, width, height), drawing, width, height, (cell) => signedColour(difference[cell] / most, theme));
        canvas.setAttribute("aria-label", differenceWords(difference, drawing, model.nOutputs, words));
      }),
      element("p", {}, element("i", { class: "less" }), ` darker than ${words[1]} `, element("i", { class: "more" }), " brighter"));
  }

  /** @param {Contrast} contrast @param {Groups} groups */
  bodies(contrast, { names }) {
    const drawing = this.drawing();
    const height = outputHeight(drawing, this.width(), true);
    return element("div", { class: "differences" }, this.mean(names[0], contrast.chosen, drawing, height), this.mean(names[1], contrast.rest, drawing, height),
      element("p", {}, `Most different: ${jointsApart(contrast, drawing.skeleton.names).slice(0, TOP_JOINTS).join(", ")}. In brackets: standard deviations.`));
  }

  /** Return the mean picture of a group. @param {string} words @param {Float64Array} values @param {Drawing} drawing @param {number} height */
  mean(words, values, drawing, height) {
    const { theme, turn } = this.explorer.state;
    return this.figure(`${words}, mean`, height, (canvas, width) => drawOutput(fitCanvas(canvas, width, height), drawing, values, width, height, { theme, turn, small: true }));
  }

  /** Return a table of the columns that differ most, with both means in the data's units. @param {Contrast} contrast @param {Groups} groups */
  columns({ chosen, rest, effects, order }, { names: heads, words: [first, last] }) {
    const { model } = this.explorer;
    const names = rowColumnNames(model, chosen.length);
    const shares = new Set(model.table?.cells.flatMap((/** @type {TableCell} */ { words, start, width }) => (words ? Array.from({ length: width }, (_, k) => start + k) : [])));
    // Show only the first word of a column with two words, because its share determines that of the second word,
    // and not the column of the labels that are compared.
    const byLabel = this.explorer.state.rows.length ? "" : String(model.header.label_names);
    const hidden = new Set(model.table?.cells.flatMap((/** @type {TableCell} */ { words, start, width }) =>
      !words ? [] : String(words) === byLabel ? Array.from({ length: width }, (_, k) => start + k) : width === 2 ? [start + 1] : []));
    const known = order.filter((d) => !Number.isNaN(effects[d]) && !hidden.has(d)).slice(0, MOST_LISTED);
    const text = (/** @type {number} */ value, /** @type {number} */ d) => (shares.has(d) ? `${Math.round(100 * value)} %` : formatNumber(value));
    if (!known.length) return element("p", {}, "No column differs.");
    const full = Math.max(FULL_EFFECT, Math.abs(effects[known[0]]));
    const line = (/** @type {number} */ d) => element("tr", {},
      element("th", { scope: "row", title: names[d] }, names[d]),
      element("td", { class: "effect" }, effectBar(effects[d] / full), effectWords(effects[d])),
      element("td", {}, text(chosen[d], d)), element("td", {}, text(rest[d], d)));
    const head = () => element("thead", {}, element("tr", {}, ...["Column", "Effect", ...heads].map((title) =>
      element("th", { scope: "col", title }, title))));
    const table = (/** @type {number[]} */ columns) => element("table", { class: "contrast" }, head(), element("tbody", {}, ...columns.map(line)));
    const more = known.slice(TOP_COLUMNS);
    const host = element("div", {}, element("p", {}, `Means${shares.size ? " and shares" : ""} of ${first} and of ${last}. The effect is their difference in standard deviations.`), table(known.slice(0, TOP_COLUMNS)));
    if (more.length) host.append(fold("columns", false, element("summary", {}, `${more.length} more ${more.length === 1 ? "column" : "columns"}`), table(more)));
    return host;
  }
}

/** Return the difference of the means for every pixel, averaged over its channels. @param {Contrast} contrast @param {number} channels */
export function pixelDifference({ chosen, rest }, channels) {
  return Float64Array.from({ length: chosen.length / channels }, (_, cell) => {
    let sum = 0;
    for (let c = cell * channels; c < (cell + 1) * channels; c++) sum += chosen[c] - rest[c];
    return sum / channels;
  });
}

/**
 * Return the joints with their effects (root mean squares over coordinates), largest first.
 * @param {Contrast} contrast
 * @param {string[]} names
 */
export function jointsApart({ effects }, names) {
  const sizes = names.map((_, j) => Math.hypot(...Array.from(effects.subarray(3 * j, 3 * j + 3), (effect) => effect || 0)) / Math.sqrt(3));
  const order = Array.from(names.keys()).sort((p, q) => sizes[q] - sizes[p]);
  return order.map((j) => `${names[j]} (${sizes[j].toFixed(1)})`);
}

/** Describe the picture for screen readers. @param {Float64Array} difference @param {Drawing} drawing @param {number} nOutputs @param {[string, string]} words */
function differenceWords(difference, { shape: [rows, columns] }, nOutputs, [first, second]) {
  const most = difference.reduce((best, value, i) => (Math.abs(value) > Math.abs(difference[best]) ? i : best), 0);
  const where = `row ${Math.floor(most / columns) + 1} of ${rows}, column ${(most % columns) + 1} of ${columns}`;
  return `Difference between ${first} and ${second} (${nOutputs} pixels): largest at ${where}, where the first are ${difference[most] > 0 ? "brighter" : "darker"}`;
}

/** Return the colour of a difference: blue below zero, red above. @param {number} share from −1 to 1 @param {Theme} theme */
function signedColour(share, theme) {
  if (Number.isNaN(share)) return null;
  const middle = theme.dark ? theme.background : [247, 247, 247];
  const end = share < 0 ? LESS_BLUE : MORE_RED;
  return mix(middle, theme.dark ? mix(end, [255, 255, 255], 0.3) : end, Math.min(Math.abs(share), 1));
}

/** Return a bar that begins in the middle and points right if the selected rows have larger values. @param {number} share */
function effectBar(share) {
  const wide = 50 * Math.min(Math.abs(share), 1);
  return element("span", { class: "signed", "aria-hidden": "true" }, element("b", { class: share < 0 ? "less" : "more", style: `width:${wide.toFixed(1)}%` }));
}

/** Return an effect as text with its sign. @param {number} effect */
export function effectWords(effect) {
  const words = Math.abs(effect) >= 10 ? Math.abs(effect).toFixed(0) : Math.abs(effect).toFixed(1);
  if (Number(words) === 0) return "0.0";
  return `${effect < 0 ? "−" : "+"}${words}`;
}

/** Return the names of the columns that the reduced rows have; long curves are reduced to every k-th column. @param {any} model @param {number} count */
function rowColumnNames(model, count) {
  const all = columnNames(model.drawing, model.nOutputs);
  if (model.table) return all;
  const step = Math.ceil(model.nOutputs / count);
  return Array.from({ length: count }, (_, d) => all[d * step] ?? `column ${d + 1}`);
}
