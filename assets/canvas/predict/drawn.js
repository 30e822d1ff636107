// The pictures of a regression: the answer on its range, curves over one input, and planes over two inputs.

import { Graph } from "../deep/graph.js";
import { fitCanvas } from "../kit/dom.js";
import { formatNumber } from "../kit/format.js";
import { niceTicks } from "../kit/axes.js";
import { INTERVAL } from "../geometry/regression.js";
import { inkDisc } from "../kit/ink.js";
import { css, heatColour, mix } from "../kit/theme.js";
import { rangeOf } from "./sliders.js";

/** @import { Answer, Regression } from "../geometry/regression.js" */
/** @import { Theme } from "../kit/theme.js" */

const MOST_DOTS = 150; // the most rows in a curve, because every frame draws it again
const BINS = 24; // number of bars in the histogram of the data

/**
 * Draw the answer with its interval over the histogram of the data.
 * @param {HTMLCanvasElement} canvas
 * @param {Regression} model
 * @param {Answer} answer
 * @param {[number, number]} ends
 * @param {Theme} theme
 * @param {number} [truth]
 */
export function drawScale(canvas, model, answer, ends, theme, truth) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const context = fitCanvas(canvas, width, height);
  const floor = height - 18;
  const at = (/** @type {number} */ value) => 6 + (Math.min(Math.max((value - ends[0]) / (ends[1] - ends[0]), 0), 1)) * (width - 12);
  const counts = new Array(BINS).fill(0);
  for (const value of model.targets) counts[Math.min(BINS - 1, Math.floor(((value - model.header.low) / (model.header.high - model.header.low)) * BINS))] += 1;
  const most = Math.max(...counts);
  context.fillStyle = css(theme.text, 0.14);
  counts.forEach((count, i) => {
    const [left, right] = [i, i + 1].map((edge) => at(model.header.low + (edge / BINS) * (model.header.high - model.header.low)));
    const tall = (count / most) * (floor - 6);
    context.fillRect(left, floor - tall, Math.max(right - left - 1, 1), tall);
  });
  const [low, high] = [-1, 1].map((side) => at(answer.mean + side * INTERVAL * answer.deviation));
  context.fillStyle = css(theme.point, 0.28);
  context.fillRect(low, floor - 9, high - low, 9);
  context.fillStyle = css(theme.point);
  context.fillRect(at(answer.mean) - 1.5, 4, 3, floor - 4);
  if (truth !== undefined) inkDisc(context, at(truth), floor - 4.5, 4, { fill: css(theme.text) });
  context.fillStyle = css(theme.muted);
  context.font = `11px ${theme.font}`;
  context.textAlign = "center";
  for (const tick of niceTicks(...ends, 6)) {
    const x = at(tick);
    if (x > 14 && x < width - 14) context.fillText(formatNumber(tick), x, height - 4);
  }
}

/**
 * Draw the answer over one input, its band for 95 % of new rows, the rows of the data, and the present value.
 * @param {HTMLCanvasElement} canvas
 * @param {Regression} model
 * @param {number} q
 * @param {Float64Array} grid
 * @param {Answer[]} answers
 * @param {Float64Array} x
 * @param {[number, number]} up
 * @param {Theme} theme
 */
export function drawSlice(canvas, model, q, grid, answers, x, up, theme) {
  if (!canvas.clientWidth) return;
  const graph = new Graph(canvas, rangeOf(model.inputs[q]), up, theme);
  graph.axes(3, { across: model.inputs[q].words });
  const { context } = graph;
  graph.clip();
  context.fillStyle = css(theme.text, 0.22);
  const width = model.inputs.length;
  const every = Math.ceil(model.targets.length / MOST_DOTS);
  for (let n = 0; n < model.targets.length; n += every) {
    const [px, py] = graph.pixel(model.rows[n * width + q], model.targets[n]);
    context.fillRect(px - 1, py - 1, 2, 2);
  }
  const edge = (/** @type {number} */ side) => answers.map(({ mean, deviation }) => mean + side * INTERVAL * deviation);
  graph.band(grid, edge(-1), edge(1), css(theme.accent, theme.dark ? 0.3 : 0.16));
  graph.line(grid, answers.map(({ mean }) => mean), css(theme.accent), 2.2);
  if (!Number.isNaN(x[q])) {
    const [px] = graph.pixel(x[q], up[0]);
    context.fillStyle = css(theme.point);
    context.fillRect(px - 1, 0, 2, graph.height);
  }
  context.restore();
}

/**
 * Draw the answer over two inputs as colours, paler where it is a guess, and the rows of the data as dots.
 * @param {HTMLCanvasElement} canvas
 * @param {Regression} model
 * @param {[number, number]} pair
 * @param {Float64Array} x
 * @param {number} cells number of cells along each input
 * @param {Theme} theme
 */
export function drawPlane(canvas, model, [a, b], x, cells, theme) {
  if (!canvas.clientWidth) return;
  const { inputs, header } = model;
  const ends = [rangeOf(inputs[a]), rangeOf(inputs[b])];
  const graph = new Graph(canvas, ends[0], ends[1], theme);
  const picture = new ImageData(cells, cells);
  const place = Float64Array.from(x);
  for (let row = 0, at = 0; row < cells; row++) {
    place[b] = ends[1][1] + ((row + 0.5) / cells) * (ends[1][0] - ends[1][1]);
    for (let column = 0; column < cells; column++, at += 4) {
      place[a] = ends[0][0] + ((column + 0.5) / cells) * (ends[0][1] - ends[0][0]);
      const { mean } = model.answer(place);
      const colour = heatColour((mean - header.low) / (header.high - header.low));
      picture.data.set([...colour, 255], at);
    }
  }
  const small = document.createElement("canvas");
  [small.width, small.height] = [cells, cells];
  /** @type {CanvasRenderingContext2D} */ (small.getContext("2d")).putImageData(picture, 0, 0);
  graph.axes(5, { across: inputs[a].words, up: inputs[b].words });
  const { context } = graph;
  const [left, top] = graph.pixel(ends[0][0], ends[1][1]);
  const [right, floor] = graph.pixel(ends[0][1], ends[1][0]);
  context.imageSmoothingEnabled = true;
  context.drawImage(small, left, top, right - left, floor - top);
  graph.clip();
  for (let n = 0; n < model.targets.length; n++) {
    const [px, py] = graph.pixel(model.rows[n * inputs.length + a], model.rows[n * inputs.length + b]);
    const fill = css(heatColour((model.targets[n] - header.low) / (header.high - header.low)));
    inkDisc(context, px, py, 2.6, { fill, line: "rgba(255,255,255,0.75)", width: 0.8 });
  }
  if (!Number.isNaN(x[a]) && !Number.isNaN(x[b])) {
    inkDisc(context, ...graph.pixel(x[a], x[b]), 7, { line: css(mix(theme.point, [255, 255, 255], 0.1)), width: 3 });
  }
  context.restore();
}
