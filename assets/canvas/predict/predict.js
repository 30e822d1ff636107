// The tab Predict: sliders for the inputs, the answer with its interval, and the effects of the inputs.

import { element } from "../kit/dom.js";
import { decimalsOf, formatData, formatFixed, formatNumber } from "../kit/format.js";
import { dragged } from "../kit/pointing.js";
import { Shell } from "../kit/shell.js";
import { INTERVAL, Regression } from "../geometry/regression.js";
import { drawPlane, drawScale, drawSlice } from "./drawn.js";
import { LayersPanel } from "./layers.js";
import { gridOf, rangeOf, Sliders } from "./sliders.js";
import { Graph } from "../deep/graph.js";

const MOST_SLICES = 12; // the most curves; with more inputs, those that change the answer most have curves
const BUDGET = 5; // milliseconds per frame for curves; the remaining curves follow in the next frames
const IDLE = 120; // milliseconds without a change before the plane is drawn in full
const [COARSE, FINE] = [12, 44]; // cells of the plane along each input, while moving and at rest
const NOTHING_SEEN = 0.005; // as a fraction of the target's range; a smaller change counts as no effect
const GUESS = 0.8; // an answer is a guess if its uncertainty is above this fraction of the uncertainty far from all rows

/** The part of the state that is stored in a link. @typedef {{ at: (number | null)[] }} PredictPlace */

export class PredictFigure extends Shell {
  /**
   * @param {ParentNode} root
   * @param {Uint8Array} bytes
   * @param {(number | null)[] | null} at inputs of the last visit
   * @param {(place: PredictPlace) => void} keep
   */
  constructor(root, bytes, at, keep) {
    super(root);
    this.model = new Regression(bytes);
    this.keep = keep;
    const { inputs, header } = this.model;
    const known = at?.length === inputs.length ? at.map((value) => value ?? NaN) : null;
    /** The inputs in their own units; NaN: unknown. */
    this.x = Float64Array.from(inputs, ({ middle }, q) => (known ? known[q] : middle));
    if (!this.model.averages) this.x.forEach((value, q) => { if (Number.isNaN(value)) this.x[q] = inputs[q].middle; });
    /** The deviation of the function where no row is near. */
    this.farthest = this.model.answer(inputs.map(({ low, high }) => high + 20 * (high - low))).doubt;
    const room = 0.35 * (header.high - header.low);
    /** @type {[number, number]} */
    this.up = [header.low - room, header.high + room];
    this.sliders = new Sliders(this.parts.list, this.model, this.x, (q, value) => this.set(q, value));
    this.order = this.byEffect();
    this.shown = this.order.slice(0, MOST_SLICES).sort((a, b) => a - b);
    this.canvases = this.shown.map((q) => this.sliceOf(q));
    this.parts.slices.replaceChildren(...this.canvases.map(({ figure }) => figure));
    this.parts.more.hidden = inputs.length <= MOST_SLICES;
    this.parts.more.textContent = `The figures show the ${MOST_SLICES} of ${inputs.length} inputs that change the answer most.`;
    this.parts.target.textContent = header.target;
    this.choosePlane();
    this.deep = this.model.layers.length > 1 ? new LayersPanel(this.parts, this.model, this.order[0]) : null;
    this.parts.deep.hidden = !this.deep;
    this.deep?.onChange(() => this.changed());
    this.parts.reset.addEventListener("click", () => this.setAll(inputs.map(({ middle }) => middle)));
    this.parts.row.addEventListener("click", () => this.takeRow());
    /** The curves that must be drawn again. @type {number[]} */
    this.waiting = [];
    this.rested = false;
    this.timer = 0;
    this.observe(this.root);
    this.root.dataset.ready = "true";
    this.changed();
  }

  // --- what a visitor does --------------------------------------------------------------------

  /** @param {number} q @param {number} value NaN: not known */
  set(q, value) {
    this.x[q] = value;
    this.sliders.show(q, value);
    this.changed();
  }

  /** @param {ArrayLike<number>} values */
  setAll(values) {
    for (let q = 0; q < this.x.length; q++) {
      this.x[q] = Number.isNaN(values[q]) && !this.model.averages ? this.model.inputs[q].middle : values[q];
      this.sliders.show(q, this.x[q]);
    }
    this.changed();
  }

  /** Set the inputs to the next of the page's rows; repeated calls visit all rows in a mixed order. */
  takeRow() {
    const { rows, targets, inputs } = this.model;
    this.at = ((this.at ?? 0) + Math.max(1, Math.floor(0.382 * targets.length))) % targets.length;
    this.setAll(rows.subarray(this.at * inputs.length, (this.at + 1) * inputs.length));
    this.truth = { x: Float64Array.from(this.x), y: targets[this.at] };
    this.changed();
  }

  changed() {
    if (this.truth?.x.some((value, q) => value !== this.x[q] && !Number.isNaN(value))) this.truth = undefined;
    this.waiting = this.canvases.map((_, i) => i);
    this.rested = false;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.rested = true;
      this.paint();
      this.parts.announce.textContent = `${this.model.header.target}: ${this.parts.value.textContent}, ${this.parts.between.textContent}`;
      this.keep({ at: Array.from(this.x, (value) => (Number.isNaN(value) ? null : value)) });
    }, IDLE);
    this.paint();
  }

  /** @override */
  resize() {
    this.changed();
  }

  /** @override */
  recolour() {
    this.changed();
  }

  // --- parts ----------------------------------------------------------------------------------

  /** Return the inputs, beginning with the input that changes the answer most. */
  byEffect() {
    const effects = this.model.inputs.map(({ low, high, words }, q) => {
      const means = this.model.along(this.x, q, words.length ? words.map((_, k) => k) : [low, (low + high) / 2, high]).map(({ mean }) => mean);
      return Math.max(...means) - Math.min(...means);
    });
    return effects.map((_, q) => q).sort((a, b) => effects[b] - effects[a]);
  }

  /** @param {number} q */
  sliceOf(q) {
    const input = this.model.inputs[q];
    const canvas = element("canvas", { role: "img" });
    const words = element("span");
    const figure = element("figure", {}, canvas, element("figcaption", {}, element("b", { title: input.name }, input.name), words));
    const take = (/** @type {PointerEvent} */ event) => {
      const graph = new Graph(canvas, rangeOf(input), this.up, this.theme, true);
      const [value] = graph.numbers(event.clientX - canvas.getBoundingClientRect().left, 0);
      this.set(q, this.sliders.rounded(q, Math.min(Math.max(value, input.low), input.high)));
    };
    dragged(canvas, take);
    return { q, figure, canvas, words };
  }

  choosePlane() {
    const { inputs } = this.model;
    this.parts.both.hidden = inputs.length < 2;
    if (inputs.length < 2) return;
    const [first, second] = this.order;
    for (const [name, chosen] of /** @type {[string, number][]} */ ([["across", first], ["up", second]])) {
      const select = /** @type {HTMLSelectElement} */ (this.parts[name]);
      select.replaceChildren(...inputs.map((input, q) => element("option", { value: q, ...(q === chosen ? { selected: "" } : {}) }, `${name === "across" ? "Across" : "Up"}: ${input.name}`)));
      select.addEventListener("change", () => {
        const other = /** @type {HTMLSelectElement} */ (this.parts[name === "across" ? "up" : "across"]);
        if (other.value === select.value) other.value = String(inputs.findIndex((_, q) => String(q) !== select.value));
        this.changed();
      });
    }
    dragged(this.parts.plane, (event) => {
      const [a, b] = this.pair;
      const { left, top } = this.parts.plane.getBoundingClientRect();
      const graph = new Graph(this.parts.plane, rangeOf(inputs[a]), rangeOf(inputs[b]), this.theme, true);
      const place = graph.numbers(event.clientX - left, event.clientY - top);
      [a, b].forEach((q, i) => {
        const { low, high } = inputs[q];
        this.set(q, this.sliders.rounded(q, Math.min(Math.max(place[i], low), high)));
      });
    });
  }

  /** @returns {[number, number]} */
  get pair() {
    return [Number(this.parts.across.value), Number(this.parts.up.value)];
  }

  // --- drawing --------------------------------------------------------------------------------

  /** @override */
  draw() {
    if (!this.root.clientWidth) return;
    const begun = performance.now();
    this.drawAnswer();
    while (this.waiting.length && performance.now() - begun < BUDGET) this.drawSlice(/** @type {number} */ (this.waiting.shift()));
    if (!this.waiting.length && performance.now() - begun < BUDGET) this.drawRest();
    else this.paint();
  }

  drawAnswer() {
    const { parts, model, x } = this;
    const { header } = model;
    const answer = model.answer(x);
    const width = header.high - header.low;
    const [low, high] = [-1, 1].map((side) => answer.mean + side * INTERVAL * answer.deviation);
    parts.value.textContent = formatFixed(answer.mean, width);
    parts.between.textContent = `95 of 100 such rows are between ${formatFixed(low, width)} and ${formatFixed(high, width)}`;
    const far = answer.doubt > GUESS * this.farthest;
    const unknown = x.filter(Number.isNaN).length;
    parts.doubt.textContent = far ? "This is a guess, because no row of the data is near these inputs."
      : this.truth ? `The true value in this row of the data is ${formatData(this.truth.y, decimalsOf([this.truth.y]), width)}.`
        : unknown ? `${unknown === 1 ? "One input is unknown" : `${unknown} inputs are unknown`}, so the answer is an average over ${unknown === 1 ? "its" : "their"} values.` : "";
    drawScale(parts.scale, model, answer, this.up, this.theme, this.truth?.y);
    parts.scale.setAttribute("aria-label", `The interval on the range of the data, ${formatFixed(header.low, width)} to ${formatFixed(header.high, width)}.`);
  }

  /** @param {number} i */
  drawSlice(i) {
    const { q, canvas, words } = this.canvases[i];
    const { low, high, name, words: named } = this.model.inputs[q];
    const grid = gridOf(this.model.inputs[q]);
    const answers = this.model.along(this.x, q, grid);
    drawSlice(canvas, this.model, q, grid, answers, this.x, this.up, this.theme);
    const means = answers.map(({ mean }) => mean);
    const width = this.model.header.high - this.model.header.low;
    const change = Math.max(...means) - Math.min(...means);
    words.textContent = change < NOTHING_SEEN * width ? "no effect" : `${formatFixed(Math.min(...means), width)} to ${formatFixed(Math.max(...means), width)}`;
    canvas.setAttribute("aria-label", `${this.model.header.target} over ${name}: from ${formatNumber(means[0])} at ${named[0] ?? formatNumber(low)} to ${formatNumber(means[means.length - 1])} at ${named[named.length - 1] ?? formatNumber(high)}. Use the ${named.length ? "menu" : "slider"} of ${name} to change it.`);
  }

  drawRest() {
    const { parts, model, theme } = this;
    if (!parts.both.hidden) {
      drawPlane(parts.plane, model, this.pair, this.x, this.rested ? FINE : COARSE, theme);
      const width = model.header.high - model.header.low;
      parts["key-low"].textContent = formatFixed(model.header.low, width);
      parts["key-high"].textContent = formatFixed(model.header.high, width);
      const [a, b] = this.pair.map((q) => model.inputs[q].name);
      parts.plane.setAttribute("aria-label", `${model.header.target} over ${a} and ${b}, as colours. Move the point with the sliders of these inputs.`);
    }
    if (this.rested) this.deep?.draw(this.x, theme);
  }

  /** @override */
  stop() {
    clearTimeout(this.timer);
    super.stop();
  }
}
