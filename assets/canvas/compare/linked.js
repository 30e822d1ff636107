// Several maps of the same rows: pointing at one map shows the row or position in all maps.

import { browserStorage } from "../kit/dom.js";
import { download } from "../kit/download.js";
import { linkNumber } from "../kit/format.js";
import { Shell } from "../kit/shell.js";
import { svgOf } from "../kit/svg_context.js";
import { css } from "../kit/theme.js";
import { Colours } from "../map/colours.js";
import { rowsInLink, rowsOfLink, united } from "../geometry/lasso.js";
import { Legend } from "../map/legend.js";
import { DimensionNames } from "../map/names.js";
import { Scene } from "../map/scene.js";
import { initial, reduce } from "../map/state.js";
import { turnings } from "./align.js";
import { Panel } from "./panel.js";
import { modelsOf } from "./placed.js";

/** @import { LatentPoints } from "../geometry/points.js" */
/** @import { NamesData } from "../map/names.js" */
/** @import { Action } from "../map/state.js" */
/** @import { PanelWords } from "./panel.js" */

/**
 * The description of a model; it arrives before the model's bytes. names: the visitor's names of the dimensions of a
 * stored model.
 * @typedef {PanelWords & { store: string, draws: boolean, names?: NamesData | null }} Described
 */
/**
 * State in the link: whether the maps are aligned, a kept position (on one map, in its model's coordinates), the
 * selected rows, the highlighted labels, whether thumbnails are shown, and the number (from 1) of the fact that
 * colours the rows.
 * @typedef {{ turned: boolean, at: number[] | null, rows: string, labels: number[], thumbnails: boolean, by: number }} Stand
 */

const ROOM_AROUND = 1.12;
const FIGURE_GAP = 24; // CSS pixels between the maps of the SVG figure
const FIGURE_HEAD = 26;
const MOST_NAMED = 12; // the most selected rows that the text names

/**
 * Return the state that a link describes; invalid parameters are ignored.
 * @param {Stand} stand
 * @param {LatentPoints} model
 */
function chosenBy({ labels, thumbnails, by }, model) {
  const opened = initial(model);
  /** @type {Action[]} */
  const actions = [
    { type: "set", name: "show", value: { ...opened.show, thumbnails } },
    { type: "set", name: "by", value: by - 1 },
    { type: "set", name: "labels", value: labels.filter((label) => opened.offer.labels.includes(label)) },
  ];
  return actions.reduce(reduce, opened);
}

export class LinkedMaps extends Shell {
  /**
   * @param {ParentNode} root the element with compare.html
   * @param {(Described & { bytes: Uint8Array })[]} packed
   * @param {Stand} start
   * @param {(stand: Stand) => void} onChange
   */
  constructor(root, packed, start, onChange) {
    super(root);
    this.onChange = onChange;
    this.stopping = new AbortController();
    const models = modelsOf(packed);
    models.forEach(({ header }, i) => {
      const { names } = packed[i];
      if (names) header.axes = new DimensionNames(names, header.axes, browserStorage()).all;
    });
    // Maps that only place rows have no columns, so only facts and labels can colour all maps.
    for (const model of models) if ("coloured" in model) model.coloured = [];
    /** The state that all maps share; its positions are valid only for the first map. */
    this.shared = new Scene(chosenBy(start, models[0]), this.theme);
    this.panels = models.map((model, i) => new Panel(this, model, packed[i]));
    this.parts.maps.replaceChildren(...this.panels.map(({ figure }) => figure));
    this.parts.maps.dataset.count = String(this.panels.length);
    this.colours = new Colours({ parts: this.parts, model: models[0], state: this.shared }, (action) => {
      this.choose(action);
      this.tell();
    });
    this.colours.show();
    this.turned = start.turned;
    /** The kept position: the number of its map, then coordinates. @type {number[] | null} */
    this.at = start.at;
    this.listen();
    this.observe(...this.panels.flatMap(({ box, output }) => [box, output]));
    this.turn(start.turned);
    this.take(rowsOfLink(start.rows, models[0].nPoints), false);
    const [from, ...point] = start.at ?? [];
    const panel = this.panels[from];
    if (panel && point.length === panel.model.nLatent) this.showPlace(panel, panel.inward(Float64Array.from(point)));
    else this.showRow(models[0].header.start);
    this.panels.forEach((each) => each.keep());
    this.shared.hovered = -1;
    this.resize();
    this.paint();
    this.root.dataset.ready = "true";
  }

  listen() {
    const { turned, select, svg, none, thumbnails } = this.parts;
    const { signal } = this.stopping;
    const on = (/** @type {HTMLElement} */ node, /** @type {() => void} */ act) => node.addEventListener("click", act, { signal });
    on(turned, () => {
      this.turn(!this.turned);
      this.tell();
    });
    on(select, () => this.selecting(select.getAttribute("aria-pressed") !== "true"));
    on(none, () => {
      this.take([], false);
      this.tell();
    });
    on(svg, () => download("compare.svg", this.svg(), "image/svg+xml"));
    turned.hidden = this.panels.length === 1;
    thumbnails.hidden = !this.panels[0].model.items && this.panels.length === 1;
    thumbnails.setAttribute("aria-pressed", String(this.shared.show.thumbnails));
    on(thumbnails, () => {
      const { show } = this.shared;
      this.choose({ type: "set", name: "show", value: { ...show, thumbnails: !show.thumbnails } });
      this.tell();
    });
    this.root.addEventListener("keydown", (event) => event.key === "Escape" && this.selecting(false), { signal });
  }

  // --- the visitor's actions --------------------------------------------------------------------

  /** Change the state of all maps. @param {Action} action */
  choose(action) {
    const { shared } = this;
    const before = shared.chosen;
    shared.take(reduce(before, action));
    if (shared.chosen.by !== before.by) this.colours.show();
    this.colours.mark();
    this.parts.thumbnails.setAttribute("aria-pressed", String(shared.show.thumbnails));
    for (const { map } of this.panels) map.drawLower();
  }

  /** The current state, which the link stores. @returns {Stand} */
  get stand() {
    const { show: { thumbnails }, factor, selected, rows } = this.shared;
    return { turned: this.turned, at: this.at, rows: rowsInLink(rows), labels: [...selected], thumbnails, by: factor + 1 };
  }

  tell() {
    this.onChange(this.stand);
  }

  /** Align the maps with the first map, or show every map with its own axes. @param {boolean} on */
  turn(on) {
    this.turned = on;
    this.parts.turned.setAttribute("aria-pressed", String(on));
    const found = on ? turnings(this.panels.map(({ model, state: { a, b } }) => ({ model, a, b }))) : [];
    this.panels.forEach((panel, i) => panel.turn(found[i] ?? null));
    let most = 0;
    for (const { turned, state: { a, b } } of this.panels) {
      if (turned) for (const q of [a, b]) most = Math.max(most, ...turned.range(q).map(Math.abs));
    }
    for (const panel of this.panels) panel.fit(on ? { u: 0, v: 0, su: ROOM_AROUND * most, sv: ROOM_AROUND * most } : null);
    this.resize();
    this.paint();
  }

  /** Return the maps that pan and zoom together: all maps if they are aligned, else one. @param {Panel} panel */
  seen(panel) {
    return this.turned ? this.panels : [panel];
  }

  /** Show a row in every map. @param {number} n */
  showRow(n) {
    this.shared.hovered = n;
    for (const panel of this.panels) panel.show(panel.model.position(n), false);
    this.paint();
  }

  /**
   * Show a position of one map, and in every other map the position of the rows around it.
   * @param {Panel} from
   * @param {Float64Array} place in the map's coordinates
   */
  showPlace(from, place) {
    this.shared.hovered = -1;
    const { a, b } = from.state;
    for (const panel of this.panels) {
      if (panel === from) panel.show(panel.outward(place), true);
      else panel.show(from.map.near.carried(place[a], place[b], panel.model), true);
    }
    this.paint();
  }

  /** Return to the kept position. */
  showKept() {
    this.shared.hovered = -1;
    for (const panel of this.panels) panel.show(panel.outward(panel.state.point), false);
    this.paint();
  }

  /** Keep the shown position. @param {Panel} panel the panel whose map has the position */
  keep(panel) {
    for (const each of this.panels) each.keep();
    this.at = [this.panels.indexOf(panel), ...Array.from(panel.shown, linkNumber)];
    this.parts.announce.textContent = this.panels.map(({ words, caption }) => `${words.title} ${caption.textContent}`).join("; ");
    this.paint();
    this.tell();
  }

  /** Set whether dragging draws a line around dots. @param {boolean} on */
  selecting(on) {
    this.parts.select.setAttribute("aria-pressed", String(on));
    for (const { canvases: [, , lasso] } of this.panels) lasso.hidden = !on;
  }

  /** Select these rows in every map. @param {ArrayLike<number>} rows @param {boolean} add */
  take(rows, add) {
    this.choose({ type: "set", name: "rows", value: add ? united(this.shared.rows, rows) : rows });
    const count = this.shared.rows.length;
    this.parts.selection.hidden = count === 0;
    const { model } = this.panels[0];
    const names = Array.from(this.shared.rows).slice(0, MOST_NAMED).map((n) => model.id(n)).filter((id) => id !== null);
    const named = names.length ? `: ${names.join(", ")}${count > MOST_NAMED ? " …" : ""}` : "";
    this.parts.count.textContent = `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"} selected${named}`;
  }

  reset() {
    this.take([], false);
    this.turn(this.turned);
    this.tell();
  }

  // --- drawing --------------------------------------------------------------------------------

  /** @override */
  draw() {
    for (const panel of this.panels) panel.draw();
  }

  /** @override */
  resize() {
    for (const panel of this.panels) panel.resize();
    this.paint();
  }

  /** @override */
  recolour() {
    this.colours.show();
    for (const { map } of this.panels) map.refresh();
    this.paint();
  }

  /** Return an SVG of the maps side by side, each below its name, with the legend below all maps. */
  svg() {
    const { theme } = this.shared;
    const { width, height } = this.panels[0].map;
    const whole = this.panels.length * (width + FIGURE_GAP) - FIGURE_GAP;
    const legend = new Legend(this.panels[0].model, this.shared, whole);
    return svgOf(whole, height + FIGURE_HEAD + legend.height, (context) => {
      context.fillStyle = css(theme.background);
      context.fillRect(0, 0, whole, height + FIGURE_HEAD + legend.height);
      legend.draw(context, height + FIGURE_HEAD);
      this.panels.forEach(({ map, words }, i) => {
        const left = i * (width + FIGURE_GAP);
        context.save();
        context.beginPath();
        context.rect(left, 0, width, height + FIGURE_HEAD);
        context.clip();
        context.translate(left, FIGURE_HEAD);
        context.font = `600 14px ${theme.font}`;
        context.fillStyle = css(theme.text);
        context.textAlign = "left";
        context.textBaseline = "alphabetic";
        context.fillText(words.title, 0, -8);
        map.drawLayers(context);
        map.drawInFront(context);
        context.restore();
      });
    });
  }

  /** @override */
  stop() {
    super.stop();
    this.stopping.abort();
    for (const { map } of this.panels) map.stop();
  }
}
