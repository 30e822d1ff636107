// The explorer of several views: one map, and several outputs that follow the pointer. A lock holds all dimensions outside the chosen part.

import { element, pushButton } from "../kit/dom.js";
import { OutputPicture } from "../kit/output_picture.js";
import { untold } from "../map/outputs.js";
import { Explorer } from "../map/explorer.js";

/** @import { Group } from "../kit/pair.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { ViewsModel } from "./model.js" */

const EVERYTHING = "everything";

/** @extends {Explorer<ViewsModel>} */
export class ViewsExplorer extends Explorer {
  /** @override */
  buildPictures() {
    /** The id of the part that moves, or EVERYTHING. */
    this.lock = EVERYTHING;
    const pictures = this.model.outputs.map(({ title, labels, model }) => {
      const canvas = element("canvas", { role: "img" });
      const caption = element("figcaption");
      const figure = element("figure", {}, element("h3", {}, title), element("div", { class: "pane" }, canvas), caption, ...untold(model.header));
      this.parts.outputs.append(figure);
      const picture = new OutputPicture(canvas, model, this.state, () => this.turned(), title);
      return Object.assign(picture, { labels, caption });
    });
    this.parts.outputs.dataset.count = String(pictures.length);
    this.parts.moving.hidden = false;
    this.showMoves();
    return pictures;
  }

  /** @override @param {OutputPicture} picture */
  hostOf({ canvas }) {
    return /** @type {HTMLElement} */ (canvas.closest("figure"));
  }

  /** @override @param {OutputPicture} picture @param {HTMLElement} tools */
  putTools(picture, tools) {
    this.hostOf(picture).append(tools);
  }

  /** @override @param {LatentModel} model of a view */
  fixedFor({ header: { on } }) {
    const { state, model: { nLatent } } = this;
    if (state.follow) return state.held;
    // As for the pointer: the dimensions of other views stay, unless they follow the data.
    return new Set(Array.from({ length: nLatent }, (_, q) => q).filter((q) => state.held.has(q) || !on.includes(q)));
  }

  /** @override @param {LatentModel} model of a view */
  whyStill({ header: { on } }) {
    const part = this.model.groups.find(({ id }) => id === this.lock);
    return part && !part.dims.some((q) => on.includes(q)) ? `Only ${part.subject} moves.` : "";
  }

  /** @override */
  groups() {
    const { groups, nLatent } = this.model;
    const part = groups.find(({ id }) => id === this.lock);
    // A part with two or more dimensions is shown in its own plane.
    if (part && part.dims.length > 1) return [part];
    const others = Array.from({ length: nLatent }, (_, q) => q).filter((q) => !groups.some(({ dims }) => dims.includes(q)));
    return [...groups, { title: "For the second axis", dims: others, used: false }];
  }

  /** Replace the groups of dimensions after the threshold has changed. @param {Group[]} groups */
  setGroups(groups) {
    if (JSON.stringify(groups) === JSON.stringify(this.model.groups)) return;
    this.model.setGroups(groups);
    const part = groups.find(({ id }) => id === this.lock);
    if (!part?.dims.length) this.lock = EVERYTHING;
    this.showMoves();
    this.hold();
  }

  // --- the lock -------------------------------------------------------------------------------

  showMoves() {
    const all = { id: EVERYTHING, title: "Everything", dims: null, words: "All dimensions follow the pointer" };
    const parts = this.model.groups.filter(({ used }) => used);
    this.parts.moves.replaceChildren(...[all, ...parts].map(({ id, title, dims, words }) => {
      const none = dims?.length === 0;
      const button = pushButton(() => this.move(id ?? EVERYTHING), { "data-move": id, "aria-pressed": id === this.lock, title: none ? `${words}: there is no such dimension at this threshold` : words }, title);
      button.disabled = none;
      return button;
    }));
  }

  /** @param {string} id */
  move(id) {
    this.lock = id;
    for (const button of this.parts.moves.children) button.setAttribute("aria-pressed", button.dataset.move === id);
    this.hold();
  }

  /** Hold the dimensions outside the chosen part, and show a plane in which the part can move. */
  hold() {
    const { model, state } = this;
    const part = model.groups.find(({ id }) => id === this.lock);
    const all = Array.from({ length: model.nLatent }, (_, q) => q);
    state.held = new Set(part ? all.filter((q) => !part.dims.includes(q)) : []);
    this.controls.showGroups();
    this.controls.showHint(part
      ? `Only ${part.subject} moves; everything else stays at the ring.`
      : null);
    const pair = this.planeOf(part);
    if (String(pair) === String([state.a, state.b])) {
      this.controls.showPair();
      this.map.refresh();
      this.paint();
    } else this.setPair(pair[0], pair[1]);
  }

  /**
   * @override
   * If the chosen part could not move in a plane, replace one axis by the part's first dimension.
   * @param {number} a
   * @param {number} b
   */
  setPair(a, b) {
    const part = this.model.groups.find(({ id }) => id === this.lock);
    const stuck = part && !part.dims.includes(a) && !part.dims.includes(b);
    super.setPair(a, stuck ? part.dims[0] : b);
  }

  /** @override */
  reset() {
    this.move(EVERYTHING);
    super.reset();
  }

  /** Return the plane for a part: its first two dimensions, or its only dimension and any other. @param {Group | undefined} part */
  planeOf(part) {
    const { a, b } = this.state;
    if (!part) return [a, b];
    const inside = [a, b].filter((q) => part.dims.includes(q));
    if (inside.length === Math.min(part.dims.length, 2)) return [a, b];
    if (part.dims.length > 1) return part.dims.slice(0, 2);
    const [only] = part.dims;
    return [only, this.model.header.on.find((/** @type {number} */ q) => q !== only) ?? (only ? 0 : 1)];
  }

  // --- drawing --------------------------------------------------------------------------------

  /** @override */
  drawOutputs() {
    const point = this.shownPoint();
    for (const picture of this.pictures) {
      const variance = picture.draw(point);
      if (picture.caption) picture.caption.textContent = picture.labels ? picture.className() : picture.model.spreadWords(variance);
    }
    this.controls.showPoint(point);
    this.controls.readout(point, []);
  }

  /** @override */
  mostHeight() {
    return this.root.clientWidth >= 720 ? (this.pictures.length > 2 ? 210 : 380) : 240;
  }
}
