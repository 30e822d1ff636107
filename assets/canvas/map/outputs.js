// Names of a model's outputs.

import { element } from "../kit/dom.js";

/** @import { Drawing } from "../kit/geometry.js" */

/**
 * The columns' own names, with their words; else those of joints, or numbers from 1.
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
 * A note if the page has one deviation for all outputs, because their gaps differ too much.
 * @param {{ sets_of_rows?: number }} header of a layer
 */
export function untold({ sets_of_rows: sets }) {
  if (!sets) return [];
  return [element("p", { class: "untold" }, "The columns have different gaps; all show one mean uncertainty.")];
}
