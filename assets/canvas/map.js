// The latent map: view, shading, trajectories, points, ellipses, thumbnails (lower canvas), and the
// chosen point with what the pointer is on (upper canvas, redrawn at every move).

const MARGIN = 0.1;
const THUMBNAIL = 40;
const HIT = 6; // CSS pixels within which the pointer is on a training point

class LatentMap {
  constructor(lower, upper, model, state) {
    Object.assign(this, { lower, upper, model, state });
    this.view = { u: 0, v: 0, su: 1, sv: 1 };
    this.shading = new Shading(model, () => this.drawLower());
    this.pictures = new Map();
    this.width = this.height = 0;
  }

  // --- view -----------------------------------------------------------------------------------

  /** Show all training points. */
  fit() {
    const { model } = this;
    const range = (q) => {
      let [low, high] = [Infinity, -Infinity];
      for (let n = 0; n < model.nPoints; n++) {
        const value = model.latent[n * model.nLatent + q];
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
      const half = Math.max((high - low) / 2, 1e-6);
      return [(low + high) / 2, half * (1 + 2 * MARGIN)];
    };
    const [u, su] = range(this.state.a);
    const [v, sv] = range(this.state.b);
    this.view = { u, v, su, sv };
    this.home = { ...this.view };
    const { a, b } = this.state;
    this.shading.calibrate(this.model.slice(this.model.position(this.model.header.start), a, b), this.view);
    this.refresh();
  }

  toPixel(u, v) {
    const { view, width, height } = this;
    return [(0.5 + (u - view.u) / (2 * view.su)) * width, (0.5 - (v - view.v) / (2 * view.sv)) * height];
  }

  toLatent(x, y) {
    const { view, width, height } = this;
    return [view.u + (x / width - 0.5) * 2 * view.su, view.v - (y / height - 0.5) * 2 * view.sv];
  }

  zoom(x, y, factor) {
    const [u, v] = this.toLatent(x, y);
    const next = this.view.su / factor / this.home.su;
    if (next > 6 || next < 1e-3) return;
    this.view.su /= factor;
    this.view.sv /= factor;
    this.view.u = u + (this.view.u - u) / factor;
    this.view.v = v + (this.view.v - v) / factor;
    this.refresh();
  }

  pan(dx, dy) {
    this.view.u -= (dx / this.width) * 2 * this.view.su;
    this.view.v += (dy / this.height) * 2 * this.view.sv;
    this.refresh();
  }

  /** Move the view just enough that a point is inside. */
  reveal(u, v) {
    const { view } = this;
    view.u += Math.max(0, u - view.u - 0.94 * view.su) - Math.max(0, view.u - 0.94 * view.su - u);
    view.v += Math.max(0, v - view.v - 0.94 * view.sv) - Math.max(0, view.v - 0.94 * view.sv - v);
  }

  resize(width, height) {
    [this.width, this.height] = [width, height];
    this.refresh();
  }

  // --- drawing --------------------------------------------------------------------------------

  /** The plane or the view changed: draw with the old shading now, ask for a new one. */
  refresh() {
    if (!this.width) return;
    const { a, b, point, theme } = this.state;
    this.shading.request(this.model.slice(point, a, b), this.view, this.width, this.height, theme);
    this.drawLower();
    this.drawUpper();
  }

  drawLower() {
    if (!this.width) return;
    const context = fitCanvas(this.lower, this.width, this.height);
    this.place();
    this.drawShading(context);
    drawMapAxes(context, this);
    if (this.state.show.trajectories) this.drawTrajectories(context);
    if (this.state.show.ellipses) this.drawEllipses(context);
    this.drawPoints(context);
    if (this.state.show.thumbnails) this.drawThumbnails(context);
  }

  /** Pixel positions and opacities of the training points in this view. */
  place() {
    const { model } = this;
    const { a, b, point, selected } = this.state;
    const Q = model.nLatent;
    const others = model.header.on.filter((q) => q !== a && q !== b);
    this.places = new Float32Array(2 * model.nPoints);
    this.opacity = new Float32Array(model.nPoints);
    for (let n = 0; n < model.nPoints; n++) {
      const [x, y] = this.toPixel(model.latent[n * Q + a], model.latent[n * Q + b]);
      this.places[2 * n] = x;
      this.places[2 * n + 1] = y;
      // Points far from this plane in the other dimensions step back: they do not explain it.
      let distance = 0;
      for (const q of others) distance += model.relevance[q] * (point[q] - model.latent[n * Q + q]) ** 2;
      this.opacity[n] = 0.3 + 0.7 * Math.exp(-0.5 * distance);
      if (selected.size && !selected.has(model.labels?.[n])) this.opacity[n] *= 0.18;
    }
  }

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

  drawTrajectories(context) {
    const { model, places } = this;
    const { sequences, order, labels } = model;
    context.lineWidth = 1.2;
    context.lineJoin = "round";
    for (let i = 0; i + 1 < order.length; ) {
      const sequence = sequences[order[i]];
      const style = labelStyle(labels ? labels[order[i]] : -1, model.header.palette, this.state.theme);
      context.strokeStyle = css(style.colour, 0.55);
      context.beginPath();
      context.moveTo(places[2 * order[i]], places[2 * order[i] + 1]);
      for (i += 1; i < order.length && sequences[order[i]] === sequence; i++) {
        context.lineTo(places[2 * order[i]], places[2 * order[i] + 1]);
      }
      context.stroke();
    }
  }

  /** One standard deviation of q(x_n), per point. */
  drawEllipses(context) {
    const { model, places, opacity } = this;
    const { a, b, theme } = this.state;
    const Q = model.nLatent;
    const [ku, kv] = [this.width / (2 * this.view.su), this.height / (2 * this.view.sv)];
    context.lineWidth = 1;
    for (let n = 0; n < model.nPoints; n++) {
      const ru = Math.sqrt(model.latent_variance[n * Q + a]) * ku;
      const rv = Math.sqrt(model.latent_variance[n * Q + b]) * kv;
      const { colour } = labelStyle(model.labels ? model.labels[n] : -1, model.header.palette, theme);
      context.beginPath();
      context.ellipse(places[2 * n], places[2 * n + 1], ru, rv, 0, 0, 2 * Math.PI);
      context.strokeStyle = css(colour, 0.5 * opacity[n]);
      context.stroke();
    }
  }

  drawPoints(context) {
    const { model, places, opacity } = this;
    const { theme } = this.state;
    const size = this.pointSize();
    for (let n = 0; n < model.nPoints; n++) {
      const { colour, marker } = labelStyle(model.labels ? model.labels[n] : -1, model.header.palette, theme);
      tracePath(context, marker, places[2 * n], places[2 * n + 1], size);
      context.fillStyle = css(colour, opacity[n]);
      context.fill();
      context.strokeStyle = css(theme.known, 0.7 * opacity[n]);
      context.lineWidth = 0.8;
      context.stroke();
    }
  }

  pointSize() {
    return this.model.nPoints > 900 ? 3 : this.model.nPoints > 300 ? 3.8 : 4.6;
  }

  /** As many thumbnails as fit without covering each other. */
  drawThumbnails(context) {
    const { model, places, opacity } = this;
    const taken = [];
    const half = THUMBNAIL / 2;
    for (let n = 0; n < model.nPoints; n++) {
      const [x, y] = [places[2 * n], places[2 * n + 1]];
      if (x < half || y < half || x > this.width - half || y > this.height - half) continue;
      if (opacity[n] < 0.2) continue;
      if (taken.some(([p, q]) => Math.abs(p - x) < THUMBNAIL + 3 && Math.abs(q - y) < THUMBNAIL + 3)) continue;
      taken.push([x, y]);
      this.drawItem(context, n, x - half, y - half, THUMBNAIL);
    }
  }

  /** The training item n (of several pictures, the one numbered `which`) small, with a frame in its label's colour. */
  drawItem(context, n, x, y, size, which = 0) {
    const { model } = this;
    const { theme } = this.state;
    const of = model.pictured[which];
    const key = `${which}:${n}:${size}:${theme.dark}`;
    if (!this.pictures.has(key)) {
      if (this.pictures.size > 600) this.pictures.clear();
      this.pictures.set(key, thumbnailPicture(of, n, size, theme));
    }
    const picture = this.pictures.get(key);
    const { colour } = labelStyle(model.labels ? model.labels[n] : -1, model.header.palette, theme);
    context.drawImage(picture, x, y, size, size);
    context.strokeStyle = css(colour);
    context.lineWidth = 1.5;
    context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
  }

  /** The training point under the pointer, or −1. */
  hit(x, y) {
    let [best, least] = [-1, HIT * HIT];
    for (let n = 0; n < this.model.nPoints; n++) {
      const distance = (this.places[2 * n] - x) ** 2 + (this.places[2 * n + 1] - y) ** 2;
      if (distance < least && this.opacity[n] > 0.2) [best, least] = [n, distance];
    }
    return best;
  }

  drawUpper() {
    if (!this.width) return;
    const context = fitCanvas(this.upper, this.width, this.height);
    const { theme, a, b, point, hover, hovered } = this.state;
    const [x, y] = this.toPixel(point[a], point[b]);
    const halo = css(theme.background, 0.9);
    this.drawWay(context, x, y);
    context.lineWidth = 4;
    context.strokeStyle = halo;
    const ring = () => {
      context.beginPath();
      context.arc(x, y, 8, 0, 2 * Math.PI);
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        context.moveTo(x + 8 * dx, y + 8 * dy);
        context.lineTo(x + 14 * dx, y + 14 * dy);
      }
      context.stroke();
    };
    ring();
    context.lineWidth = 2;
    context.strokeStyle = css(theme.text);
    ring();
    if (hover && hovered < 0) {
      const [hx, hy] = this.toPixel(hover[0], hover[1]);
      context.beginPath();
      context.arc(hx, hy, 3.5, 0, 2 * Math.PI);
      context.fillStyle = css(theme.accent);
      context.fill();
      context.lineWidth = 1.5;
      context.strokeStyle = halo;
      context.stroke();
    }
    if (hovered >= 0) this.drawHovered(context, hovered);
  }

  /** Where one axis is held, the line on which the chosen point can move. */
  drawWay(context, x, y) {
    const { a, b, held, theme } = this.state;
    if (held.has(a) === held.has(b)) return;
    context.beginPath();
    context.moveTo(...(held.has(a) ? [x, 0] : [0, y]));
    context.lineTo(...(held.has(a) ? [x, this.height] : [this.width, y]));
    context.setLineDash([6, 5]);
    context.lineWidth = 1.5;
    context.strokeStyle = css(theme.accent, 0.8);
    context.stroke();
    context.setLineDash([]);
  }

  /** The hovered training point in front of all others, with its picture. */
  drawHovered(context, n) {
    const { model } = this;
    const { theme } = this.state;
    const [x, y] = [this.places[2 * n], this.places[2 * n + 1]];
    const { colour, marker } = labelStyle(model.labels ? model.labels[n] : -1, model.header.palette, theme);
    tracePath(context, marker, x, y, this.pointSize() + 2.5);
    context.fillStyle = css(colour);
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = css(theme.background);
    context.stroke();
    const size = 64;
    const count = model.pictured.length;
    const wide = count * (size + 4) - 4;
    const left = x + 16 + wide > this.width ? Math.max(x - 16 - wide, 4) : x + 16;
    const top = Math.min(Math.max(y - size / 2, 4), this.height - size - 22);
    context.fillStyle = css(theme.background, 0.95);
    context.fillRect(left - 4, top - 4, wide + 8, size + 24);
    for (let i = 0; i < count; i++) this.drawItem(context, n, left + i * (size + 4), top, size, i);
    context.font = `600 11px ${theme.font}`;
    context.fillStyle = css(theme.text);
    context.textAlign = "center";
    context.textBaseline = "middle";
    const name = model.labelName(n);
    context.fillText(name ?? `row ${n + 1}`, left + wide / 2, top + size + 10, wide + 4);
  }

  stop() {
    this.shading.stop();
  }
}
