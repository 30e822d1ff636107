// The positions of a row's cells (pixels, joints, columns) in its picture, for the brush and the keys.

import { imageBox, jointPlaces, vectorFrame } from "../kit/geometry.js";

/** @import { Drawing, Turn } from "../kit/geometry.js" */

/** The position of a row on its canvas. @typedef {{ width: number, height: number, values: ArrayLike<number>, turn: Turn }} CellFrame */
/** @typedef {ImageCells | JointCells | ColumnCells} Cells */

class ImageCells {
  /** @param {Drawing} drawing */
  constructor(drawing) {
    this.drawing = drawing;
    this.rows = drawing.shape[0];
    this.columns = drawing.shape[1];
    const side = Math.max(this.rows, this.columns);
    this.middle = Math.floor(this.rows / 2) * this.columns + Math.floor(this.columns / 2);
    this.brushes = { least: 1, most: Math.max(2, Math.round(side / 2)), first: Math.max(1, Math.round(side / 6)) };
  }

  /**
   * Return the pixels whose centre is under a round brush at (x, y); size: the diameter in pixels.
   * @param {number} x
   * @param {number} y
   * @param {number} size
   * @param {CellFrame} frame
   */
  under(x, y, size, frame) {
    const { x: left, y: top, fit } = imageBox(this.drawing, frame.width, frame.height);
    const [column, row] = [(x - left) / fit - 0.5, (y - top) / fit - 0.5];
    const radius = Math.max(size / 2, 0.71);
    const found = [];
    for (let r = Math.max(0, Math.ceil(row - radius)); r <= Math.min(this.rows - 1, row + radius); r++) {
      for (let c = Math.max(0, Math.ceil(column - radius)); c <= Math.min(this.columns - 1, column + radius); c++) {
        if ((r - row) ** 2 + (c - column) ** 2 <= radius * radius) found.push(r * this.columns + c);
      }
    }
    return found;
  }

  /** @param {number} size @param {CellFrame} frame */
  radius(size, frame) {
    return Math.max(size / 2, 0.71) * imageBox(this.drawing, frame.width, frame.height).fit;
  }

  /** @param {number} cell @param {CellFrame} frame @returns {[number, number]} */
  place(cell, frame) {
    const { x, y, fit } = imageBox(this.drawing, frame.width, frame.height);
    return [x + ((cell % this.columns) + 0.5) * fit, y + (Math.floor(cell / this.columns) + 0.5) * fit];
  }

  /** @param {number} cell @param {number} dx @param {number} dy */
  step(cell, dx, dy) {
    const column = Math.min(Math.max((cell % this.columns) + dx, 0), this.columns - 1);
    const row = Math.min(Math.max(Math.floor(cell / this.columns) + dy, 0), this.rows - 1);
    return row * this.columns + column;
  }

  /** @param {number} cell */
  name(cell) {
    return `pixel in row ${Math.floor(cell / this.columns) + 1}, column ${(cell % this.columns) + 1}`;
  }
}

const REACH = 16; // CSS pixels within which a joint is selected

class JointCells {
  /** A click selects a joint, so there is no brush size. @type {null} */
  brushes = null;

  /** @param {Drawing} drawing */
  constructor(drawing) {
    this.drawing = drawing;
    this.middle = 0;
    const { parents } = drawing.skeleton;
    this.children = parents.map((_, joint) => parents.flatMap((parent, child) => (parent === joint ? [child] : [])));
  }

  /** @param {CellFrame} frame */
  places(frame) {
    return jointPlaces(this.drawing, frame.values, frame.width, frame.height, frame.turn);
  }

  /**
   * Return the joint nearest to (x, y); with `limb`, also all joints beyond it.
   * @param {number} x
   * @param {number} y
   * @param {boolean} limb
   * @param {CellFrame} frame
   */
  under(x, y, limb, frame) {
    let [best, least] = [-1, REACH * REACH];
    this.places(frame).forEach(([px, py], joint) => {
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (distance < least) [best, least] = [joint, distance];
    });
    return best < 0 ? [] : limb ? this.limb(best) : [best];
  }

  /** Return a joint and all joints beyond it. @param {number} joint @returns {number[]} */
  limb(joint) {
    return [joint, ...this.children[joint].flatMap((child) => this.limb(child))];
  }

  /** @param {number} cell @param {CellFrame} frame @returns {[number, number]} */
  place(cell, frame) {
    return this.places(frame)[cell];
  }

  /** @param {number} cell @param {number} dx @param {number} dy */
  step(cell, dx, dy) {
    const count = this.children.length;
    return (cell + (dx || -dy) + count) % count;
  }

  /** @param {number} cell */
  name(cell) {
    return this.drawing.skeleton.names[cell];
  }
}

class ColumnCells {
  /** @param {Drawing} drawing @param {number} count */
  constructor(drawing, count) {
    this.drawing = drawing;
    this.count = count;
    this.middle = Math.floor(count / 2);
    this.brushes = drawing.kind === "bars" ? null
      : { least: 1, most: Math.max(2, Math.round(count / 3)), first: Math.max(1, Math.round(count / 10)) };
  }

  /** @param {number} x @param {number} y @param {number} size @param {CellFrame} frame */
  under(x, y, size, frame) {
    const middle = vectorFrame(this.drawing, this.count, frame.width, frame.height).at(x);
    const half = this.brushes ? size / 2 : 0;
    const found = [];
    for (let i = Math.max(0, Math.ceil(middle - half)); i <= Math.min(this.count - 1, middle + half); i++) found.push(i);
    return found;
  }

  /** @param {number} size @param {CellFrame} frame */
  radius(size, frame) {
    return (size / 2) * vectorFrame(this.drawing, this.count, frame.width, frame.height).step;
  }

  /** @param {number} cell @param {CellFrame} frame @returns {[number, number]} */
  place(cell, frame) {
    const { px, top, bottom } = vectorFrame(this.drawing, this.count, frame.width, frame.height);
    return [px(cell), (top + bottom) / 2];
  }

  /** @param {number} cell @param {number} dx */
  step(cell, dx) {
    return Math.min(Math.max(cell + dx, 0), this.count - 1);
  }

  /** @param {number} cell */
  name(cell) {
    return this.drawing.columns?.[cell] ?? `column ${cell + 1}`;
  }
}

/** @param {Drawing} drawing @param {number} count */
export function cellsFor(drawing, count) {
  if (drawing.kind === "image") return new ImageCells(drawing);
  if (drawing.kind === "skeleton") return new JointCells(drawing);
  return new ColumnCells(drawing, count);
}
