// The controls around the map: dimension pair, toggles, sliders, legend, and the line under the output.

import { element, fitCanvas, showButtons } from "../kit/dom.js";
import { formatCoordinate, formatNumber } from "../kit/format.js";
import { PairMenus } from "../kit/pair.js";
import { css, labelStyle, tracePath } from "../kit/theme.js";
import { unseenDeviation } from "./layers.js";
import { Weights } from "./weights.js";

/** @import { Explorer } from "./explorer.js" */

export class Controls {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.parts = explorer.parts;
    this.model = explorer.model;
    this.state = explorer.state;
    /** @type {{ q: number, input: HTMLInputElement, value: HTMLElement, row: HTMLElement }[]} */
    this.sliders = [];
    /** Instead of what to do on the map. @type {string | null} */
    this.words = null;
    this.menus = new PairMenus(this.parts, this.state, (a, b) => explorer.setPair(a, b));
    /** Not where several views have weights of their own. */
    this.weights = this.parts.weights
      ? new Weights(this.parts.weights, this.model, this.state, (a, b) => explorer.setPair(a, b)) : null;
    this.buildPair();
    this.buildToggles();
    this.parts.follow.addEventListener("click", () => explorer.follow(!this.state.follow));
    this.parts.take.addEventListener("click", () => explorer.takeFromNearest());
    this.parts.surprise?.addEventListener("click", () => explorer.surprise());
    this.parts.reset.addEventListener("click", () => explorer.reset());
    this.showPair();
    this.showLegend();
  }

  // --- dimension pair -------------------------------------------------------------------------

  buildPair() {
    this.showGroups();
    const single = this.model.nLatent < 2;
    this.parts.across.disabled = this.parts.up.disabled = this.parts.swap.disabled = single;
  }

  /** Beside the map: what to do, or `words` instead. @param {string | null} words */
  showHint(words) {
    this.words = words;
    const generate = this.explorer.map.follows() ? "generate near the data" : "generate";
    this.parts.hint.textContent = words ?? (matchMedia("(pointer: coarse)").matches
      ? `Touch to ${generate}, lift to keep, two fingers to zoom`
      : `Move to ${generate}, click to keep, scroll to zoom, drag to pan`);
  }

  showGroups() {
    const groups = this.explorer.groups().filter(({ dims, used }) => used || dims.length);
    this.menus.fill(groups, this.model.header.axes);
  }

  showPair() {
    this.menus.show();
    this.weights?.show();
    this.buildSliders();
    this.showFollow();
  }

  /** What light and shadow mean on this map. */
  showShade() {
    const [least, most] = this.explorer.map.shading.range.map((deviation) => this.model.spreadWords(deviation ** 2));
    this.parts.least.textContent = least;
    this.parts.most.textContent = most;
  }

  // --- toggles --------------------------------------------------------------------------------

  buildToggles() {
    /** @type {Record<string, boolean>} */
    const possible = {
      thumbnails: Boolean(this.model.items),
      ellipses: Boolean(this.model.latentVariance),
      trajectories: Boolean(this.model.sequences),
    };
    const { root, map } = this.explorer;
    const redraw = () => {
      map.drawLower();
      const unseen = this.state.show.ellipses ? unseenDeviation(map) : null;
      this.showHint(this.words);
      if (unseen !== null) this.parts.hint.textContent = `Positions are known to about ±${formatNumber(unseen)}: ellipses smaller than a dot. Zoom in to see them.`;
    };
    for (const button of showButtons(root, this.state.show, redraw)) {
      button.hidden = !possible[button.dataset.show ?? ""];
    }
  }

  /** The switch, and what it changes in words; it rests while some dimensions are held. */
  showFollow() {
    const { map } = this.explorer;
    this.parts.follow.hidden = !map.canFollow();
    this.parts.follow.disabled = this.state.held.size > 0;
    this.parts.follow.setAttribute("aria-pressed", String(map.follows()));
    this.showHint(this.words);
    this.showPoint();
  }

  // --- sliders --------------------------------------------------------------------------------

  buildSliders() {
    const { a, b, held } = this.state;
    this.sliders = [];
    const rows = [];
    for (const { title, heading, dims, used } of this.explorer.groups()) {
      const others = used ? dims.filter((q) => q !== a && q !== b && !held.has(q)) : [];
      if (heading && others.length) rows.push(element("h4", {}, title));
      for (const q of others) {
        const slider = this.slider(q);
        this.sliders.push(slider);
        rows.push(slider.row);
      }
    }
    this.parts.sliders.hidden = rows.length === 0;
    this.parts["slider-rows"].replaceChildren(...rows);
  }

  /** @param {number} q */
  slider(q) {
    const [low, high] = this.model.range(q);
    const margin = 0.1 * (high - low) || 1;
    const input = element("input", { type: "range", min: low - margin, max: high + margin, step: "any" });
    const value = element("output");
    const label = element("span", {}, `Dimension ${q + 1}`);
    input.addEventListener("input", () => {
      this.explorer.fix(q, Number(input.value));
      this.showPoint();
    });
    return { q, input, value, row: element("label", {}, label, input, value) };
  }

  /**
   * Sliders stand at the chosen point; what follows the data, at the point that is shown.
   * @param {ArrayLike<number>} shown
   */
  showPoint(shown = this.state.point) {
    const follows = this.explorer.map.follows();
    for (const { q, input, value } of this.sliders) {
      const at = follows ? shown[q] : this.state.point[q];
      input.value = String(at);
      value.textContent = formatCoordinate(at);
      const words = follows ? "where the data are, at" : "fixed at";
      input.setAttribute("aria-label", `Dimension ${q + 1}, ${words} ${formatCoordinate(at)}`);
    }
  }

  // --- legend and readout ---------------------------------------------------------------------

  showLegend() {
    const { theme, selected } = this.state;
    this.parts.ramp.style.background = `linear-gradient(90deg, ${css(theme.known)}, ${css(theme.unknown)})`;
    const present = this.model.labels ? [...new Set(this.model.labels)].filter((label) => label >= 0).sort((p, q) => p - q) : [];
    this.parts.legend.hidden = present.length < 2;
    this.parts.legend.replaceChildren(...present.map((label) => {
      const mark = element("canvas", { "aria-hidden": "true" });
      const { colour, marker } = labelStyle(label, this.model.header.palette, theme);
      const context = fitCanvas(mark, 12, 12);
      tracePath(context, marker, 6, 6, 4.4);
      context.fillStyle = css(colour);
      context.fill();
      const name = this.model.header.label_names[label] ?? String(label);
      const chip = element("button", { type: "button", "aria-pressed": selected.has(label) }, mark, name);
      chip.addEventListener("click", () => {
        if (!selected.delete(label)) selected.add(label);
        chip.setAttribute("aria-pressed", String(selected.has(label)));
        this.explorer.map.drawLower();
      });
      return chip;
    }));
  }

  /**
   * Words under a single output; variances: of every picture at the point.
   * @param {ArrayLike<number>} point
   * @param {number[]} variances
   */
  readout(point, variances) {
    const { a, b } = this.state;
    const n = this.model.nearest(point);
    const place = `(${formatCoordinate(point[a])}, ${formatCoordinate(point[b])})`;
    const name = this.model.name(n);
    const spread = variances.length === 1 ? ` · ${this.model.spreadWords(variances[0])}` : "";
    this.parts.readout.textContent = `${place}${spread} · near ${name}`;
  }
}
