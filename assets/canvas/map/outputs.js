// The outputs of a model one by one: their names, and how sure each is.

/** @import { Drawing } from "../kit/geometry.js" */
/** @import { Output } from "./model.js" */

/**
 * The columns' own names; else those of joints, or numbers from 1.
 * @param {Drawing} drawing
 * @param {number} count
 * @returns {string[]}
 */
export function columnNames(drawing, count) {
  const { columns, skeleton, kind } = drawing;
  const word = kind === "image" ? "pixel value" : "column";
  return Array.from({ length: count }, (_, d) => {
    if (columns) return columns[d];
    return skeleton ? `${skeleton.names[Math.floor(d / 3)]} ${"xyz"[d % 3]}` : `${word} ${d + 1}`;
  });
}

/**
 * Standard deviation of every output's function at a place, in the data's units.
 * @param {Output} model
 * @param {ArrayLike<number>} place
 */
export function deviationsAt(model, place) {
  const mean = new Float64Array(model.nOutputs);
  return new Float64Array(model.nOutputs).fill(model.deviation(model.predict(place, mean)));
}
