// The explorer: one model, one state, and the parts that show the state. It does not depend on Streamlit.

import { browserStorage, skipToMap } from "../kit/dom.js";
import { OutputPicture } from "../kit/output_picture.js";
import { usedGroups } from "../kit/pair.js";
import { Body } from "../pull/body.js";
import { graspsOf } from "../pull/grasp_of.js";
import { Painting } from "../pull/painting.js";
import { WhatIf } from "../pull/what_if.js";
import { mapActions } from "./actions.js";
import { announce, showCrowd } from "./announce.js";
import { Controls } from "./controls.js";
import { DataTable } from "./data_table.js";
import { Gestures } from "./gestures.js";
import { Inspector, shareLink } from "./inspector.js";
import { LevelChoice } from "./level_choice.js";
import { LatentMap } from "./map.js";
import { Matters } from "./matters.js";
import { Memory } from "./memory.js";
import { DimensionNames } from "./names.js";
import { OwnLabels } from "./own_labels.js";
import { Paths } from "./paths.js";
import { Scene } from "./scene.js";
import { Search } from "./search.js";
import { Selecting } from "./selecting.js";
import { ShadeChoice } from "./shade_choice.js";
import { showPlace, showSwitches } from "./showing.js";
import { initial, reduce } from "./state.js";
import { OWN } from "./switches.js";
import { Taking } from "./taking.js";
import { Visit } from "./visit.js";
import { Wall } from "./wall.js";

/** @import { NamesData } from "./names.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Group } from "../kit/pair.js" */
/** @import { MapModel } from "./map.js" */
/** @import { Action, Chosen } from "./state.js" */

const COVERED = 40; // the smallest height in CSS pixels that the map reserves for its legend, and for its buttons
const MAP_MARGIN = 10; // margin around legend and buttons
const BELOW_MAP = 52; // height of the row of controls below the map in CSS pixels

/** @template {MapModel} [Model=MapModel] @extends {Visit<Model>} */
export class Explorer extends Visit {
  /**
   * root: the element with map.html or views.html; model: the model on the map;
   * chosen: the initial state; onChange(chosen, before) is called after every change of the state, but not
   * while the point moves.
   * @param {ParentNode} root
   * @param {Model} model
   * @param {Readonly<Chosen>} chosen
   * @param {(chosen: Readonly<Chosen>, before: Readonly<Chosen>) => void} [onChange]
   * @param {DimensionNames} [names] of the dimensions
   */
  constructor(root, model, chosen, onChange = () => {}, names = browserNames(model)) {
    super(root);
    skipToMap(this.parts);
    this.onChange = onChange;
    this.model = model;
    this.state = new Scene(chosen, this.theme);
    this.map = new LatentMap(this.parts.lower, this.parts.upper, model, this.state);
    this.names = names;
    model.header.axes = this.names.all;
    this.map.onCrowd = () => showCrowd(this);
    this.pictures = this.buildPictures();
    // Only a single output has an inspector.
    if (this.parts.inspector) {
      // The map extends to the bottom of the window.
      const top = this.parts.map.getBoundingClientRect().top;
      this.root.style.setProperty("--map-top", `${Math.min(Math.max(top, 120), 320) + BELOW_MAP}px`);
    }
    /** @type {Inspector | null} */
    this.inspector = this.parts.inspector ? new Inspector(/** @type {any} */ (this)) : null;
    /** What the visitor can change by hand in the outputs. */
    this.grasps = graspsOf(this);
    this.body = this.grasps.find((grasp) => grasp instanceof Body) ?? null;
    this.painting = this.grasps.find((grasp) => grasp instanceof Painting) ?? null;
    this.whatIf = this.grasps.find((grasp) => grasp instanceof WhatIf) ?? null;
    this.controls = new Controls(this);
    this.search = this.parts.search ? new Search(this) : null;
    shareLink(this.parts.share, () => ({ names: this.names.toLink(), zoom: this.map.zoomed }));
    this.wall = this.parts.wall ? new Wall(this) : null;
    this.selecting = this.parts.lasso ? new Selecting(this) : null;
    this.ownLabels = this.parts.listing ? new OwnLabels(this) : null;
    this.table = this.parts.listing ? new DataTable(this) : null;
    this.taking = this.parts.taking ? new Taking(this) : null;
    this.memory = new Memory(this, model.header.name);
    this.gestures = new Gestures(this.parts.upper, mapActions(this), () =>
      this.map.toPixel(this.state.point[this.state.a], this.state.point[this.state.b]));
    this.paths = this.parts.paths ? new Paths(this, this.parts.paths) : null;
    this.shades = this.paths && this.state.chosen.offer.shades.length > 1 ? new ShadeChoice(this, this.paths.metric) : null;
    this.levels = model.levels && this.parts.level ? new LevelChoice(this, model.levels) : null;
    this.observe(this.parts.map, ...this.pictures.map(({ canvas }) => /** @type {HTMLElement} */ (canvas.parentElement)));
    if (this.inspector) this.observe(this.parts.details);
    this.resize();
    this.map.fit();
    this.controls.showShade();
    this.map.revealPoint();
    this.paint();
    this.tell();
    showCrowd(this);
    showSwitches(this, initial(model));
    if (chosen.by === OWN) this.ownLabels?.show();
    this.root.dataset.ready = "true";
  }

  /** Return the pictures of the outputs that follow the point. @returns {OutputPicture[]} */
  buildPictures() {
    return [new OutputPicture(this.parts.output, this.model.pictured[0], this.state, () => this.turned())];
  }

  /** Return the element that has a picture and its tools. @param {OutputPicture} _picture */
  hostOf(_picture) {
    return this.root;
  }

  /** Show an element near a picture, such as the tools of its brush. @param {OutputPicture} _picture @param {HTMLElement} tools */
  putTools(_picture, tools) {
    this.parts.inspector.querySelector(".facts")?.after(tools);
  }

  /** Return the dimensions in which a change of an output by hand does not move the point. @param {LatentModel} _model of the output @returns {ReadonlySet<number>} */
  fixedFor(_model) {
    return this.state.held;
  }

  /** Return why a change of an output by hand cannot move the point; "" if it can. @param {LatentModel} _model of the output */
  whyStill(_model) {
    return "";
  }

  /** Whether the visitor is changing an output by hand. */
  get busy() {
    return this.grasps.some(({ busy }) => busy);
  }

  /** Return the dimensions in groups, for the menus and sliders. @returns {Group[]} */
  groups() {
    return usedGroups(this.model.header.on, this.model.nLatent);
  }

  // --- names and state -----------------------------------------------------------------------

  /** Give a dimension a name everywhere on the page. @param {number} q @param {string} name */
  rename(q, name) {
    const problem = this.names.rename(q, name);
    this.showNames();
    const local = name.trim() && !this.names.kept ? "This browser stores the name. Share puts it into the link." : "";
    this.matters?.sayName(q, problem || local, !problem);
  }

  /** Adopt the names that the model's file has now. @param {NamesData | undefined} data */
  takeNames(data) {
    if (data?.stored && this.names.take(data.stored)) this.showNames();
  }

  /** Update all names of dimensions. */
  showNames() {
    this.model.header.axes = this.names.all;
    this.controls.showGroups();
    this.controls.showPair();
    this.map.drawLower();
    this.paint();
  }

  /** @override @param {Action} action */
  dispatch(action) {
    const before = this.state.chosen;
    const chosen = reduce(before, action);
    if (chosen === before) return;
    this.state.take(chosen);
    showPlace(this, before);
    showSwitches(this, before);
    const moving = chosen.kept === before.kept && chosen.place !== before.place;
    if (!moving) this.onChange(chosen, before);
  }

  /** Update all texts about the chosen point. @override */
  tell() {
    if (this.parts.details) this.parts.details.dataset.point = JSON.stringify(Array.from(this.state.point));
    this.wall?.follow();
    this.table?.mark();
    announce(this);
  }

  // --- drawing ----------------------------------------------------------------------------------

  /** Draw the outputs and the pointer's mark. @override */
  draw() {
    for (const grasp of this.grasps) grasp.step(performance.now());
    this.drawOutputs();
    this.map.drawUpper();
  }

  /** Return the point whose outputs are shown: the place on a path, the place under the pointer, or the chosen point. */
  shownPoint() {
    const { state, map } = this;
    const onPath = this.paths?.place();
    if (onPath) return onPath;
    if (state.hovered >= 0 && map.picks) return this.reachable(map.positionOf(state.hovered));
    const point = Float64Array.from(state.point);
    return state.hover ? this.moved(point, ...state.hover) : point;
  }

  drawOutputs() {
    const point = this.shownPoint();
    this.controls.showPoint(point);
    const { inspector } = this;
    const unsure = inspector?.unsure(point) ?? null;
    const variances = this.pictures.map((picture) => picture.draw(point, unsure));
    if (inspector) inspector.show(point);
    else this.controls.readout(point, variances);
  }

  /** The panel of the dimensions' effects, if there is an inspector. */
  get matters() {
    return this.controls.strip instanceof Matters ? this.controls.strip : null;
  }

  /** Return the largest height of a picture. @returns {number} */
  mostHeight() {
    if (this.body) return this.root.clientWidth >= 720 ? 420 : 300;
    if (this.painting) return this.root.clientWidth >= 720 ? 300 : 240;
    return this.root.clientWidth >= 720 ? 300 : 148;
  }

  /** @override */
  resize() {
    const { clientWidth, clientHeight } = this.parts.map;
    if (clientWidth !== this.map.width || clientHeight !== this.map.height) this.map.resize(clientWidth, clientHeight);
    const changed = this.pictures.map((picture) => picture.fit(this.mostHeight()));
    if (changed.includes(true)) this.paint();
    if (this.inspector) this.cover();
    this.inspector?.follow();
    this.wall?.draw();
    this.selecting?.resized();
  }

  /** Measure how much of the map the legend and the buttons cover. */
  cover() {
    const { legend, upper } = this.parts;
    const below = upper.parentElement.querySelector(".on-map.below")?.offsetHeight ?? 0;
    this.map.covered = { above: Math.max(legend.offsetHeight + MAP_MARGIN, COVERED), below: Math.max(below + MAP_MARGIN, COVERED) };
  }

  /** Redraw all stick figures after a turn. */
  turned() {
    this.paint();
    this.wall?.draw();
    for (const grasp of this.grasps) grasp.redraw();
    this.paths?.strip.show();
    this.selecting?.turned();
  }

  /** @override */
  recolour() {
    for (const grasp of this.grasps) grasp.redraw();
    this.paths?.strip.show();
    this.controls.showLegend();
    this.wall?.draw();
    this.selecting?.show();
    this.table?.show();
    this.memory.show();
    this.map.refresh();
    this.paint();
  }

  /** @override */
  stop() {
    clearTimeout(this.timer);
    super.stop();
    this.controls.stop();
    this.memory.stop();
    this.inspector?.stop();
    for (const grasp of this.grasps) grasp.stop();
    this.search?.stop();
    this.paths?.stop();
    this.shades?.stop();
    this.wall?.stop();
    this.map.stop();
  }
}

/** The names in this browser, for a page without a server. @param {MapModel} model */
function browserNames({ header }) {
  return new DimensionNames({ key: header.name, stored: null }, header.axes.slice(), browserStorage());
}
