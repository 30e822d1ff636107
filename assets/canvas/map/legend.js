// The legend of the dots' colours in an exported figure.

import { contextOf } from "../kit/dom.js";
import { bareStyle, css, heatColour, labelStyle, tracePath } from "../kit/theme.js";
import { bareName } from "./colours.js";

/** @import { MapState } from "./scene.js" */
/** @import { LatentPoints } from "../geometry/points.js" */

const LINE = 22; // CSS pixels from a line of names to the next line
const ROOM = 20; // space around a mark and a name
const SCALE = { width: 120, height: 10, steps: 40 };

/** A legend: names with their marks, in lines of a given width, or the scale of a fact. */
export class Legend {
  /** @param {LatentPoints} model @param {MapState} state @param {number} width in CSS pixels */
  constructor(model, state, width) {
    this.model = model;
    this.state = state;
    this.font = `13px ${state.theme.font}`;
    this.measuring = contextOf(document.createElement("canvas"));
    this.measuring.font = this.font;
    /** @type {{ label: number, name: string, x: number, y: number }[]} */
    this.names = [];
    let [x, y] = [0, LINE / 2];
    const words = state.factor < 0 ? null : model.factorWords(state.factor);
    const labels = model.inOrder(words ? Array.from(words.keys()) : state.factor < 0 ? model.presentLabels() : [], words ?? model.header.label_names);
    this.scale = state.factor >= 0 && !words;
    if (labels.length && model.lacks(state.factor)) labels.push(-1);
    for (const label of labels) {
      const name = label < 0 ? bareName(state.factor) : words?.[label] ?? model.header.label_names[label] ?? String(label);
      const wide = ROOM + this.measuring.measureText(name).width + ROOM;
      if (x && x + wide > width) [x, y] = [0, y + LINE];
      this.names.push({ label, name, x, y });
      x += wide;
    }
    if (this.names.length < 2) this.names = [];
    this.height = this.scale ? LINE : this.names.length ? y + LINE / 2 : 0;
  }

  /** @param {CanvasRenderingContext2D} context @param {number} top */
  draw(context, top) {
    const { theme, factor } = this.state;
    context.save();
    context.translate(0, top);
    context.font = this.font;
    context.textAlign = "left";
    context.textBaseline = "middle";
    if (this.scale) this.drawScale(context, factor);
    for (const { label, name, x, y } of this.names) {
      const { colour, marker } = label < 0 ? bareStyle(theme) : labelStyle(label, this.model.header.palette, theme);
      tracePath(context, marker, x + 7, y, 4.4);
      context.fillStyle = css(colour);
      context.fill();
      context.fillStyle = css(theme.text);
      context.fillText(name, x + ROOM, y);
    }
    context.restore();
  }

  /** @param {CanvasRenderingContext2D} context @param {number} factor */
  drawScale(context, factor) {
    const [low, high] = this.model.factorRange(factor);
    const begin = `${this.model.factorNames[factor]}: ${this.model.factorText(factor, low)}`;
    const left = this.measuring.measureText(begin).width + 8;
    const step = SCALE.width / SCALE.steps;
    for (let i = 0; i < SCALE.steps; i++) {
      context.fillStyle = css(heatColour(i / (SCALE.steps - 1)));
      context.fillRect(left + i * step, (LINE - SCALE.height) / 2, step, SCALE.height);
    }
    context.fillStyle = css(this.state.theme.text);
    context.fillText(begin, 0, LINE / 2);
    context.fillText(this.model.factorText(factor, high), left + SCALE.width + 8, LINE / 2);
  }
}
