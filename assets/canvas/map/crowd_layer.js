// Very many rows on a map: shading if many of them are in view, dots if few are.

import { bareStyle, labelStyle } from "../kit/theme.js";
import { factStyle } from "./colours.js";
import { DensityPicture } from "./density_picture.js";
import { PointGrid } from "../geometry/grid.js";
import { drawDots } from "./layers.js";

/** @import { Crowd } from "../geometry/crowd.js" */
/** @import { Kind } from "../geometry/density.js" */
/** @import { Box } from "../geometry/grid.js" */
/** @import { LatentMap } from "./map.js" */

const MOST_DOTS = 1200; // the most points in view that are drawn as dots; more points are drawn as shading
const MOST_MOVING = 300_000; // the most points that a frame counts while the map moves
const CROWD_REST_MS = 120; // pause after which all points are counted
const STEPS = 60; // number of colours of a scale
const ASIDE = 0.12; // weight of a point that is not selected, relative to a selected point

export class CrowdLayer {
  /** @param {LatentMap} map @param {Crowd} crowd */
  constructor(map, crowd) {
    this.map = map;
    this.crowd = crowd;
    this.density = new DensityPicture();
    /** @type {PointGrid | null} */
    this.found = null;
    /** The columns of the grid. @type {[any, any]} */
    this.of = [null, null];
    /** The kinds of the grid's points, and the state on which the kinds depend. */
    this.kinds = new Uint8Array(0);
    /** @type {unknown[]} */
    this.styled = [];
    /** @type {Kind[]} */
    this.look = [];
    /** The rows that are drawn as dots; null while all are drawn as shading. @type {number[] | null} */
    this.dots = null;
    /** The timer that runs while the map moves. @type {ReturnType<typeof setTimeout> | undefined} */
    this.moving = undefined;
    crowd.onChange = () => map.crowdChanged();
  }

  /** Return all points in the shown plane; null until both columns are loaded. */
  grid() {
    const { a, b } = this.map.state;
    const [across, up] = [this.crowd.column(`${a}`), this.crowd.column(`${b}`)];
    if (!across || !up) return null;
    if (!this.found || this.of[0] !== across || this.of[1] !== up) {
      this.found = new PointGrid(across, up);
      this.of = [across, up];
    }
    return this.found;
  }

  /** Return the visible part of the plane, with a margin in CSS pixels. @param {number} [more] @returns {Box} */
  box(more = 0) {
    const { map } = this;
    const [left, top] = map.toLatent(-more, -more);
    const [right, bottom] = map.toLatent(map.width + more, map.height + more);
    return [left, right, bottom, top];
  }

  /** Draw fewer points until the map rests: a high frame rate matters more than every point. */
  moves() {
    clearTimeout(this.moving);
    this.moving = setTimeout(() => {
      this.moving = undefined;
      this.map.drawLower();
    }, CROWD_REST_MS);
  }

  stop() {
    clearTimeout(this.moving);
  }

  /** Draw all loaded rows. @param {CanvasRenderingContext2D} context */
  draw(context) {
    const grid = this.grid();
    this.dots = null;
    if (!grid) return false;
    const { map } = this;
    const box = this.box(10);
    const around = grid.countAround(box);
    // The outer cells extend beyond the box; with more cells, they extend less.
    const dots = around > 4 * MOST_DOTS ? null : grid.within(box);
    if (dots && dots.length <= MOST_DOTS) {
      this.dots = dots;
      drawDots(context, map, dots);
    } else {
      this.style(grid);
      const step = this.moving === undefined ? 1 : Math.ceil(around / MOST_MOVING);
      this.density.draw(context, grid, this.kinds, this.look, this.box(), map.width, map.height, step);
    }
    return true;
  }

  /** Sort the points into kinds after a change: by label or fact, and by selection. @param {PointGrid} grid */
  style(grid) {
    const { factor, selected, rows, theme } = this.map.state;
    const { model } = this.map;
    const column = factor < 0 ? this.crowd.column("labels") : this.crowd.column(`fact ${factor}`);
    const asked = [grid, column, factor, [...selected].join(), rows, theme.dark, theme.accent.join()];
    if (asked.every((each, i) => each === this.styled[i])) return;
    this.styled = asked;
    const { points } = grid;
    const own = new Uint8Array(this.crowd.count);
    /** @type {Kind[]} */
    let look;
    if (factor >= 0) {
      const [low, high] = model.factorRange(factor);
      const scale = Array.from({ length: STEPS }, (_, i) => low + ((high - low) * i) / (STEPS - 1));
      look = [...scale, NaN].map((value) => ({ colour: factStyle(model, theme, factor, value).colour, weight: 1 }));
      for (let n = 0; n < own.length; n++) {
        const value = column ? column[n] : model.factor(factor, n);
        own[n] = Number.isNaN(value) ? STEPS : Math.min(Math.max(Math.round((STEPS - 1) * (value - low) / (high - low)), 0), STEPS - 1);
      }
    } else {
      const { palette } = model.header;
      look = palette.map((/** @type {string} */ _, /** @type {number} */ i) => ({ colour: labelStyle(i, palette, theme).colour, weight: 1 }));
      look.push({ colour: bareStyle(theme).colour, weight: 1 });
      if (column) for (let n = 0; n < own.length; n++) own[n] = column[n] < 0 ? palette.length : column[n] % palette.length;
    }
    // A second set of the colours for points that are not selected.
    const half = look.length;
    this.look = [...look, ...look.map(({ colour }) => ({ colour, weight: ASIDE }))];
    const lit = rows.length ? new Uint8Array(own.length) : null;
    if (lit) for (let i = 0; i < rows.length; i++) lit[rows[i]] = 1;
    const labels = selected.size ? this.crowd.column("labels") : null;
    for (let n = 0; n < own.length; n++) {
      if ((lit && !lit[n]) || (labels && !selected.has(labels[n]))) own[n] += half;
    }
    this.kinds = new Uint8Array(own.length);
    for (let i = 0; i < own.length; i++) this.kinds[i] = own[points[i]];
  }

  /** Return a row within `reach` CSS pixels of a place, or −1. @param {number} x @param {number} y @param {number} reach */
  hit(x, y, reach) {
    const { map } = this;
    const [u, v] = map.toLatent(x, y);
    const [ru, rv] = [(reach * 2 * map.view.su) / map.width, (reach * 2 * map.view.sv) / map.height];
    return this.found?.nearestWithin(u, v, ru, rv) ?? -1;
  }

  /** Return the rows inside a closed line of CSS pixels. @param {[number, number][]} line */
  enclosed(line) {
    return this.found?.enclosed(line.map((place) => this.map.toLatent(...place))) ?? new Uint32Array(0);
  }
}
