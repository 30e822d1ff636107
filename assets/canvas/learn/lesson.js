// The figure of a stop of the tour: it draws the picture from the server, and sends the visitor's changes back.

import { element } from "../kit/dom.js";
import { readFrame } from "../kit/frame.js";
import { LivingFigure } from "../kit/living.js";
import { css } from "../kit/theme.js";
import { lessonControl } from "./controls.js";
import { HandOn } from "./hand_on.js";
import { lessonInk, LessonGraph } from "./lesson_graph.js";
import { Picker } from "./picker.js";

/** @import { LessonControl, LessonState } from "./controls.js" */
/** @import { LessonPanel } from "./lesson_graph.js" */
/** @typedef {{ status: "ready" | "playing" | "paused" | "ended", words: string }} LessonTraining */
/** @typedef {{ state?: LessonState, train?: string, edit: number }} LessonAct */
/** @typedef {{ stop: string, controls: LessonControl[], state: LessonState, usual: LessonState, edit: number, training: LessonTraining | null }} LessonWords */

const LOOP_MS = 7000; // one loop of the moving curves
const WAIT_MS = 1500; // the next change is sent after this time, even if the last change has no answer

/** @extends {LivingFigure<LessonAct>} */
export class LessonFigure extends LivingFigure {
  /**
   * @param {ParentNode} root
   * @param {(act: LessonAct) => void} send
   */
  constructor(root, send) {
    super(root, send);
    /** @type {LessonState} */
    this.state = {};
    /** @type {Map<string, { node: HTMLElement, show: (value: any) => void }>} */
    this.controls = new Map();
    /** @type {{ canvas: HTMLCanvasElement, legend: HTMLElement, title: HTMLElement, hand: HandOn, picker: Picker, graph: LessonGraph | null }[]} */
    this.places = [];
    /** @type {LessonState | undefined} */
    this.usual = undefined;
    this.sent = 0; // the number of the last edit that was sent
    this.answered = 0; // the number of the last edit whose picture has arrived
    this.sentAt = 0;
    const { again, play, step, restart } = this.parts;
    again.addEventListener("click", () => this.change({ ...this.usual }));
    for (const [button, train] of [[step, "step"], [restart, "restart"]]) button.addEventListener("click", () => this.sendTraining({ train }));
    play.addEventListener("click", () => this.sendTraining({ train: this.training?.status === "playing" ? "pause" : "play" }));
    this.begin();
  }

  /** @param {LessonWords} words */
  tell({ stop, controls, state, usual, edit, training }) {
    this.root.dataset.stop = stop;
    if (!this.usual) {
      for (const control of controls) {
        const made = lessonControl(control, (value) => this.change({ [control.name]: value }));
        this.controls.set(control.name, made);
      }
      this.parts.controls.prepend(...[...this.controls.values()].map(({ node }) => node));
      this.usual = usual;
    }
    if (edit >= this.edit) this.show(state);
    this.edit = Math.max(this.edit, edit);
    this.training = training;
    this.parts.training.hidden = !training;
    if (training) {
      const { play, step, restart, doing } = this.parts;
      const { status } = training;
      play.textContent = { ready: "Train", playing: "Pause", paused: "Resume", ended: "Train" }[status];
      play.disabled = status === "ended";
      step.disabled = status === "playing" || status === "ended";
      restart.disabled = status === "ready";
      doing.textContent = training.words;
    }
    this.root.dataset.status = training?.status ?? "";
  }

  /** @param {LessonState} state */
  show(state) {
    this.state = { ...state };
    for (const [name, { show }] of this.controls) show(state[name]);
    this.parts.again.disabled = JSON.stringify(this.state) === JSON.stringify(this.usual);
  }

  /** Show a picture from the server. @param {Uint8Array} bytes */
  load(bytes) {
    const frame = readFrame(bytes);
    this.frame = frame;
    this.answered = Math.max(this.answered, frame.header.edit);
    this.make(frame.header.panels);
    this.parts.words.replaceChildren(...frame.header.words.map((/** @type {string} */ words) => element("p", {}, words)));
    this.parts.moving.hidden = !this.loops();
    this.root.dataset.shown = String(frame.header.edit);
    this.draw();
    if (this.edit > this.sent) this.sendState();
  }

  /** Make canvases for the panels, or reuse those that exist. @param {LessonPanel[]} panels */
  make(panels) {
    if (this.places.length !== panels.length) {
      this.letGo();
      this.places = panels.map((_, p) => {
        const canvas = element("canvas");
        const [title, legend] = [element("h3"), element("figcaption")];
        return { canvas, legend, title, hand: new HandOn(canvas, this, p), picker: new Picker(canvas, this, p), graph: null };
      });
      this.parts.panels.replaceChildren(...this.places.map(({ canvas, legend, title }) => element("figure", {}, title, canvas, legend)));
    }
    this.parts.panels.dataset.count = String(panels.filter(({ wide }) => !wide).length);
    panels.forEach((panel, p) => {
      const { canvas, legend, title, hand } = this.places[p];
      title.textContent = panel.title;
      canvas.setAttribute("aria-label", panel.alt + (panel.hand ? hand.help() : ""));
      canvas.setAttribute("role", panel.hand ? "application" : "img");
      if (panel.hand) canvas.tabIndex = 0;
      canvas.dataset.hand = panel.hand ? (panel.hand.up === null ? "free" : "across") : "";
      canvas.style.height = `${17 * panel.tall}rem`;
      if (canvas.parentElement) canvas.parentElement.className = panel.wide ? "wide" : "";
      const titled = panel.marks.filter((mark) => mark.title);
      if (panel.hand) titled.push({ kind: "dots", arrays: {}, title: panel.hand.title, ink: "warm" });
      legend.replaceChildren(...titled.map((mark) => {
        const ink = css(lessonInk(mark.ink, this.theme), mark.kind === "band" ? 0.35 : 1);
        return element("span", { class: mark.dashed ? "dashed" : mark.kind }, element("i", { style: `--ink:${ink}` }), mark.title);
      }));
    });
  }

  loops() {
    return Boolean(this.frame?.header.panels.some((/** @type {LessonPanel} */ { marks }) => marks.some((mark) => mark.frames)));
  }

  // --- the visitor's changes --------------------------------------------------------------------

  /** @param {LessonState} part */
  change(part) {
    this.edit += 1;
    this.show({ ...this.state, ...part });
    // Send the next edit only after the last edit's answer, because only the newest state matters.
    const waited = performance.now() - this.sentAt;
    if (this.answered >= this.sent || waited > WAIT_MS) this.sendState();
  }

  sendState() {
    this.sent = this.edit;
    this.sentAt = performance.now();
    this.send({ state: this.state, edit: this.edit });
  }

  /** @param {{ train: string }} what */
  sendTraining({ train }) {
    this.send({ train, edit: this.edit });
  }

  /** @param {string} words */
  announce(words) {
    this.parts.announce.textContent = words;
  }

  // --- drawing --------------------------------------------------------------------------------

  /** @override */
  drawMoving() {
    if (this.loops()) this.draw();
  }

  /** @param {number} p */
  graphOf(p) {
    const zoom = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    return new LessonGraph(this.places[p].canvas, this.frame?.header.panels[p], this.theme, zoom);
  }

  /** @override */
  draw() {
    if (!this.frame) return;
    const { header, arrays } = this.frame;
    const place = this.moving ? (performance.now() % LOOP_MS) / LOOP_MS : 0;
    this.places.forEach((placed, p) => {
      const { canvas, hand } = placed;
      if (!canvas.clientWidth) return;
      const graph = this.graphOf(p);
      graph.axes();
      graph.marks(arrays, header.palette, place);
      hand.draw(graph);
      placed.graph = graph;
    });
  }

  /** @override */
  recolour() {
    if (this.frame) this.make(this.frame.header.panels);
    this.draw();
  }

  /** @override */
  stop() {
    super.stop();
    this.letGo();
  }

  letGo() {
    for (const { hand, picker } of this.places) {
      hand.stop();
      picker.stop();
    }
  }
}
