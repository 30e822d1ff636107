// Names of a model's outputs.

import { element } from "../kit/dom.js";

/** @import { Drawing } from "../kit/geometry.js" */

/**
 * Return the columns' own names, with their words; else joint names, or numbers from 1.
 * @param {Drawing} drawing
 * @param {number} count
 * @returns {string[]}
 */
export function columnNames(drawing, count) {
  const { columns, skeleton, kind, table } = drawing;
  if (table) return table.flatMap(({ name, words }) => words?.map((word) => `${name}: ${word}`) ?? [name]);
  const word = kind === "image" ? "pixel value" : "column";
  return Array.from({ length: count }, (_, d) => {
    if (columns) return columns[d];
    return skeleton ? `${skeleton.names[Math.floor(d / 3)]} ${"xyz"[d % 3]}` : `${word} ${d + 1}`;
  });
}

/**
 * Return a note if all outputs share one standard deviation, because the columns have too many different patterns of
 * gaps.
 * @param {{ sets_of_rows?: number }} header of a layer
 */
export function untold({ sets_of_rows: sets }) {
  if (!sets) return [];
  return [element("p", { class: "untold" }, "The columns have different gaps, so all columns show the same mean uncertainty.")];
}
