// The painter: one row, a brush that hides parts of the row, and the model's completion. It does not depend on
// Streamlit: it calls actions.paint({item, mask, number}) when a stroke ends, and receives results as
// bytes.

import { pushButton } from "../kit/dom.js";
import { readFrame } from "../kit/frame.js";
import { Shell } from "../kit/shell.js";
import { START_TURN, turnBy, turnable } from "../kit/turn.js";
import { Brush } from "./brush.js";
import { cellsFor } from "./cells.js";
import { HiddenRow, maskOfText } from "./hidden_row.js";
import { PainterPictures } from "./pictures.js";
import { Possibilities } from "./possibilities.js";
import { Strip, rowsOf } from "./strip.js";
import { answerInWords } from "./words.js";

/** @import { Cells } from "./cells.js" */
/** @import { Answer, PainterState } from "./pictures.js" */
/** @import { StripRow } from "./strip.js" */

const KEYS_SETTLE_MS = 350; // after keys, the mask is sent after this pause
const MOST_UNDO = 100;

export class Painter extends Shell {
  /** The chosen row; undefined until rows have arrived. @type {HiddenRow} */
  row;
  /** @type {Cells} */
  cells;
  /** The completion of the current row and mask. @type {Answer | null} */
  answer = null;
  /** The rows' header. @type {any} */
  header;
  /** The offered rows. @type {StripRow[]} */
  rows = [];
  /** The masks by id. @type {Map<string, Uint8Array>} */
  masks = new Map();
  /** @type {Set<string>} */
  touched = new Set();
  /** Earlier masks by id. @type {Map<string, Uint8Array[]>} */
  past = new Map();
  /** The number of the last request. */
  number = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;

  /**
   * root: the element with painter.html; actions: {paint(question) sends a mask, more() asks for other rows}.
   * @param {ParentNode} root
   * @param {{ paint: (question: { item: string, mask: string, number: number }) => void, more: () => void }} actions
   */
  constructor(root, actions) {
    super(root, "painter");
    this.actions = actions;
    /** @type {PainterState} */
    this.state = { theme: this.theme, turn: { ...START_TURN }, compare: false };
    this.pictures = new PainterPictures(this.parts, this.state);
    this.possibilities = new Possibilities(this.parts.possibilities, this.state);
    this.strip = new Strip(this.parts.strip, this.state, { choose: (id) => this.choose(id), more: () => actions.more() });
    this.brush = new Brush(this.parts.item, this.parts.brush, {
      frame: () => this.pictures.frame(this.row, this.answer),
      cells: () => this.cells,
      row: () => (this.pictures.size ? this.row : null),
      stroke: () => this.remember(),
      done: (/** @type {boolean} */ changed) => {
        if (changed) this.finish();
        else this.past.get(this.row.id)?.pop();
        this.paint();
      },
      settle: () => {
        this.words();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.finish(), KEYS_SETTLE_MS);
      },
      undo: () => this.undo(),
      paint: () => this.paint(),
      say: (/** @type {string} */ words) => (this.parts.announce.textContent = words),
    });
    this.buttons();
    for (const name of ["mean", "std"]) {
      turnable(this.parts[name], () => this.row?.drawing.kind === "skeleton", (yaw, pitch) => {
        turnBy(this.state.turn, yaw, pitch);
        this.paint();
        this.possibilities.draw();
      });
    }
    this.observe(this.root);
  }

  // --- data from Python -----------------------------------------------------------------------

  /**
   * Show the offered rows (framed bytes), the chosen row, and the masks; `touched`: ids of painted rows; `number`:
   * the last question's number.
   * @param {Uint8Array} bytes
   * @param {any} it
   */
  load(bytes, { current, masks, touched, number }) {
    const content = readFrame(bytes);
    const { header } = content;
    this.header = header;
    this.rows = rowsOf(content);
    this.cells = cellsFor(header.drawing, header.cells);
    this.masks = new Map(Object.entries(masks).map(([id, text]) => [id, maskOfText(text, header.cells)]));
    this.touched = new Set(touched);
    this.number = Math.max(this.number, number);
    this.possibilities.drawing = header.drawing;
    this.tools();
    this.strip.show(this.rows, header.drawing, header.more);
    this.choose(this.rows.some(({ id }) => id === current) ? current : this.rows[0].id, false);
    this.resize();
    this.root.dataset.ready = "true";
  }

  /** Return whether a result belongs to the current row and mask. @param {any} it */
  current({ item, mask }) {
    return this.row && item === this.row.id && mask === this.row.text();
  }

  /** Show a completed row, or why there is none. @param {Uint8Array} bytes */
  showAnswer(bytes) {
    const { header, arrays } = readFrame(bytes);
    if (!this.current(header)) return;
    delete this.root.dataset.waiting;
    this.parts.problem.hidden = !header.problem;
    this.parts.problem.textContent = header.problem ?? "";
    this.answer = header.problem ? null : { ...header, ...arrays };
    if (header.problem || !header.summary.hidden) this.possibilities.clear();
    else this.possibilities.expect(header);
    this.root.dataset.answered = `${header.item}|${header.mask}`;
    this.words();
    this.paint();
  }

  /** Show alternatives and samples of the hidden part. @param {Uint8Array} bytes */
  showPossibilities(bytes) {
    const content = readFrame(bytes);
    if (this.current(content.header)) this.possibilities.load(content);
  }

  // --- actions of the visitor -----------------------------------------------------------------

  buttons() {
    const { parts, root, brush } = this;
    const group = (/** @type {string} */ selector, /** @type {(button: HTMLElement) => void} */ chosen) => {
      const buttons = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(selector)]);
      buttons.forEach((button) => button.addEventListener("click", () => {
        buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
        chosen(button);
      }));
    };
    group("[data-tool]", (/** @type {HTMLElement} */ button) => (brush.tool = button.dataset.tool ?? "hide"));
    group("[data-limb]", (/** @type {HTMLElement} */ button) => (brush.limb = Boolean(button.dataset.limb)));
    parts.undo.addEventListener("click", () => this.undo());
    parts.truth.addEventListener("click", () => {
      this.state.compare = !this.state.compare;
      parts.truth.setAttribute("aria-pressed", this.state.compare);
      this.words();
      this.paint();
    });
  }

  /** Show the tools and the ready-made masks for this kind of row. */
  tools() {
    const { parts, header, cells } = this;
    const { kind } = header.drawing;
    parts["brush-field"].hidden = !cells.brushes;
    parts.reach.hidden = kind !== "skeleton";
    if (cells.brushes) {
      const { least, most, first } = cells.brushes;
      Object.assign(parts.brush, { min: least, max: most, step: 1, value: first });
      parts.brush.setAttribute("aria-label", `Brush size in ${header.cell_word[1]}`);
    }
    for (const name of ["mean", "std"]) {
      parts[name].classList.toggle("turns", kind === "skeleton");
      parts[name].tabIndex = kind === "skeleton" ? 0 : -1;
    }
    const random = () => Uint8Array.from({ length: header.cells }, () => (Math.random() < 0.5 ? 1 : 0));
    const ready = [
      ...header.choices.map((/** @type {any} */ { name, mask }) => [name, () => maskOfText(mask, header.cells)]),
      ["Random half", random],
      ["Nothing", () => new Uint8Array(header.cells)],
    ];
    parts.quick.replaceChildren(...ready.map(([name, make]) => {
      const title = name === "Nothing" ? "Show everything again" : `Hide: ${name.toLowerCase()}`;
      return pushButton(() => this.put(make()), { title }, name);
    }));
  }

  /**
   * Choose another row. A complete row that was not painted gets the current mask.
   * @param {string} id
   * @param {boolean} [send]
   */
  choose(id, send = true) {
    const before = this.row?.mask;
    const { values } = this.rows.find((row) => row.id === id) ?? this.rows[0];
    if (send && before && !this.touched.has(id) && !values.some(Number.isNaN)) this.masks.set(id, before.slice());
    this.row = new HiddenRow(this.header, id, values, this.masks.get(id) ?? new Uint8Array(this.header.cells));
    this.answer = null;
    this.possibilities.clear();
    this.strip.mark(id);
    this.words();
    this.paint();
    if (send) this.send();
  }

  /** Set the whole mask. @param {Uint8Array} mask */
  put(mask) {
    this.remember();
    this.row.mask.set(mask);
    this.finish();
  }

  remember() {
    const past = this.past.get(this.row.id) ?? [];
    past.push(this.row.mask.slice());
    this.past.set(this.row.id, past.slice(-MOST_UNDO));
  }

  undo() {
    const past = this.past.get(this.row.id);
    if (!past?.length) return;
    this.row.mask.set(past[past.length - 1]);
    past.pop();
    this.finish();
  }

  finish() {
    this.touched.add(this.row.id);
    this.words();
    this.paint();
    this.send();
  }

  send() {
    clearTimeout(this.timer);
    this.root.dataset.waiting = "true";
    this.parts.problem.hidden = true;
    this.number += 1;
    this.actions.paint({ item: this.row.id, mask: this.row.text(), number: this.number });
  }

  // --- display --------------------------------------------------------------------------------

  /** @override */
  draw() {
    if (this.row && this.pictures.size) this.pictures.draw(this.row, this.cells, this.answer, this.brush.shown());
  }

  /** @override */
  resize() {
    if (!this.row) return;
    this.pictures.resize(this.header.drawing, this.root.clientWidth >= 720);
    this.possibilities.draw();
    this.paint();
  }

  words() {
    const { parts, header, row, answer } = this;
    const hidden = row.gaps();
    const many = (/** @type {number} */ count) => count.toLocaleString("en");
    const count = `${many(hidden)} of ${many(header.cells)} ${header.cell_word[header.cells === 1 ? 0 : 1]} hidden`;
    parts["item-title"].textContent = this.state.compare && row.whole ? "The truth" : "What the model sees";
    parts["item-words"].textContent = `${row.title} · ${hidden ? count : "nothing hidden; paint on the picture"}`;
    parts["mean-title"].textContent = hidden ? "Completed" : "The model's version";
    parts.truth.disabled = !row.whole;
    parts.truth.title = row.whole ? "" : "This row has missing values, so the truth is unknown";
    parts.undo.disabled = !this.past.get(row.id)?.length;
    parts.item.setAttribute("aria-label",
      `${row.title}, ${count}. Arrow keys move the brush, with Shift in larger steps; Space hides or shows; [ and ] change the brush's size; Ctrl+Z undoes a stroke.`);
    if (answer) answerInWords(parts, row, answer, count);
  }

  /** @override */
  recolour() {
    if (!this.row) return;
    this.strip.draw();
    this.possibilities.draw();
    this.paint();
  }

  /** @override */
  stop() {
    clearTimeout(this.timer);
    super.stop();
  }
}
