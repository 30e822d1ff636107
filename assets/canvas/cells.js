// Where the cells of a row (pixels, joints, columns) lie in its picture: what a brush covers, what
// the keys go through.

class ImageCells {
  constructor(drawing) {
    this.drawing = drawing;
    [this.rows, this.columns] = drawing.shape;
    const side = Math.max(this.rows, this.columns);
    this.middle = Math.floor(this.rows / 2) * this.columns + Math.floor(this.columns / 2);
    this.brushes = { least: 1, most: Math.max(2, Math.round(side / 2)), first: Math.max(1, Math.round(side / 6)) };
  }

  /** Pixels whose middle lies under a round brush of so many pixels' diameter, at (x, y). */
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

  radius(size, frame) {
    return Math.max(size / 2, 0.71) * imageBox(this.drawing, frame.width, frame.height).fit;
  }

  place(cell, frame) {
    const { x, y, fit } = imageBox(this.drawing, frame.width, frame.height);
    return [x + ((cell % this.columns) + 0.5) * fit, y + (Math.floor(cell / this.columns) + 0.5) * fit];
  }

  step(cell, dx, dy) {
    const column = Math.min(Math.max((cell % this.columns) + dx, 0), this.columns - 1);
    const row = Math.min(Math.max(Math.floor(cell / this.columns) + dy, 0), this.rows - 1);
    return row * this.columns + column;
  }

  name(cell) {
    return `pixel in row ${Math.floor(cell / this.columns) + 1}, column ${(cell % this.columns) + 1}`;
  }
}

const REACH = 16; // CSS pixels within which a joint is meant

class JointCells {
  constructor(drawing) {
    this.drawing = drawing;
    this.brushes = null;
    this.middle = 0;
    const { parents } = drawing.skeleton;
    this.children = parents.map((_, joint) => parents.flatMap((parent, child) => (parent === joint ? [child] : [])));
  }

  places(frame) {
    return jointPlaces(this.drawing, frame.values, frame.width, frame.height, frame.turn);
  }

  /** The joint nearest to (x, y), and with `limb` all that hang on it. */
  under(x, y, limb, frame) {
    let [best, least] = [-1, REACH * REACH];
    this.places(frame).forEach(([px, py], joint) => {
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (distance < least) [best, least] = [joint, distance];
    });
    return best < 0 ? [] : limb ? this.limb(best) : [best];
  }

  limb(joint) {
    return [joint, ...this.children[joint].flatMap((child) => this.limb(child))];
  }

  place(cell, frame) {
    return this.places(frame)[cell];
  }

  step(cell, dx, dy) {
    const count = this.children.length;
    return (cell + (dx || -dy) + count) % count;
  }

  name(cell) {
    return this.drawing.skeleton.names[cell];
  }
}

class ColumnCells {
  constructor(drawing, count) {
    Object.assign(this, { drawing, count });
    this.middle = Math.floor(count / 2);
    this.brushes = drawing.kind === "bars" ? null
      : { least: 1, most: Math.max(2, Math.round(count / 3)), first: Math.max(1, Math.round(count / 10)) };
  }

  under(x, y, size, frame) {
    const middle = vectorFrame(this.drawing, this.count, frame.width, frame.height).at(x);
    const half = this.brushes ? size / 2 : 0;
    const found = [];
    for (let i = Math.max(0, Math.ceil(middle - half)); i <= Math.min(this.count - 1, middle + half); i++) found.push(i);
    return found;
  }

  radius(size, frame) {
    return (size / 2) * vectorFrame(this.drawing, this.count, frame.width, frame.height).step;
  }

  place(cell, frame) {
    const { px, top, bottom } = vectorFrame(this.drawing, this.count, frame.width, frame.height);
    return [px(cell), (top + bottom) / 2];
  }

  step(cell, dx) {
    return Math.min(Math.max(cell + dx, 0), this.count - 1);
  }

  name(cell) {
    return this.drawing.columns?.[cell] ?? `column ${cell + 1}`;
  }
}

function cellsFor(drawing, count) {
  if (drawing.kind === "image") return new ImageCells(drawing);
  if (drawing.kind === "skeleton") return new JointCells(drawing);
  return new ColumnCells(drawing, count);
}
