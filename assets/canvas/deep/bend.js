// A Gaussian process beside a deep Gaussian process on the same points; the visitor adds and removes points.

import { element, pushButton } from "../kit/dom.js";
import { counted, formatNumber } from "../kit/format.js";
import { readFrame } from "../kit/frame.js";
import { LivingFigure } from "../kit/living.js";
import { ARROWS } from "../kit/pointing.js";
import { css } from "../kit/theme.js";
import { Graph, roomFor } from "./graph.js";

/** @typedef {[number, number]} CurvePoint */
/** @typedef {{ curve?: string, points?: CurvePoint[], stop?: boolean, edit: number }} BendAct */
/** @typedef {{ curve: string, curves: { name: string, title: string, words: string }[], edit: number, points: CurvePoint[] | null, busy: string | null }} BendWords */

const NEAR = 9; // pixels within which a click removes a point
const FRAME_MS = 140; // time between two frames of the moving paths
const OLD = 0.4; // opacity of curves for earlier points
const STEP = 0.02; // step of an arrow key, as a fraction of an axis
const ALIKE = 0.05; // models whose scores differ by fewer nats count as equally good
const MODELS = /** @type {const} */ (["shallow", "deep"]);

/** @extends {LivingFigure<BendAct>} */
export class BendFigure extends LivingFigure {
  /**
   * @param {ParentNode} root
   * @param {(act: BendAct) => void} send
   */
  constructor(root, send) {
    super(root, send);
    /** @type {CurvePoint[]} */
    this.points = [];
    this.curve = "";
    this.up = /** @type {[number, number]} */ ([-1, 1]);
    /** @type {CurvePoint} */
    this.cursor = [0, 0];
    this.busy = false;
    const { again, stop } = this.parts;
    again.addEventListener("click", () => this.ask({ curve: this.curve }));
    stop.addEventListener("click", () => this.send({ stop: true, edit: this.edit }));
    for (const name of MODELS) this.listen(this.parts[name]);
    this.begin();
  }

  /** Show the chosen curve and the state of the training. @param {BendWords} words */
  tell({ curve, curves, edit, points, busy }) {
    // The message is older than the visitor's last edit, whose points were already sent to Python.
    const late = edit < this.edit;
    if (points && !late) this.points = points;
    this.edit = Math.max(this.edit, edit);
    this.curve = curve;
    this.parts.curves.replaceChildren(...curves.map(({ name, title, words }) =>
      pushButton(() => this.ask({ curve: name }), { title: words, "aria-pressed": name === curve }, title)));
    if (!late) this.wait(busy);
  }

  /** Show the state of the training; during a training, the curves belong to earlier points. @param {string | null} words */
  wait(words) {
    const { stop, doing } = this.parts;
    this.busy = Boolean(words);
    stop.hidden = !words;
    doing.textContent = words ?? "Click in a picture to add a point. Click on a point to remove it.";
    this.root.dataset.busy = String(this.busy);
    this.draw();
  }

  /** Show a result. @param {Uint8Array} bytes */
  load(bytes) {
    const frame = readFrame(bytes);
    this.frame = frame;
    const { header, arrays } = frame;
    if (header.edit >= this.edit) this.points = Array.from(arrays.x, (x, i) => [x, arrays.y[i]]);
    this.up = roomFor([arrays.y, arrays.truth, arrays.shallow_mean, arrays.deep_mean]);
    for (const name of MODELS) this.parts[`${name}-words`].replaceChildren(...this.scores(name));
    this.parts.verdict.textContent = verdictInWords(header.shallow.score, header.deep.score);
    this.parts["warp-words"].textContent = warpInWords(header.verdicts);
    this.describe();
    this.draw();
  }

  /**
   * Return the density and bound of a model; the better values are marked. The bound of two layers is looser; if it
   * is lower, this is no evidence for one layer.
   * @param {"shallow" | "deep"} name
   */
  scores(name) {
    const { header } = /** @type {import("../kit/frame.js").Frame} */ (this.frame);
    const other = header[name === "deep" ? "shallow" : "deep"];
    const said = [["score", "Unseen points", "nats each"], ["bound", "evidence bound", "nats"]].flatMap(([key, title, unit]) => {
      const better = header[name][key] > other[key] + ALIKE && (key === "score" || name === "deep");
      return [`${title} `, element("span", better ? { class: "better" } : {}, `${formatNumber(header[name][key], 3)} ${unit}`), " · "];
    });
    return said.slice(0, -1);
  }

  describe() {
    const { header } = /** @type {import("../kit/frame.js").Frame} */ (this.frame);
    for (const name of MODELS) {
      const { bound, score } = header[name];
      this.parts[name].setAttribute("aria-label",
        `${name === "deep" ? "Two layers" : "One layer"} on ${this.points.length} points: bound ${formatNumber(bound, 3)}, ` +
        `unseen points ${formatNumber(score, 3)}. Arrow keys move a cross, Enter adds or removes a point there.`);
    }
    this.parts.warp.setAttribute("aria-label", "The first layer's output over the input: steep where it stretches the input, flat where it compresses it.");
  }

  // --- what a visitor does --------------------------------------------------------------------

  /** @param {Omit<BendAct, "edit">} act */
  ask(act) {
    this.edit += 1;
    if (act.points) this.wait("Training both models again …");
    this.send({ ...act, edit: this.edit });
  }

  /** @param {HTMLCanvasElement} canvas */
  listen(canvas) {
    canvas.addEventListener("click", (event) => {
      const { left, top } = canvas.getBoundingClientRect();
      const graph = this.graphOf(canvas);
      this.cursor = graph.numbers(event.clientX - left, event.clientY - top);
      this.change(graph);
    });
    canvas.addEventListener("keydown", (event) => {
      const way = ARROWS[event.key];
      if (way) {
        this.cursor = [this.cursor[0] + 2 * STEP * way[0], this.cursor[1] + STEP * way[1] * (this.up[1] - this.up[0])];
        this.draw();
      } else if (event.key === "Enter" || event.key === " ") this.change(this.graphOf(canvas));
      else return;
      event.preventDefault();
    });
    canvas.addEventListener("focus", () => this.draw());
    canvas.addEventListener("blur", () => this.draw());
  }

  /** Add a point at the cursor, or remove the point at this position. @param {Graph} graph */
  change(graph) {
    const [px, py] = graph.pixel(...this.cursor);
    const away = this.points.map(([x, y]) => Math.hypot(graph.pixel(x, y)[0] - px, graph.pixel(x, y)[1] - py));
    const nearest = away.indexOf(Math.min(...away));
    const taken = nearest >= 0 && away[nearest] <= NEAR;
    if (!taken && Math.abs(this.cursor[0]) > 1) return;
    this.points = taken ? this.points.filter((_, i) => i !== nearest) : [...this.points, this.cursor];
    this.parts.announce.textContent = `${taken ? "Removed" : "Added"}: ${counted(this.points.length, "point")}`;
    this.ask({ points: this.points });
  }

  // --- drawing --------------------------------------------------------------------------------

  /** @override */
  drawMoving() {
    this.drawCurves();
  }

  /** @param {HTMLCanvasElement} canvas */
  graphOf(canvas) {
    return new Graph(canvas, [-1.02, 1.02], this.up, this.theme);
  }

  /** @override */
  draw() {
    this.drawCurves();
    this.drawWarp();
  }

  drawCurves() {
    if (!this.frame || !this.parts.deep.clientWidth) return;
    const { arrays, header } = this.frame;
    const { theme } = this;
    const { grid } = arrays;
    const place = this.moving ? (performance.now() / FRAME_MS) % header.frames : 0;
    for (const name of MODELS) {
      const canvas = this.parts[name];
      const graph = this.graphOf(canvas);
      graph.axes();
      graph.context.save();
      graph.context.beginPath();
      graph.context.rect(...graph.pixel(-1.02, this.up[1]), graph.width, graph.height - 30);
      graph.context.clip();
      graph.context.globalAlpha = this.busy ? OLD : 1;
      graph.band(grid, arrays[`${name}_low`], arrays[`${name}_high`], css(theme.accent, theme.dark ? 0.28 : 0.16));
      graph.line(grid, arrays.truth, css(theme.muted), 1.2, [4, 4]);
      for (let s = 0; s < header.paths; s++) graph.line(grid, pathAt(arrays[`${name}_paths`], header, grid.length, s, place), css(theme.accent, 0.55), 1);
      graph.line(grid, arrays[`${name}_mean`], css(theme.accent), 2.4);
      graph.context.globalAlpha = 1;
      for (const [x, y] of this.points) graph.dot(x, y, 3.4);
      if (canvas.matches(":focus-visible")) graph.cross(...this.cursor);
      graph.context.restore();
    }
  }

  drawWarp() {
    if (!this.frame || !this.parts.warp.clientWidth) return;
    const { arrays } = this.frame;
    const { theme, busy } = this;
    const { grid } = arrays;
    const spread = (/** @type {number} */ side) => arrays.warp.map((/** @type {number} */ h, /** @type {number} */ i) => h + 2 * side * arrays.warp_std[i]);
    const [low, high] = [spread(-1), spread(1)];
    const graph = new Graph(this.parts.warp, [-1.02, 1.02], roomFor([low, high]), theme);
    graph.axes();
    graph.context.globalAlpha = busy ? OLD : 1;
    graph.band(grid, low, high, css(theme.accent, theme.dark ? 0.28 : 0.16));
    graph.line(grid, arrays.warp, css(theme.accent), 2.4);
  }
}

/**
 * Return a path between two of its frames.
 * @param {Float32Array} paths frames × paths × grid
 * @param {{ frames: number, paths: number }} sizes
 * @param {number} width of the grid
 * @param {number} s the number of the path
 * @param {number} place the number of a frame, or a number between two frames
 */
export function pathAt(paths, { frames, paths: count }, width, s, place) {
  const before = Math.floor(place);
  const share = place - before;
  const [from, to] = [before, (before + 1) % frames].map((f) => (f * count + s) * width);
  return Float64Array.from({ length: width }, (_, i) => (1 - share) * paths[from + i] + share * paths[to + i]);
}

/**
 * Describe which model gives held-out points the higher density. The ratio is the geometric mean, over the
 * points, of the ratio of the densities.
 * @param {number} shallow mean log density of a point
 * @param {number} deep
 */
export function verdictInWords(shallow, deep) {
  const gain = deep - shallow;
  if (Math.abs(gain) <= ALIKE) return "One layer is enough here: both models predict unseen points equally well.";
  const ratio = Math.exp(Math.abs(gain));
  const times = ratio > 1000 ? "more than 1,000 times" : `${formatNumber(ratio, ratio < 10 ? 2 : 3)} times`;
  const [who, than] = gain > 0 ? ["two layers", "one layer"] : ["one layer", "two layers"];
  return `Here ${who} predict${gain > 0 ? "" : "s"} better: an unseen point is ${times} as likely under ${who} as under ${than}, on average.`;
}

/** Describe the effect of the hidden layer. @param {string[]} verdicts one per layer, the top layer first */
export function warpInWords([first]) {
  if (first.includes("on unchanged")) return "It passes its inputs on unchanged, because bending does not help here.";
  if (first.includes(" off")) return "It is off, so its output is only noise. Another point may turn it on again.";
  return "It bends the input for the second layer: where this line is steep, it stretches the input; where it is flat, it compresses the input. The second layer can then be smooth.";
}
