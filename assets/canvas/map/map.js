// The latent map: shading, trajectories, points, ellipses, thumbnails (lower canvas), and the chosen
// and hovered points (upper canvas, redrawn at every move).

import { AXIS_NAME_ROOM, axisNameBoxes, drawAxisNames, drawMapAxes } from "../kit/axes.js";
import { contextOf, fitCanvas } from "../kit/dom.js";
import { PlaneView, framed, framedBetween, mappedRange } from "../kit/plane.js";
import { css } from "../kit/theme.js";
import { CrowdLayer } from "./crowd_layer.js";
import { includes, rowsInside } from "../geometry/lasso.js";
import { drawDots, drawEllipses, drawHovered, drawMarks, drawNames, drawPath, drawThumbnails, drawTrail, drawTrajectories, drawWay } from "./layers.js";
import { NearPlane } from "../geometry/nearness.js";
import { inkDisc, inkPath } from "../kit/ink.js";
import { Shading } from "./shade.js";

/** @import { Chance } from "./chance.js" */
/** @import { Magnification } from "./magnification.js" */
/** @import { MapState } from "./scene.js" */
/** @import { Output } from "../geometry/model.js" */
/** @import { Slice } from "../geometry/slice.js" */
/** @import { LatentPoints } from "../geometry/points.js" */
/** @import { Levels } from "../geometry/levels.js" */

/**
 * What a map shows: points, the model's uncertainty, and pictures of the model's rows.
 * @typedef {LatentPoints & {
 *   items: any, pictured: Output[], levels?: Levels | null, slice: (x: Float64Array, a: number, b: number) => Slice<any>,
 *   variance: (x: Float64Array) => number, spreadWords: (variance: number) => string }} MapModel
 */

const MARGIN = 0.1;
const STEPPED_BACK = 0.18; // the opacity of rows that are not selected
const CLOSE = 1e-3; // the closest zoom on a map of very many rows, relative to the whole map
const HIT = 6; // CSS pixels within which the pointer is on a training point

export class LatentMap extends PlaneView {
  /**
   * @param {HTMLCanvasElement} lower
   * @param {HTMLCanvasElement} upper
   * @param {MapModel} model
   * @param {MapState} state
   */
  constructor(lower, upper, model, state) {
    super();
    this.lower = lower;
    this.upper = upper;
    this.model = model;
    this.state = state;
    this.shading = new Shading(() => this.drawLower());
    /** Small pictures of training rows, which are drawn at first use. @type {Map<string, HTMLCanvasElement>} */
    this.pictures = new Map();
    /** Pixel positions of the training points. */
    this.places = new Float32Array(0);
    this.opacity = new Float32Array(0);
    this.near = new NearPlane(model, state.a, state.b);
    /** All rows, for a model that has complete data only for a sample. */
    this.crowd = model.crowd && new CrowdLayer(this, model.crowd);
    if (this.crowd) this.mostIn = CLOSE;
    /** Called when more rows have loaded. @type {() => void} */
    this.onCrowd = () => {};
    /** The CSS pixels of the map that controls cover. */
    this.covered = { above: 0, below: 0 };
    /** The chosen shading; null for the uncertainty. @type {Magnification | Chance | null} */
    this.shadeBy = null;
  }

  // --- view -----------------------------------------------------------------------------------

  /** Show all training points, beside the controls and the names of the axes. */
  fit() {
    const { model, covered: { above, below }, height } = this;
    const { a, b } = this.state;
    const [u, su] = framed(mappedRange(model.range(a), this.off(a)), 2 * MARGIN);
    const [middle, half] = framed(mappedRange(model.range(b), this.off(b)), 0);
    let [top, foot] = [above + HIT, below + HIT]; // whole dots
    // Room for a name can move dots under the other name.
    for (let round = 0; round < 3; round++) {
      const [v, sv] = framedBetween(middle, half, 2 * MARGIN, top / (height || 1), foot / (height || 1));
      this.show({ u, v, su, sv });
      const [across, up] = this.namesOnDots();
      if (across) foot = below + AXIS_NAME_ROOM.below;
      if (up) top = above + AXIS_NAME_ROOM.above;
    }
    if (this.near.a !== a || this.near.b !== b) this.near = new NearPlane(model, a, b);
    this.calibrate();
    this.refresh();
  }

  /** Return of each axis, across and up, whether its name is on a training point. */
  namesOnDots() {
    const { model, state: { a, b } } = this;
    const places = Array.from({ length: model.nPoints }, (_, n) => this.toPixel(model.latent[n * model.nLatent + a], model.latent[n * model.nLatent + b]));
    return (this.width ? this.nameBoxes() : []).map(({ left, middle, width }) =>
      places.some(([x, y]) => x > left - HIT && x < left + width + HIT && Math.abs(y - middle) < 2 * HIT));
  }

  /** Return where the names of the axes are. */
  nameBoxes() {
    return axisNameBoxes(contextOf(this.lower), this, this.axisNames(), this.state.theme, this.covered);
  }

  /** Return the names of the axes, across and up. @returns {[string, string]} */
  axisNames() {
    const titled = (/** @type {number} */ q) => this.model.header.axes[q] + (this.off(q) ? " (off: it changes almost nothing)" : "");
    return [titled(this.state.a), titled(this.state.b)];
  }

  /** Return whether a dimension is switched off. @param {number} q */
  off(q) {
    const { on, n_latent } = this.model.header;
    return q < n_latent && !on.includes(q);
  }

  /** Fit the range of the shading to the whole map. */
  calibrate() {
    const { model } = this;
    this.shading.calibrate(this.slice(model.position(model.header.start)), this.home);
  }

  /** Whether a used dimension is outside the plane, so that it can follow the data. */
  canFollow() {
    const { a, b } = this.state;
    return this.model.header.on.some((/** @type {number} */ q) => q !== a && q !== b);
  }

  /** Whether the dimensions outside the plane follow the data; while a dimension is held, none of them do. */
  follows() {
    return this.state.follow && this.state.held.size === 0 && this.canFollow();
  }

  /** Return the surface to shade: the places that the pointer can reach if hidden dimensions follow the data, else the plane through x. @param {Float64Array} x */
  slice(x) {
    if (this.shadeBy) return this.shadeBy.slice(x);
    if (this.follows()) return this.near.slice((place) => this.model.variance(place));
    return this.model.slice(x, this.state.a, this.state.b);
  }

  /** @param {number} x @param {number} y @param {number} factor */
  zoom(x, y, factor) {
    if (!this.zoomAt(x, y, factor)) return;
    this.crowd?.moves();
    this.refresh();
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    this.shift(dx, dy);
    this.crowd?.moves();
    this.refresh();
  }

  /** @param {number} width @param {number} height */
  resize(width, height) {
    [this.width, this.height] = [width, height];
    this.refresh();
  }

  // --- drawing --------------------------------------------------------------------------------

  /** After a change of the plane or view, draw with the old shading, and request new shading. */
  refresh() {
    if (!this.width) return;
    const { point, theme } = this.state;
    this.shading.request(this.slice(point), this.view, this.width, this.height, theme);
    this.shadeBy?.refresh();
    this.drawLower();
    this.drawUpper();
  }

  /** Move the view just enough to show the chosen point. */
  revealPoint() {
    const { a, b, point } = this.state;
    return this.reveal(point[a], point[b]);
  }

  drawLower() {
    if (!this.width) return;
    this.drawLayers(fitCanvas(this.lower, this.width, this.height));
  }

  /** Draw everything on the map. @param {CanvasRenderingContext2D} context */
  drawLayers(context) {
    this.place();
    this.drawShading(context);
    this.shadeBy?.draw(context);
    const { a, b, theme } = this.state;
    drawMapAxes(context, this, theme, this.covered, [this.model.unit(a), this.model.unit(b)]);
    if (this.state.show.trajectories) drawTrajectories(context, this);
    if (this.state.show.ellipses) drawEllipses(context, this);
    if (!this.crowd?.draw(context)) drawDots(context, this, Array.from({ length: this.model.nPoints }, (_, n) => n));
    if (this.state.show.thumbnails) drawThumbnails(context, this);
    if (this.state.show.names) drawNames(context, this);
    drawAxisNames(context, this, this.axisNames(), theme, this.covered);
  }

  /** Compute the pixel positions and opacities of the training points in this view. */
  place() {
    const { model } = this;
    const { a, b, point, selected, rows } = this.state;
    const Q = model.nLatent;
    const others = model.header.on.filter((/** @type {number} */ q) => q !== a && q !== b);
    this.places = new Float32Array(2 * model.nPoints);
    this.opacity = new Float32Array(model.nPoints);
    const follows = this.follows() && !this.crowd;
    for (let n = 0; n < model.nPoints; n++) {
      const [x, y] = this.toPixel(model.latent[n * Q + a], model.latent[n * Q + b]);
      this.places[2 * n] = x;
      this.places[2 * n + 1] = y;
      // Fade points that are far away in the hidden dimensions, since they do not explain the shown place.
      let distance = follows ? this.near.stray(n) : 0;
      if (!follows && !this.crowd) for (const q of others) distance += model.relevance[q] * (point[q] - model.latent[n * Q + q]) ** 2;
      this.opacity[n] = 0.3 + 0.7 * Math.exp(-0.5 * distance);
      if (selected.size && !selected.has(model.label(n))) this.opacity[n] *= STEPPED_BACK;
      if (rows.length && !includes(rows, n)) this.opacity[n] *= STEPPED_BACK;
    }
  }

  /** Return a row's position in CSS pixels; rows beyond the sample have none until they are loaded. @param {number} n @returns {[number, number]} */
  placeOf(n) {
    if (n < this.model.nPoints) return [this.places[2 * n], this.places[2 * n + 1]];
    const { a, b } = this.state;
    return this.toPixel(this.model.crowd?.column(`${a}`)[n], this.model.crowd?.column(`${b}`)[n]);
  }

  /** @param {number} n */
  opacityOf(n) {
    if (n < this.model.nPoints) return this.opacity[n];
    const { selected, rows } = this.state;
    return (rows.length && !includes(rows, n)) || (selected.size && !selected.has(this.model.label(n))) ? STEPPED_BACK : 1;
  }

  /**
   * Return a row's position in all dimensions; a row beyond the sample gets hidden dimensions from the
   * sample's rows around it.
   * @param {number} n
   */
  positionOf(n) {
    const { model, state: { a, b, point } } = this;
    if (n < model.nPoints) return model.position(n);
    const place = Float64Array.from(point);
    [place[a], place[b]] = this.toLatent(...this.placeOf(n));
    return this.near.follow(place);
  }

  /** Whether the pointer can pick rows: it can pick dots, but not shading. */
  get picks() {
    return !this.crowd?.found || this.crowd.dots !== null;
  }

  /** Draw again after more rows have loaded. */
  crowdChanged() {
    this.drawLower();
    this.onCrowd();
  }

  /** Return the sorted rows inside a closed line of CSS pixels. @param {[number, number][]} line @returns {ArrayLike<number>} */
  enclosed(line) {
    return this.crowd?.found ? this.crowd.enclosed(line) : rowsInside(this.places, line);
  }

  /** @param {CanvasRenderingContext2D} context */
  drawShading(context) {
    context.fillStyle = css(this.state.theme.unknown);
    context.fillRect(0, 0, this.width, this.height);
    const { picture } = this.shading;
    if (!picture) return;
    const [x0, y0] = this.toPixel(picture.left, picture.top);
    const [x1, y1] = this.toPixel(picture.right, picture.bottom);
    context.imageSmoothingEnabled = true;
    context.imageSmoothingQuality = "high";
    context.drawImage(picture.canvas, x0, y0, x1 - x0, y1 - y0);
  }

  /** Return the training point under the pointer, or −1. @param {number} x @param {number} y */
  hit(x, y) {
    if (this.crowd?.found) return this.crowd.hit(x, y, HIT);
    let [best, least] = [-1, HIT * HIT];
    for (let n = 0; n < this.model.nPoints; n++) {
      const distance = (this.places[2 * n] - x) ** 2 + (this.places[2 * n + 1] - y) ** 2;
      if (distance < least && this.opacity[n] > 0.2) [best, least] = [n, distance];
    }
    return best;
  }

  drawUpper() {
    if (!this.width) return;
    this.drawInFront(fitCanvas(this.upper, this.width, this.height));
  }

  /** Draw the chosen point and the hovered point. @param {CanvasRenderingContext2D} context */
  drawInFront(context) {
    const { theme, a, b, point, hover, hovered } = this.state;
    const [x, y] = this.toPixel(point[a], point[b]);
    const halo = css(theme.background, 0.9);
    drawWay(context, this, x, y);
    drawMarks(context, this);
    drawPath(context, this);
    drawTrail(context, this);
    context.beginPath();
    context.arc(x, y, 8, 0, 2 * Math.PI);
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      context.moveTo(x + 8 * dx, y + 8 * dy);
      context.lineTo(x + 14 * dx, y + 14 * dy);
    }
    inkPath(context, { line: halo, width: 4 }, { line: css(theme.point), width: 2 });
    if (hover && hovered < 0) inkDisc(context, ...this.toPixel(...hover), 3.5, { fill: css(theme.accent), line: halo, width: 1.5 });
    if (hovered >= 0) drawHovered(context, this, hovered);
  }

  stop() {
    this.crowd?.stop();
    this.shadeBy?.stop();
    this.shading.stop();
  }
}
