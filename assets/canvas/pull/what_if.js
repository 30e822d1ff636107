// "What if" for a table: the visitor types or slides the value of a column, the other columns follow with their
// intervals, and the point moves on the map. columns.js finds the row. A change is one step of undo.

import { element, pushButton } from "../kit/dom.js";
import { counted, formatFixed } from "../kit/format.js";
import { chanceWords } from "../kit/table.js";
import { ColumnHand } from "./column_hand.js";
import { Columns, heldColumns } from "./columns.js";
import { FitGrasp } from "./fit_grasp.js";
import { WordHand } from "./word_hand.js";

/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Explorer } from "../map/explorer.js" */
/** @import { NumberRow, TableValues, WordsRow } from "../map/values.js" */

const COUNTED = 100; // counts are shown as whole numbers, as values of such a range
const HOLD_MARKS = "What if? Drag a mark, or type a number. Band: 95 % of rows. Circle: data.";
const HOLD_WORDS = "What if? Drag a mark, type a number, or choose a word. Band: 95 % of rows. Circle: data.";

/** @extends {FitGrasp<Columns>} */
export class WhatIf extends FitGrasp {
  /** @param {Explorer<LatentModel>} explorer @param {TableValues} values */
  constructor(explorer, values) {
    super(explorer, explorer.pictures[0], explorer.model, "Another row for these values", (model, points) => new Columns(model, points));
    this.names = values.names;
    this.columns = heldColumns(explorer.model);
    this.hands = this.columns.map((column, c) => {
      const { line } = values.rows[c];
      if (!column) return null;
      return column.words ? new WordHand(this, /** @type {WordsRow} */ (line), c, this.names[c]) : new ColumnHand(this, /** @type {NumberRow} */ (line), c, this.names[c], column);
    });
    this.words = element("span", { role: "status" });
    this.all = pushButton(() => this.letAllGo("All columns are free"), {}, "Let all go");
    this.host = element("div", { class: "what-if", role: "group", "aria-label": "What if" }, this.words, this.all, this.explanations.small);
    values.host.addEventListener("pointerenter", () => this.wake());
    values.host.addEventListener("focusin", () => this.wake());
    if (this.hands.some(Boolean)) {
      values.host.querySelector("ul")?.after(this.host);
      values.explain(this.hands.some((hand) => hand instanceof WordHand) ? HOLD_WORDS : HOLD_MARKS);
    }
    this.show();
  }

  /** The value at which a column is held, if the held row is shown; else NaN. @param {number} c */
  heldAt(c) {
    return this.shown && this.drag ? this.drag.targets[c] : NaN;
  }

  /** Hold a column at a value; NaN releases it. @param {number} c @param {number} value */
  set(c, value) {
    if (!this.pressed) this.begin();
    this.wake().hold(c, value);
    this.show();
    this.explorer.paint();
  }

  /** Return the variances that the functions still have when the columns are held; null if the point is not the one that the held columns led to. @param {ArrayLike<number>} point */
  freedom(point) {
    if (!this.drag?.holds || !this.shown || String(point) !== this.at) return null;
    this.drag.point.set(point);
    return this.drag.freedom();
  }

  /** @override */
  show() {
    const { drag, words, all } = this;
    const count = drag && this.at !== null ? drag.count : 0;
    const far = count && drag && !this.busy ? drag.outOfReach() : [];
    all.hidden = !count;
    this.host.hidden = !count;
    words.textContent = !count || !drag ? ""
      : far.length ? this.outOfReach(drag, far[0])
        : `${counted(count, "column")} held. Moving the point lets ${count === 1 ? "it" : "them"} go.`;
  }

  /** Say what the row has instead of a held value. @param {Columns} drag @param {number} c */
  outOfReach(drag, c) {
    const [name, column, target] = [this.names[c], this.columns[c], drag.targets[c]];
    if (!column?.words) return `${name} does not reach ${this.number(c, target)}: rows like these have ${this.number(c, drag.pose[column?.at ?? 0])}.`;
    const word = drag.probable(c);
    return `${name} is not “${column.words[target]}” in rows like these: “${column.words[word]}” has ${chanceWords(drag.pose[column.at + word])}.`;
  }

  /** A number of a column as text. @param {number} c @param {number} value */
  number(c, value) {
    const column = this.columns[c];
    return formatFixed(value, column && !column.words ? (column.size ? COUNTED : column.high - column.low) : 1);
  }

  /** Say why a number cannot be held. @param {string} problem */
  refuse(problem) {
    this.words.textContent = problem;
    this.host.hidden = false;
    this.explorer.paint();
  }
}
