// The visible part of a plane on a canvas, and the positions of points in CSS pixels.

const [MOST_OUT, MOST_IN] = [2.5, 0.02]; // limits of the view's half width, relative to the initial half width
const LEAST_SHARE = 0.4; // smallest fraction of the height that the points use, even if controls cover more

/** Centre and half widths of the visible part. @typedef {{ u: number, v: number, su: number, sv: number }} View */

export class PlaneView {
  constructor() {
    /** @type {View} */
    this.view = { u: 0, v: 0, su: 1, sv: 1 };
    this.home = this.view;
    this.width = 0;
    this.height = 0;
    /** The smallest half width, relative to the initial half width. */
    this.mostIn = MOST_IN;
  }

  /** Show the initial view; the limits of the zoom are relative to this view. @param {View} view */
  show(view) {
    this.view = view;
    this.home = { ...view };
  }

  /** Return the centre of the view and its zoom relative to the initial view, for a link; "" for the initial view. */
  get zoomed() {
    const { view, home } = this;
    const factor = home.su / view.su;
    const moved = Math.abs(view.u - home.u) / home.su + Math.abs(view.v - home.v) / home.sv;
    return Math.abs(factor - 1) < 0.01 && moved < 0.01 ? "" : [view.u, view.v, factor].map((value) => Number(value.toPrecision(4))).join(",");
  }

  /** Show the view that `zoomed` described, within limits; ignore anything else. @param {readonly number[]} numbers */
  zoomTo(numbers) {
    const [u, v, factor] = numbers;
    if (numbers.length !== 3 || !numbers.every(Number.isFinite) || factor <= 0) return;
    const share = Math.min(Math.max(1 / factor, this.mostIn), MOST_OUT);
    this.view = { u, v, su: share * this.home.su, sv: share * this.home.sv };
  }

  /** @param {number} u @param {number} v @returns {[number, number]} */
  toPixel(u, v) {
    const { view, width, height } = this;
    return [(0.5 + (u - view.u) / (2 * view.su)) * width, (0.5 - (v - view.v) / (2 * view.sv)) * height];
  }

  /** @param {number} x @param {number} y @returns {[number, number]} */
  toLatent(x, y) {
    const { view, width, height } = this;
    return [view.u + (x / width - 0.5) * 2 * view.su, view.v - (y / height - 0.5) * 2 * view.sv];
  }

  /**
   * Zoom about a pixel, within limits; return whether the view changed.
   * @param {number} x
   * @param {number} y
   * @param {number} wanted
   */
  zoomAt(x, y, wanted) {
    const { view } = this;
    const [u, v] = this.toLatent(x, y);
    const now = view.su / this.home.su;
    const factor = now / Math.min(Math.max(now / wanted, this.mostIn), Math.max(MOST_OUT, now));
    if (Math.abs(factor - 1) < 1e-9) return false;
    view.su /= factor;
    view.sv /= factor;
    view.u = u + (view.u - u) / factor;
    view.v = v + (view.v - v) / factor;
    return true;
  }

  /** Move by CSS pixels. @param {number} dx @param {number} dy */
  shift(dx, dy) {
    this.view.u -= (dx / this.width) * 2 * this.view.su;
    this.view.v += (dy / this.height) * 2 * this.view.sv;
  }

  /** Move the view just enough to show a point; return whether it moved. @param {number} u @param {number} v */
  reveal(u, v) {
    const { view } = this;
    const across = Math.max(0, u - view.u - 0.94 * view.su) - Math.max(0, view.u - 0.94 * view.su - u);
    const up = Math.max(0, v - view.v - 0.94 * view.sv) - Math.max(0, view.v - 0.94 * view.sv - v);
    view.u += across;
    view.v += up;
    return across !== 0 || up !== 0;
  }
}

const PRIOR = 2; // standard deviations of the prior, which has variance 1

/**
 * Return the range of a dimension on a map. The means of a dimension that is off are all almost 0, so its range is
 * taken from the prior.
 * @param {[number, number]} range
 * @param {boolean} off
 * @returns {[number, number]}
 */
export function mappedRange([low, high], off) {
  return off ? [Math.min(low, -PRIOR), Math.max(high, PRIOR)] : [low, high];
}

/**
 * Return the middle and half the width of a range of numbers, with a relative margin on both sides.
 * @param {[number, number]} range
 * @param {number} more
 * @returns {[number, number]}
 */
export function framed([low, high], more) {
  return [(low + high) / 2, Math.max((high - low) / 2, 1e-6) * (1 + more)];
}

/**
 * Return the middle and half the height of a view in which all points are between the covered edges.
 * @param {number} middle the middle of the points
 * @param {number} half half the height of the points
 * @param {number} more the relative margin on both sides, including covered edges
 * @param {number} above covered edges, as fractions of the view's height
 * @param {number} below
 * @returns {[number, number]}
 */
export function framedBetween(middle, half, more, above, below) {
  const margin = more / (1 + more) / 2;
  let [top, foot] = [Math.max(above, margin), Math.max(below, margin)];
  const shrink = Math.min(1, (1 - LEAST_SHARE) / (top + foot));
  [top, foot] = [shrink * top, shrink * foot];
  const view = half / (1 - top - foot);
  return [middle + (top - foot) * view, view];
}
