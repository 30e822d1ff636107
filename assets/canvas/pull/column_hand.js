// The controls that hold one column of a table: a slider over its bar, a field for a number, and a button to let go.

import { element } from "../kit/dom.js";
import { formatFixed, plainNumber } from "../kit/format.js";

/** @import { NumberRow } from "../map/values.js" */
/** @import { HeldNumber } from "./columns.js" */
/** @import { WhatIf } from "./what_if.js" */

export class ColumnHand {
  /** @param {WhatIf} whatIf @param {NumberRow} line @param {number} c @param {string} name @param {HeldNumber} column */
  constructor(whatIf, line, c, name, { low, high, size }) {
    this.whatIf = whatIf;
    /** Whether the column has counts. */
    this.counts = size !== null;
    this.c = c;
    this.name = name;
    this.low = low;
    this.width = high - low;
    this.row = line.row;
    this.text = "";
    /** Whether the visitor is typing. */
    this.writing = false;
    this.slider = element("input", { type: "range", class: "hand", min: low, max: high, step: this.counts ? 1 : "any", "aria-label": `Hold ${name}` });
    this.field = element("input", { type: "number", class: "held", step: this.counts ? 1 : "any", "aria-label": `${name}: number`, title: `Type a number to hold ${name}` });
    this.free = element("button", { type: "button", class: "let-go", title: `Let ${name} go`, "aria-label": `Let ${name} go`, hidden: "" }, "Let go");
    this.target = element("i", { class: "target", hidden: "" });
    this.spread = line.spread;
    line.bar.append(this.target);
    line.bar.after(this.slider);
    line.value.replaceWith(this.field);
    this.row.append(this.free);
    this.row.classList.add("holdable");
    this.slider.addEventListener("input", () => whatIf.set(c, this.rounded(Number(this.slider.value))));
    this.slider.addEventListener("change", () => whatIf.settle());
    this.field.addEventListener("input", () => (this.writing = true));
    this.field.addEventListener("change", () => this.typed());
    this.field.addEventListener("blur", () => this.rest());
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.free.addEventListener("click", () => {
      this.field.focus({ preventScroll: true });
      whatIf.set(c, NaN);
      whatIf.end();
    });
    line.hand = this;
  }

  /** A value with the digits that the page shows. @param {number} value */
  rounded(value) {
    if (this.counts) return Math.round(value);
    return Number(plainNumber(formatFixed(value, this.width)));
  }

  /** Hold the column at the typed number; an empty field releases the column. */
  typed() {
    const { field, whatIf, c, low, width, name } = this;
    const value = field.value === "" ? NaN : Number(field.value);
    const [least, most] = [this.counts ? 0 : low - width, low + 2 * width];
    if (this.counts && value % 1) {
      whatIf.refuse(`${name}: type a whole number.`);
      this.rest();
      return;
    }
    if (field.validity.badInput || value < least || value > most) {
      whatIf.refuse(`${name}: type a number from ${formatFixed(least, width)} to ${formatFixed(most, width)}.`);
      this.rest();
      return;
    }
    this.writing = false;
    whatIf.set(c, value);
    whatIf.end();
  }

  /** Show the column's number in the field again. */
  rest() {
    this.writing = false;
    this.field.value = plainNumber(this.text);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key !== "Escape") return;
    this.rest();
    this.field.blur();
  }

  /** @param {{ value: number }} answer @param {string} text of the value */
  show({ value }, text) {
    const { whatIf, c, slider, field, free, target, spread, row, low, width } = this;
    const wanted = whatIf.heldAt(c);
    const held = !Number.isNaN(wanted);
    row.toggleAttribute("data-held", held);
    const own = held ? wanted : value;
    this.text = held ? String(wanted) : text;
    slider.value = String(own);
    slider.setAttribute("aria-valuetext", held ? `held at ${formatFixed(own, width)}` : `${text}, free`);
    const number = plainNumber(this.text);
    if (!this.writing && field.value !== number) field.value = number;
    free.hidden = !held;
    spread.hidden = held;
    target.hidden = !held;
    if (held) target.style.left = `${Math.min(Math.max((100 * (wanted - low)) / width, 0), 100)}%`;
  }
}
