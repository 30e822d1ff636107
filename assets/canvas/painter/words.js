// Captions of the painter's pictures.

import { element } from "../kit/dom.js";
import { formatNumber } from "../kit/format.js";

/** @import { Parts } from "../kit/dom.js" */
/** @import { HiddenRow } from "./hidden_row.js" */

/**
 * Write the captions of the completion and of its uncertainty.
 * @param {Parts} parts
 * @param {HiddenRow} row
 * @param {any} it
 * @param {string} count
 */
export function answerInWords(parts, row, { std, summary }, count) {
  const { hidden, error, expected, noise, least, most } = summary;
  const shared = ["image", "skeleton"].includes(row.drawing.kind);
  const unit = shared ? "" : " of each column's standard deviation";
  let words = "";
  if (error !== undefined) {
    words = `Error ${hidden ? "where hidden" : "on the whole row"}: ${formatNumber(error)}${unit}`;
    if (hidden && std) words += `; expected by the model: ${formatNumber(expected)}`;
  }
  parts["mean-words"].textContent = words;
  parts.mean.setAttribute("aria-label", `${parts["mean-title"].textContent}: ${row.title}. ${words}`);
  parts.announce.textContent = `${count}. ${words}`;
  if (!std) {
    parts["std-words"].textContent = "This model has no standard deviations.";
    return;
  }
  const share = shared ? `, ${formatNumber(expected / row.spread, 2)} of the data's spread` : unit;
  const alone = noise === undefined ? "" : `; noise only: ± ${formatNumber(noise)}`;
  const what = hidden
    ? `With noise: ± ${formatNumber(expected)}${share}${alone}`
    : `Without noise: ± ${formatNumber(expected)}${share}`;
  if (shared) {
    const ends = [0, row.spread].map((end) => element("span", {}, `± ${formatNumber(end)}`));
    parts["std-words"].replaceChildren(element("i", { class: "heat" }), element("span", { class: "ends" }, ...ends), what);
  } else parts["std-words"].textContent = `${what}. Lines on the left: ± 2 standard deviations`;
  parts.std.setAttribute("aria-label", `Standard deviations, from ${formatNumber(least)} to ${formatNumber(most)}`);
}
