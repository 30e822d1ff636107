// A figure of draws from priors of depth 1 to 10, with one input and with two inputs.

import { contextOf, fitCanvas } from "../kit/dom.js";
import { Shell } from "../kit/shell.js";
import { css, heatColour } from "../kit/theme.js";
import { drawnLayers, flatShare } from "./composed.js";
import { Graph, roomFor } from "./graph.js";

/** @typedef {{ depth: number, draw: number, sees: boolean }} PriorPlace */

const MOST_LAYERS = 10;
const LINE = Float64Array.from({ length: 601 }, (_, i) => -4 + (8 * i) / 600);
const SIDE = 48;
const SQUARE = [0, 1].map((axis) => Float64Array.from({ length: SIDE * SIDE }, (_, n) => -3 + (6 * (axis ? Math.floor(n / SIDE) : n % SIDE)) / (SIDE - 1)));

export class PriorFigure extends Shell {
  /**
   * @param {ParentNode} root
   * @param {PriorPlace} place
   * @param {(place: PriorPlace) => void} onChange
   */
  constructor(root, place, onChange) {
    super(root);
    this.place = { ...place };
    this.onChange = onChange;
    const { depth, draw, sees } = this.parts;
    depth.addEventListener("input", () => this.change({ depth: Number(depth.value) }));
    draw.addEventListener("click", () => this.change({ draw: this.place.draw + 1 }));
    sees.addEventListener("click", () => this.change({ sees: !this.place.sees }));
    this.observe(this.root);
    this.compose();
    this.show();
    this.root.dataset.ready = "true";
  }

  /** @param {Partial<PriorPlace>} part */
  change(part) {
    Object.assign(this.place, part);
    if (part.depth === undefined) this.compose();
    this.show();
    this.onChange(this.place);
  }

  /** Make a new draw, whose layers are used for all depths. */
  compose() {
    const { draw, sees } = this.place;
    const layers = drawnLayers([LINE], draw, sees);
    this.lines = Array.from({ length: MOST_LAYERS }, () => layers.next().value[0]);
    /** The layers of the square that are already computed; the square takes longer than the line. @type {Float64Array[]} */
    this.squares = [];
    this.further = drawnLayers(SQUARE, 7919 + draw, sees);
  }

  /** Return the square of the present depth. */
  square() {
    const squares = /** @type {Float64Array[]} */ (this.squares);
    while (squares.length < this.place.depth) squares.push(/** @type {any} */ (this.further).next().value[0]);
    return squares[this.place.depth - 1];
  }

  show() {
    const { depth, sees } = this.place;
    this.parts.depth.value = String(depth);
    this.parts.number.textContent = String(depth);
    this.parts.sees.setAttribute("aria-pressed", String(sees));
    this.parts.words.textContent = this.words();
    const what = `${depth === 1 ? "one layer" : `${depth} layers`}${sees ? ", each of which receives the input" : ""}`;
    this.parts.line.setAttribute("aria-label", `A random function of one input, drawn from ${what}`);
    this.parts.square.setAttribute("aria-label", `A random function of two inputs, drawn from ${what}, shown as colours`);
    this.draw();
  }

  words() {
    const { depth, sees } = this.place;
    const flat = Math.round(100 * flatShare(LINE, /** @type {Float64Array[]} */ (this.lines)[depth - 1]));
    const seen = `The function is nearly flat on ${flat} % of this line.`;
    if (depth === 1) return `${seen} With one layer, it varies in the same way everywhere.`;
    if (sees) return `${seen} Since every layer receives the input, no information about it is lost.`;
    const same = "If one layer gives two inputs the same value, no later layer can distinguish them";
    if (depth < 4) return `${seen} ${same}.`;
    return `${seen} ${same}: plateaus arise, with steep parts between them.`;
  }

  /** @override */
  draw() {
    const { theme, place } = this;
    const { line, square } = this.parts;
    if (!line.clientWidth || !this.lines) return;
    const graph = new Graph(line, [-4, 4], roomFor(this.lines), theme);
    graph.axes();
    for (let layer = 0; layer < place.depth - 1; layer++) graph.line(LINE, this.lines[layer], css(theme.muted, 0.22), 1);
    graph.line(LINE, this.lines[place.depth - 1], css(theme.accent), 2.2);
    const side = square.clientWidth;
    const values = this.square();
    const [low, high] = roomFor([values]);
    const picture = new ImageData(SIDE, SIDE);
    values.forEach((value, n) => picture.data.set([...heatColour((value - low) / (high - low)), 255], 4 * n));
    const small = document.createElement("canvas");
    [small.width, small.height] = [SIDE, SIDE];
    contextOf(small).putImageData(picture, 0, 0);
    fitCanvas(square, side, side).drawImage(small, 0, 0, side, side);
  }

}
