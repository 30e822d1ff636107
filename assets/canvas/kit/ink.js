// Paths of a canvas: filled, outlined, or both.

/** @typedef {{ fill?: string, line?: string, width?: number, dash?: number[] }} Ink colours of the area and the outline; the outline's width and dashes in CSS pixels */

/**
 * Fill and outline the present path, once with each ink.
 * @param {CanvasRenderingContext2D} context
 * @param {...Ink} inks
 */
export function inkPath(context, ...inks) {
  for (const { fill, line, width = 1, dash } of inks) {
    if (fill) {
      context.fillStyle = fill;
      context.fill();
    }
    if (!line) continue;
    context.strokeStyle = line;
    context.lineWidth = width;
    if (dash) context.setLineDash(dash);
    context.stroke();
    if (dash) context.setLineDash([]);
  }
}

/**
 * Draw a disc or a ring.
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {...Ink} inks
 */
export function inkDisc(context, x, y, radius, ...inks) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  inkPath(context, ...inks);
}

/**
 * Draw a straight line.
 * @param {CanvasRenderingContext2D} context
 * @param {ArrayLike<number>} from
 * @param {ArrayLike<number>} to
 * @param {...Ink} inks
 */
export function inkLine(context, from, to, ...inks) {
  context.beginPath();
  context.moveTo(from[0], from[1]);
  context.lineTo(to[0], to[1]);
  inkPath(context, ...inks);
}
