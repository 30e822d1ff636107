// Very many points of a plane, sorted into the cells of a grid. The grid finds points in view, near a place
// or inside a line without a search through all points.

const CELL_POINTS = 8; // points per cell if evenly distributed
const MOST_CELLS = 512; // cells along a side
const TRIED = 4096; // points from which the grid's extent is estimated
const OUTLYING = 0.005; // fraction of these points beyond either side, which are put into the outer cells

/** Range across, then range up. @typedef {[number, number, number, number]} Box */

/** Return the range of most of the numbers. @param {Float32Array} numbers @returns {[number, number]} */
function usualRange(numbers) {
  const step = Math.max(1, Math.floor(numbers.length / TRIED));
  const tried = Float32Array.from({ length: Math.ceil(numbers.length / step) }, (_, i) => numbers[i * step]).sort();
  const at = (/** @type {number} */ share) => tried[Math.round(share * (tried.length - 1))];
  const [low, high] = [at(OUTLYING), at(1 - OUTLYING)];
  return high > low ? [low, high] : [low - 0.5, low + 0.5];
}

export class PointGrid {
  /** @param {Float32Array} across of every point @param {Float32Array} up */
  constructor(across, up) {
    const count = across.length;
    const side = Math.min(Math.max(Math.round(Math.sqrt(count / CELL_POINTS)), 1), MOST_CELLS);
    this.side = side;
    const [[left, right], [bottom, top]] = [usualRange(across), usualRange(up)];
    this.left = left;
    this.bottom = bottom;
    this.du = (right - left) / side;
    this.dv = (top - bottom) / side;
    const cells = new Uint32Array(count);
    /** Where every cell's points start; cells and points are in rows from the bottom. */
    this.starts = new Uint32Array(side * side + 1);
    for (let n = 0; n < count; n++) {
      cells[n] = this.row(up[n]) * side + this.column(across[n]);
      this.starts[cells[n] + 1] += 1;
    }
    for (let i = 0; i < side * side; i++) this.starts[i + 1] += this.starts[i];
    const next = this.starts.slice(0, -1);
    /** The numbers of the points, in the order of the grid. */
    this.points = new Uint32Array(count);
    this.us = new Float32Array(count);
    this.vs = new Float32Array(count);
    for (let n = 0; n < count; n++) {
      const at = next[cells[n]]++;
      [this.points[at], this.us[at], this.vs[at]] = [n, across[n], up[n]];
    }
  }

  /** @param {number} u */
  column(u) {
    return Math.min(Math.max(Math.floor((u - this.left) / this.du), 0), this.side - 1);
  }

  /** @param {number} v */
  row(v) {
    return Math.min(Math.max(Math.floor((v - this.bottom) / this.dv), 0), this.side - 1);
  }

  /**
   * Call `take` with ranges of points, one per row of cells; together, they contain all points of a box, and some
   * others.
   * @param {Box} box
   * @param {(from: number, to: number) => void} take
   */
  stretches([u0, u1, v0, v1], take) {
    const [first, last] = [this.column(u0), this.column(u1)];
    for (let row = this.row(v0); row <= this.row(v1); row++) {
      const [from, to] = [this.starts[row * this.side + first], this.starts[row * this.side + last + 1]];
      if (from < to) take(from, to);
    }
  }

  /** Return the number of points in the cells that a box touches: all points of the box, and some others. @param {Box} box */
  countAround(box) {
    let count = 0;
    this.stretches(box, (from, to) => (count += to - from));
    return count;
  }

  /** Return the points of a box. @param {Box} box */
  within(box) {
    const [u0, u1, v0, v1] = box;
    const { us, vs, points } = this;
    /** @type {number[]} */
    const found = [];
    this.stretches(box, (from, to) => {
      for (let i = from; i < to; i++) if (us[i] >= u0 && us[i] <= u1 && vs[i] >= v0 && vs[i] <= v1) found.push(points[i]);
    });
    return found;
  }

  /**
   * Return the nearest point within an ellipse of half axes (ru, rv) around a place, or −1.
   * @param {number} u
   * @param {number} v
   * @param {number} ru
   * @param {number} rv
   */
  nearestWithin(u, v, ru, rv) {
    const { us, vs, points } = this;
    let [best, least] = [-1, 1];
    this.stretches([u - ru, u + ru, v - rv, v + rv], (from, to) => {
      for (let i = from; i < to; i++) {
        const distance = ((us[i] - u) / ru) ** 2 + ((vs[i] - v) / rv) ** 2;
        if (distance < least) [best, least] = [points[i], distance];
      }
    });
    return best;
  }

  /**
   * Return the points inside a closed line, by the even-odd rule; cells that the line does not cross are taken completely.
   * @param {[number, number][]} line closed from its end to its beginning
   * @returns {Uint32Array} sorted
   */
  enclosed(line) {
    const { side, starts, us, vs, points } = this;
    const taken = new Uint8Array(points.length);
    let count = 0;
    const take = (/** @type {number} */ i) => {
      taken[points[i]] = 1;
      count += 1;
    };
    const edges = line.map(([u1, v1], i) => {
      const [u2, v2] = line[(i + 1) % line.length];
      return { u1, v1, slope: (u2 - u1) / (v2 - v1), low: Math.min(v1, v2), high: Math.max(v1, v2), left: Math.min(u1, u2), right: Math.max(u1, u2) };
    });
    const crossing = (/** @type {{ u1: number, v1: number, slope: number }} */ edge, /** @type {number} */ v) => edge.u1 + (v - edge.v1) * edge.slope;
    const [bottom, top] = [Math.min(...line.map(([, v]) => v)), Math.max(...line.map(([, v]) => v))];
    const crossed = new Uint8Array(side);
    for (let row = this.row(bottom); row <= this.row(top); row++) {
      // Points beyond the grid are in its outer cells.
      const low = row === 0 ? -Infinity : this.bottom + row * this.dv;
      const high = row === side - 1 ? Infinity : this.bottom + (row + 1) * this.dv;
      const here = edges.filter((edge) => edge.low <= high && edge.high >= low);
      crossed.fill(0);
      for (const edge of here) {
        // The part of the edge in this row of cells; one cell more on both sides allows for rounding.
        const ends = edge.low === edge.high ? [edge.left, edge.right] : [crossing(edge, Math.max(low, edge.low)), crossing(edge, Math.min(high, edge.high))];
        crossed.fill(1, Math.max(this.column(Math.min(...ends)) - 1, 0), this.column(Math.max(...ends)) + 2);
      }
      crossed[0] = crossed[side - 1] = 1;
      const rim = row === 0 || row === side - 1;
      const middle = this.bottom + (row + 0.5) * this.dv;
      for (let column = 0; column < side; column++) {
        const [from, to] = [starts[row * side + column], starts[row * side + column + 1]];
        if (from === to) continue;
        if (rim || crossed[column]) {
          for (let i = from; i < to; i++) if (within(us[i], vs[i])) take(i);
        } else if (within(this.left + (column + 0.5) * this.du, middle)) {
          for (let i = from; i < to; i++) take(i);
        }
      }
      /** @param {number} u @param {number} v */
      function within(u, v) {
        let inside = false;
        for (const edge of here) if (edge.low <= v && v < edge.high && u < crossing(edge, v)) inside = !inside;
        return inside;
      }
    }
    const found = new Uint32Array(count);
    for (let n = 0, at = 0; at < count; n++) if (taken[n]) found[at++] = n;
    return found;
  }
}
