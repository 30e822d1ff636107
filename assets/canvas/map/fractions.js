// Three fractions at a place, in a triangle with the rows of the data around them.

import { element, fitCanvas } from "../kit/dom.js";
import { Triangle, triangleHeight, triangleInks } from "../kit/triangle.js";

/** @import { TableCell } from "../kit/table.js" */
/** @import { Theme } from "../kit/theme.js" */
/** @import { LatentModel } from "../geometry/model.js" */

const WIDTH = 260; // CSS pixels

export class FractionPicture {
  /** @param {LatentModel} model of a table @param {readonly TableCell[]} cells its three fractions */
  constructor(model, cells) {
    this.model = model;
    this.cells = cells;
    this.values = new Float64Array(model.table?.nOutputs ?? 0);
    this.height = triangleHeight(WIDTH);
    // The list below has the same numbers as text.
    this.canvas = element("canvas", { style: `width:${WIDTH}px;height:${this.height}px;display:block;margin:0 auto`, "aria-hidden": "true" });
    /** The triangle with the rows of the data, which is drawn once per theme. @type {{ theme: Theme, canvas: HTMLCanvasElement } | null} */
    this.behind = null;
  }

  /** @param {Theme} theme */
  background(theme) {
    if (this.behind?.theme === theme) return this.behind.canvas;
    const canvas = document.createElement("canvas");
    const context = fitCanvas(canvas, WIDTH, this.height);
    const triangle = new Triangle(this.cells, WIDTH, this.height);
    triangle.frame(context, theme);
    const { data } = triangleInks(theme);
    for (let n = 0; n < this.model.nPoints; n++) triangle.row(context, /** @type {NonNullable<LatentModel["table"]>} */ (this.model.table).item(n), 2, data);
    this.behind = { theme, canvas };
    return canvas;
  }

  /** @param {Float64Array} point @param {number} row the training row at this place; -1: none @param {Theme} theme */
  show(point, row, theme) {
    const { table } = this.model;
    if (!table) return;
    const context = fitCanvas(this.canvas, WIDTH, this.height);
    context.clearRect(0, 0, WIDTH, this.height);
    context.drawImage(this.background(theme), 0, 0, WIDTH, this.height);
    const triangle = new Triangle(this.cells, WIDTH, this.height);
    const { shown, own } = triangleInks(theme);
    table.predict(point, this.values);
    triangle.row(context, this.values, 6, shown);
    if (row >= 0) triangle.row(context, table.item(row), 8, own);
  }
}
