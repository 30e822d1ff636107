// The Python code that generates the output at a place on the map.

/** @import { Drawing } from "../kit/geometry.js" */

/**
 * Return the code. opening: Python code that assigns `model`; the result contains no text of the data.
 * @param {string} opening
 * @param {number[]} point
 * @param {Drawing} drawing
 * @param {number | null} [layer] of a deep model, counted from the top
 */
export function pythonCode(opening, point, drawing, layer = null) {
  if (drawing.kind === "table") return ["import numpy as np", opening, `point = np.array([[${point.join(", ")}]])`, "row = model.inverse_transform(point)  # numbers, counts, and the most probable words", ""].join("\n");
  const shape = drawing.kind === "image" || drawing.kind === "skeleton" ? `.reshape(${drawing.shape.join(", ")})` : "";
  const what = { image: "rows × columns of pixels", skeleton: "joints × (x, y, z)", curve: "one value for each column", bars: "one value for each column", table: "" };
  return [
    "import numpy as np",
    opening,
    `point = np.array([[${point.join(", ")}]])`,
    `mean, std = model.${layer === null ? "inverse_transform(point" : `generate(point, layer=${layer}`}, return_std=True)`,
    `output = mean[0]${shape}  # ${what[drawing.kind]}`,
    "",
  ].join("\n");
}
