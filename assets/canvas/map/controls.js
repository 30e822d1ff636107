// The controls around the map: pair of dimensions, switches, strip of dimensions, legend, and the output's caption.

import { formatNumber } from "../kit/format.js";
import { PairMenus } from "../kit/pair.js";
import { Colours } from "./colours.js";
import { DimensionStrip } from "./dimensions.js";
import { newPlace } from "../geometry/drawn.js";
import { Matters } from "./matters.js";
import { unseenDeviation } from "./layers.js";
import { screenButtons } from "./screen.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { Layer } from "./switches.js" */

export class Controls {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.parts = explorer.parts;
    this.model = explorer.model;
    this.state = explorer.state;
    /** The text that replaces the hint, or null. @type {string | null} */
    this.words = null;
    this.menus = new PairMenus(this.parts, this.state, (a, b) => explorer.setPair(a, b));
    this.strip = explorer.parts.inspector ? new Matters(/** @type {any} */ (explorer)) : new DimensionStrip(explorer);
    this.colours = new Colours(explorer, (action) => explorer.dispatch(action));
    this.toggles = /** @type {HTMLButtonElement[]} */ ([...explorer.root.querySelectorAll("[data-show]")]);
    this.buildPair();
    this.buildToggles();
    this.parts.follow.addEventListener("click", () => explorer.follow(!this.state.follow));
    this.parts.surprise?.addEventListener("click", () => explorer.arrive(newPlace(this.model)));
    this.parts.reset.addEventListener("click", () => explorer.reset());
    screenButtons(explorer.root, this.parts, explorer.map, () => explorer.wall?.moved());
    this.showPair();
    this.showLegend();
  }

  // --- dimension pair -------------------------------------------------------------------------

  buildPair() {
    this.showGroups();
    const single = this.model.nLatent < 2;
    this.parts.across.disabled = this.parts.up.disabled = this.parts.swap.disabled = single;
  }

  /** Show a hint beside the map, or `words` instead. @param {string | null} words */
  showHint(words) {
    this.words = words;
    this.parts.hint.toggleAttribute("data-usual", words === null);
    this.parts.hint.textContent = words ?? (matchMedia("(pointer: coarse)").matches
      ? "Touch to look, lift to keep, two fingers to zoom"
      : "Move to look, click to keep, drag to pan");
  }

  showGroups() {
    const groups = this.explorer.groups().filter(({ dims, used }) => used || dims.length);
    this.menus.fill(groups, this.model.header.axes);
  }

  showPair() {
    this.menus.show();
    this.strip.build();
    this.strip.show();
    this.showFollow();
  }

  /** Show the meaning of the map's shading. */
  showShade() {
    const { shading, shadeBy } = this.explorer.map;
    const [least, most] = shadeBy?.words(shading.range) ?? shading.range.map((deviation) => this.model.spreadWords(deviation ** 2));
    this.parts.least.textContent = least;
    this.parts.most.textContent = most;
  }

  // --- toggles --------------------------------------------------------------------------------

  buildToggles() {
    const { explorer, state } = this;
    for (const button of this.toggles) {
      const name = /** @type {Layer} */ (button.dataset.show);
      button.hidden = !state.chosen.offer.show[name];
      button.addEventListener("click", () => explorer.dispatch({ type: "set", name: "show", value: { ...state.show, [name]: !state.show[name] } }));
    }
    this.markLayers();
  }

  markLayers() {
    for (const button of this.toggles) button.setAttribute("aria-pressed", String(this.state.show[/** @type {Layer} */ (button.dataset.show)]));
  }

  /** Show which layers are on the map, and why the ellipses may be invisible. */
  showLayers() {
    this.markLayers();
    const unseen = this.state.show.ellipses ? unseenDeviation(this.explorer.map) : null;
    this.showHint(this.words);
    if (unseen !== null) this.parts.hint.textContent = `Positions are known to about ±${formatNumber(unseen)}, so their ellipses are smaller than the dots. Zoom in to see the ellipses.`;
  }

  /** Show the state of the switch “Follow the data”; held dimensions disable it. */
  showFollow() {
    const { map } = this.explorer;
    this.parts.follow.hidden = !map.canFollow();
    this.parts.follow.disabled = this.state.held.size > 0;
    this.parts.follow.setAttribute("aria-pressed", String(map.follows()));
    this.showHint(this.words);
    this.showPoint();
  }

  /** @param {ArrayLike<number>} shown the point whose outputs are shown */
  showPoint(shown = this.state.point) {
    this.strip.showPoint(shown);
  }

  // --- legend and readout ---------------------------------------------------------------------

  showLegend() {
    this.colours.show();
  }

  /**
   * Show the caption of the output; variances: one for every picture at the point.
   * @param {ArrayLike<number>} point
   * @param {number[]} variances
   */
  readout(point, variances) {
    const { a, b } = this.state;
    const n = this.model.nearest(point);
    const place = `(${this.model.coordinate(a, point[a])}, ${this.model.coordinate(b, point[b])})`;
    const name = this.model.name(n);
    const spread = variances.length === 1 ? ` · ${this.model.spreadWords(variances[0])}` : "";
    this.parts.readout.textContent = `${place}${spread} · near ${name}`;
  }

  stop() {
    this.strip.stop();
  }
}
