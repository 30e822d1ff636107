// A row of data as a curve or bars. At missing values, a curve is interrupted and a bar becomes a band.

import { niceTicks } from "./axes.js";
import { formatNumber } from "./format.js";
import { vectorFrame } from "./geometry.js";
import { inkLine, inkPath } from "./ink.js";
import { css, mix } from "./theme.js";

/** @import { Drawing } from "./geometry.js" */
/** @import { DrawOptions } from "./output.js" */
/** @import { Theme } from "./theme.js" */

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Drawing} drawing
 * @param {ArrayLike<number>} values
 * @param {number} width
 * @param {number} height
 * @param {DrawOptions} options
 */
export function drawVector(context, drawing, values, width, height, options) {
  const { theme, spread = null, small = false } = options;
  const bars = drawing.kind === "bars";
  const n = values.length;
  const frame = vectorFrame(drawing, n, width, height, small);
  const { step, px, py } = frame;
  if (!small) drawVectorAxes(context, drawing, frame, n, theme);
  context.save();
  context.beginPath();
  context.rect(frame.left - 1, frame.top - 2, frame.right - frame.left + 2, frame.bottom - frame.top + 4);
  context.clip();
  const tint = theme.dark ? mix([0, 114, 178], [255, 255, 255], 0.25) : [0, 114, 178];
  if (bars) {
    const wide = Math.max(step * 0.62, 1);
    for (let i = 0; i < n; i++) {
      const gap = Number.isNaN(values[i]);
      const [from, to] = gap ? [frame.top, frame.bottom] : [py(values[i], i), frame.base].sort((p, q) => p - q);
      context.fillStyle = gap ? css(theme.muted, 0.18) : css(tint, 0.85);
      context.fillRect(px(i) - wide / 2, from, wide, Math.max(to - from, 1));
    }
    if (spread) {
      context.beginPath();
      for (let i = 0; i < n; i++) {
        context.moveTo(px(i), py(values[i] - 2 * spread[i], i));
        context.lineTo(px(i), py(values[i] + 2 * spread[i], i));
      }
      inkPath(context, { line: css(theme.text), width: small ? 1 : 1.5 });
    }
  } else {
    if (spread) {
      context.beginPath();
      for (let i = 0; i < n; i++) context.lineTo(px(i), py(values[i] + 2 * spread[i], i));
      for (let i = n - 1; i >= 0; i--) context.lineTo(px(i), py(values[i] - 2 * spread[i], i));
      inkPath(context, { fill: css(tint, 0.25) });
    }
    context.lineJoin = "round";
    context.lineCap = "round"; // a value between two gaps is a dot
    context.beginPath();
    for (let i = 0; i < n; i++) {
      if (Number.isNaN(values[i])) continue;
      if (i === 0 || Number.isNaN(values[i - 1])) context.moveTo(px(i), py(values[i], i));
      context.lineTo(px(i), py(values[i], i));
    }
    inkPath(context, { line: css(tint), width: small ? 1.4 : 2 });
  }
  context.restore();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Drawing} drawing
 * @param {ReturnType<typeof vectorFrame>} frame
 * @param {number} n the number of columns
 * @param {Theme} theme
 */
function drawVectorAxes(context, drawing, frame, n, theme) {
  const { px, py, named } = frame;
  const [low, high] = drawing.range;
  context.font = `11px ${theme.font}`;
  context.fillStyle = css(theme.muted);
  context.strokeStyle = css(theme.faint);
  context.lineWidth = 1;
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.beginPath();
  if (drawing.ranges) {
    // Every column has a separate axis, so only the ends of the axes have names.
    const [top, bottom] = drawing.ends ?? ["highest", "lowest"];
    context.fillText(top, frame.left - 6, frame.top + 6);
    context.fillText(bottom, frame.left - 6, frame.bottom - 6);
  } else for (const tick of niceTicks(low, high, (frame.bottom - frame.top) / 44)) {
    context.moveTo(frame.left, py(tick, 0));
    context.lineTo(frame.right, py(tick, 0));
    context.fillText(formatNumber(tick), frame.left - 6, py(tick, 0));
  }
  context.stroke();
  inkLine(context, [frame.left, frame.base], [frame.right, frame.base], { line: css(theme.muted, 0.7) });
  context.textBaseline = "top";
  if (named) {
    for (let i = 0; i < n; i++) {
      context.save();
      context.translate(px(i), frame.bottom + 6);
      context.rotate(-Math.PI / 5);
      context.textAlign = "right";
      context.fillText((drawing.columns?.[i] ?? "").slice(0, 12), 0, 0);
      context.restore();
    }
    return;
  }
  context.textAlign = "center";
  for (const tick of niceTicks(1, n, (frame.right - frame.left) / 70)) {
    if (Number.isInteger(tick) && tick >= 1) context.fillText(String(tick), px(tick - 1), frame.bottom + 6);
  }
  context.textAlign = "right";
  context.fillText("column", frame.right, frame.bottom + 20);
}
