// Captions of the painter's pictures.

import { element } from "../kit/dom.js";
import { formatNumber } from "../kit/format.js";

/** @import { Parts } from "../kit/dom.js" */
/** @import { HiddenRow } from "./hidden_row.js" */

/**
 * Captions of the completion and of its uncertainty.
 * @param {Parts} parts
 * @param {HiddenRow} row
 * @param {any} it
 * @param {string} count
 */
export function answerInWords(parts, row, { std, summary }, count) {
  const { hidden, error, expected, noise, least, most } = summary;
  let words = "";
  if (error !== undefined) {
    words = `Off by ${formatNumber(error)} ${hidden ? "where hidden" : "from the row itself"}`;
    if (hidden && std) words += `; the model expects ${formatNumber(expected)}`;
  }
  parts["mean-words"].textContent = words;
  parts.mean.setAttribute("aria-label", `${parts["mean-title"].textContent}: ${row.title}. ${words}`);
  parts.announce.textContent = `${count}. ${words}`;
  if (!std) {
    parts["std-words"].textContent = "This model gives no standard deviations.";
    return;
  }
  // As many digits as it takes to tell the ends apart.
  const digits = most - least < 0.05 * most ? 4 : 3;
  const noiseWords = hidden ? `noise alone ± ${formatNumber(noise, digits)}` : "without noise";
  if (["image", "skeleton"].includes(row.drawing.kind)) {
    const ends = [least, most].map((end) => element("span", {}, `± ${formatNumber(end, digits)}`));
    parts["std-words"].replaceChildren(element("i", { class: "heat" }), element("span", { class: "ends" }, ...ends), `Standard deviation; ${noiseWords}`);
  } else parts["std-words"].textContent = `Standard deviation; ${noiseWords}. The lines on the left are two of them`;
  parts.std.setAttribute("aria-label", `Standard deviations, from ${formatNumber(least)} to ${formatNumber(most)}`);
}
