// The tab New rows: a map with the new rows, their table, and one row in detail, all linked.

import { element, skipToMap } from "../kit/dom.js";
import { PairMenus, usedGroups } from "../kit/pair.js";
import { Shell } from "../kit/shell.js";
import { Colours } from "../map/colours.js";
import { Gestures } from "../map/gestures.js";
import { LassoLine } from "../map/lasso_line.js";
import { Scene } from "../map/scene.js";
import { screenButtons } from "../map/screen.js";
import { initial, reduce } from "../map/state.js";
import { CloseUp } from "./close_up.js";
import { BEYOND, RowsMap } from "./layer.js";
import { RowTable } from "./table.js";

/** @import { Answers } from "./answers.js" */
/** @import { Overlay } from "./layer.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { DimensionNames } from "../map/names.js" */
/** @import { Action } from "../map/state.js" */

const ROW_FLIGHT_MS = 350;
const ROW_MIDDLE = 0.7; // if a row is outside this central part of the view, the map moves the row to the middle
const ROW_STEP = 0.04; // step of an arrow key, as a fraction of the view
const ROW_COVERED = { above: 48, below: 48 }; // CSS pixels under a legend of one line and the buttons
const ROW_MARGIN = 14; // CSS pixels around a legend of several lines

export class RowsPage extends Shell {
  /**
   * @param {ParentNode} root
   * @param {LatentModel} model
   * @param {DimensionNames} names
   * @param {(name: string, value: any) => void} send
   */
  constructor(root, model, names, send) {
    super(root);
    this.model = model;
    this.send = send;
    this.names = names;
    model.header.axes = names.all;
    skipToMap(this.parts);
    this.state = new Scene(initial(model), this.theme);
    /** @type {Overlay} */
    this.overlay = {
      answers: null, shown: new Set(), current: -1, explanation: -1, pointed: -1, ellipses: true,
      listing: { filter: "all", order: "row", down: false, threshold: 0, find: "", selected: [] },
    };
    this.map = new RowsMap(this.parts.lower, this.parts.upper, model, this.state, this.overlay);
    this.map.covered = ROW_COVERED;
    this.map.onView = () => this.describe();
    this.menus = new PairMenus(this.parts, this.state, (a, b) => this.dispatch({ type: "pair", dims: [a, b] }));
    this.colours = new Colours({ parts: this.parts, model, state: this.state }, (action) => this.dispatch(action));
    this.table = new RowTable(this.parts, this.overlay, {
      changed: () => this.show(), choose: (n) => this.choose(n, false), point: (n) => this.point(n),
    });
    this.closeUp = new CloseUp(this.parts.closeup, model, this.state, this.overlay, {
      fillIn: (n) => send("fill", n), ask: (n) => send("open", n), close: () => this.choose(-1, false),
      explain: (k) => this.choose(this.overlay.current, false, k),
    });
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    /** @type {number | null} */
    this.flight = null;
    this.build();
    this.observe(this.parts.map);
    this.colours.show();
    this.resize();
    this.map.fit();
    this.menus.show();
    this.show();
    this.root.dataset.ready = "true";
  }

  build() {
    const { parts, map, model, overlay } = this;
    new Gestures(parts.upper, {
      hover: (x, y) => this.point(map.newRowAt(x, y)),
      leave: () => this.point(-1),
      drag: () => {},
      commit: (x, y) => {
        const [n, k] = map.explanationAt(x, y);
        this.choose(n, true, k);
      },
      pan: (dx, dy) => map.pan(dx, dy),
      zoom: (x, y, factor) => map.zoom(x, y, factor),
      nudge: (du, dv) => map.pan(-Math.sign(du) * ROW_STEP * map.width, Math.sign(dv) * ROW_STEP * map.height),
      keep: () => {},
      reset: () => map.fit(),
    }, () => [-100, -100]);
    // The line selects all new rows inside it, also when labels of training rows are hidden.
    const lassoed = () => /** @type {any} */ ({
      model, width: map.width, height: map.height, state: { selected: new Set(), theme: this.state.theme },
      enclosed: (/** @type {[number, number][]} */ line) => map.enclosed(line),
    });
    new LassoLine(parts.lasso, lassoed, (rows, add) => this.select(Array.from(rows), add));
    parts.select.addEventListener("click", () => this.turnLasso(parts.lasso.hidden));
    this.root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.turnLasso(false);
    });
    screenButtons(this.root, parts, map);
    parts.ellipses.addEventListener("click", () => {
      overlay.ellipses = !overlay.ellipses;
      parts.ellipses.setAttribute("aria-pressed", String(overlay.ellipses));
      this.show();
    });
    const groups = usedGroups(model.header.on, model.nLatent).filter(({ used, dims }) => used || dims.length);
    this.menus.fill(groups, model.header.axes);
    parts.across.disabled = parts.up.disabled = parts.swap.disabled = model.nLatent < 2;
    parts.hint.textContent = "Press a diamond to see its row; drag to move the map.";
  }

  /** @param {boolean} on */
  turnLasso(on) {
    const { lasso, select, hint } = this.parts;
    lasso.hidden = !on;
    select.setAttribute("aria-pressed", String(on));
    hint.textContent = on ? "Draw around diamonds to list their rows; hold Shift to add rows." : "Press a diamond to see its row; drag to move the map.";
  }

  /** Select the rows inside the line, and list them. @param {number[]} rows @param {boolean} add */
  select(rows, add) {
    const { listing } = this.overlay;
    listing.selected = add ? [...new Set([...listing.selected, ...rows])].sort((m, n) => m - n) : rows;
    listing.filter = listing.selected.length ? "selected" : "all";
    this.turnLasso(false);
    this.show();
  }

  /** @param {Action} action */
  dispatch(action) {
    const before = this.state.chosen;
    const chosen = reduce(before, action);
    if (chosen === before) return;
    this.state.take(chosen);
    if (chosen.place !== before.place) {
      this.menus.show();
      this.map.fit();
    }
    this.colours.show();
    this.map.refresh();
  }

  /** Show new answers, which have more rows, or more about the same rows; null: there are no rows. @param {Answers | null} answers */
  take(answers) {
    const { overlay } = this;
    if (!answers) {
      this.clear();
      this.map.fit(); // a part that was enlarged may lack the next file's rows
      this.show();
      return;
    }
    const first = overlay.answers === null;
    const compared = answers.known > 0 && !overlay.answers?.known;
    overlay.answers = answers;
    // As soon as odd rows are known, the table lists them first.
    if (compared && overlay.listing.order === "row") overlay.listing.order = "p";
    if (overlay.current >= answers.rows.length) overlay.current = -1;
    if (overlay.explanation >= (answers.rows[overlay.current]?.weights.length ?? 0)) overlay.explanation = -1;
    if (first && answers.rows.length === 1) overlay.current = 0;
    this.show();
  }

  /** Clear the selection and the filters for another file. */
  clear() {
    Object.assign(this.overlay, { answers: null, current: -1, explanation: -1, pointed: -1 });
    Object.assign(this.overlay.listing, { filter: "all", order: "row", down: false, selected: [], find: "" });
    this.parts.find.value = "";
  }

  /** Update the map, the table and the detail for the listed rows. */
  show() {
    const { overlay, table, map, parts } = this;
    parts.answers.hidden = !overlay.answers;
    parts.empty.hidden = Boolean(overlay.answers);
    parts.hint.hidden = parts.select.hidden = parts.ellipses.hidden = !overlay.answers;
    overlay.shown = new Set(table.rows());
    table.show();
    this.closeUp.show();
    map.drawLower();
    map.drawUpper();
    const odd = Boolean(overlay.answers?.known);
    const several = overlay.ellipses && overlay.answers?.rows.some(({ weights }) => weights.length);
    parts.marks.hidden = !overlay.answers;
    parts.marks.replaceChildren(keyEntry("new row", "plain"), ...(odd ? [keyEntry("odd", "odd")] : []), ...(several ? [keyEntry("other explanation", "plain other")] : []));
    parts.announce.textContent = overlay.answers ? table.words() : "";
    this.describe();
  }

  /** Describe the map for people who do not see it. */
  describe() {
    const { map, overlay, parts } = this;
    const beyond = map.beyond ? `, ${map.beyond} of them ${BEYOND}` : "";
    parts.upper.setAttribute("aria-label", `Latent map of ${this.model.nRows} training points with ${overlay.answers?.rows.length ?? 0} new rows over them${beyond}; the table lists the new rows. Arrow keys move the map, plus and minus zoom, 0 shows all.`);
  }

  /** Highlight the row under the pointer. @param {number} n */
  point(n) {
    if (this.overlay.pointed === n) return;
    this.overlay.pointed = n;
    this.map.drawUpper();
    for (const line of this.parts.body.querySelectorAll("[data-pointed]")) delete line.dataset.pointed;
    const line = this.parts.body.querySelector(`[data-row="${n}"]`);
    if (line) line.dataset.pointed = "true";
  }

  /** Choose a row, and one of its explanations; −1: no row. @param {number} n @param {boolean} scroll whether the table scrolls to the row @param {number} [k] all explanations together if negative */
  choose(n, scroll, k = -1) {
    this.overlay.current = n;
    this.overlay.explanation = k;
    this.table.mark(scroll);
    this.closeUp.show();
    this.map.drawLower();
    this.map.drawUpper();
    if (n >= 0) this.flyTo(n, Math.max(k, 0));
  }

  /** Move the map so that an explanation of the row is well inside the view. @param {number} n @param {number} k */
  flyTo(n, k) {
    const { map, state, overlay } = this;
    const place = /** @type {Answers} */ (overlay.answers).place(n, this.model.nLatent, k);
    const goal = [place[state.a], place[state.b]];
    const { view } = map;
    const from = [view.u, view.v];
    const far = Math.abs(goal[0] - from[0]) > ROW_MIDDLE * view.su || Math.abs(goal[1] - from[1]) > ROW_MIDDLE * view.sv;
    if (this.flight !== null) cancelAnimationFrame(this.flight);
    this.flight = null;
    if (!far || !goal.every(Number.isFinite)) return;
    const began = performance.now();
    const step = (/** @type {number} */ now) => {
      const t = this.still ? 1 : Math.min(Math.max(now - began, 0) / ROW_FLIGHT_MS, 1);
      const share = t * t * (3 - 2 * t);
      [view.u, view.v] = [0, 1].map((i) => from[i] + share * (goal[i] - from[i]));
      map.refresh();
      this.flight = t < 1 ? requestAnimationFrame(step) : null;
    };
    this.flight = requestAnimationFrame(step);
  }

  /** @override */
  resize() {
    // A legend of several lines covers more of the map.
    this.map.covered = { ...ROW_COVERED, above: Math.max(ROW_COVERED.above, this.parts.legend.offsetHeight + ROW_MARGIN) };
    const { clientWidth, clientHeight } = this.parts.map;
    if (clientWidth !== this.map.width || clientHeight !== this.map.height) this.map.resize(clientWidth, clientHeight);
  }

  /** @override */
  recolour() {
    this.colours.show();
    this.map.refresh();
    this.closeUp.show();
  }

  /** @override */
  stop() {
    if (this.flight !== null) cancelAnimationFrame(this.flight);
    super.stop();
    this.map.stop();
  }
}

/** Return an entry of the key below the map. @param {string} words @param {string} kind */
function keyEntry(words, kind) {
  return element("span", {}, element("i", { class: `diamond ${kind}` }), words);
}
