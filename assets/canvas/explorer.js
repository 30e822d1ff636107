// The explorer: one model, one state, and the parts that show it. Knows nothing of Streamlit.

const SETTLE_MS = 450; // arrow keys and sliders: kept when they have rested this long

class Explorer {
  /**
   * root: the element that holds canvas.html; bytes: a packed model; start: {dims, point | null};
   * onCommit({point, dims}) is called whenever the visitor keeps a point or changes the pair.
   */
  constructor(root, bytes, start, onCommit) {
    this.parts = Object.fromEntries([...root.querySelectorAll("[data-part]")].map((node) => [node.dataset.part, node]));
    this.root = this.parts.explorer;
    this.onCommit = onCommit;
    this.model = new LatentModel(bytes);
    const { header } = this.model;
    this.first = { dims: header.dims, point: this.model.position(header.start) };
    const [a, b] = start.dims ?? header.dims;
    this.state = {
      a, b,
      point: start.point ? Float64Array.from(start.point) : Float64Array.from(this.first.point),
      hover: null,
      hovered: -1,
      selected: new Set(),
      show: { thumbnails: false, ellipses: false, trajectories: Boolean(this.model.sequences) },
      turn: { ...START_TURN },
      theme: readTheme(this.root),
    };
    this.output = new Float64Array(this.model.nOutputs);
    this.map = new LatentMap(this.parts.lower, this.parts.upper, this.model, this.state);
    this.details = new Details(this.parts.details, this.model, this.state);
    this.controls = new Controls(this);
    this.gestures = new Gestures(this.parts.upper, this.actions(), () =>
      this.map.toPixel(this.state.point[this.state.a], this.state.point[this.state.b]));
    this.turning();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.parts.map);
    this.observer.observe(this.parts.output.parentElement);
    this.observer.observe(this.parts.details);
    this.root.style.colorScheme = this.state.theme.dark ? "dark" : "light";
    this.resize();
    this.map.fit();
    this.controls.showShade();
    this.map.reveal(this.state.point[a], this.state.point[b]);
    this.paint();
    this.announce();
    this.root.dataset.ready = "true";
  }

  // --- what a visitor does --------------------------------------------------------------------

  actions() {
    const { map, state } = this;
    return {
      hover: (x, y, touch) => {
        state.hovered = touch ? -1 : map.hit(x, y);
        state.hover = map.toLatent(x, y);
        this.paint();
      },
      leave: () => {
        state.hover = null;
        state.hovered = -1;
        this.paint();
      },
      drag: (x, y) => {
        state.hover = null;
        this.place(...map.toLatent(x, y));
        this.paint();
      },
      commit: (x, y, touch) => {
        const hit = touch ? -1 : map.hit(x, y);
        if (hit >= 0) this.moveTo(this.model.position(hit));
        else this.place(...map.toLatent(x, y));
        if (touch) state.hover = null;
        this.keep();
      },
      pan: (dx, dy) => map.pan(dx, dy),
      zoom: (x, y, factor) => map.zoom(x, y, factor),
      nudge: (du, dv) => {
        const { view } = map;
        state.hover = null;
        state.hovered = -1;
        this.place(state.point[state.a] + 2 * du * view.su, state.point[state.b] + 2 * dv * view.sv);
        map.reveal(state.point[state.a], state.point[state.b]);
        map.refresh();
        this.paint();
        this.settle();
      },
      keep: () => this.keep(),
      reset: () => this.reset(),
    };
  }

  /** Move the chosen point within the plane. */
  place(u, v) {
    this.state.point[this.state.a] = u;
    this.state.point[this.state.b] = v;
  }

  /** Move the chosen point in all dimensions. */
  moveTo(point) {
    this.state.point.set(point);
    this.controls.showPoint();
    this.map.refresh();
    this.paint();
  }

  /** One coordinate outside the plane. */
  fix(q, value) {
    this.state.point[q] = value;
    this.map.refresh();
    this.paint();
    this.settle();
  }

  /** Give the dimensions outside the plane the values of the point that is nearest in the plane. */
  takeFromNearest() {
    const { model, state } = this;
    const nearest = model.position(model.nearest(state.point, [state.a, state.b]));
    nearest[state.a] = state.point[state.a];
    nearest[state.b] = state.point[state.b];
    this.moveTo(nearest);
    this.keep();
  }

  setPair(a, b) {
    [this.state.a, this.state.b] = [a, b];
    this.state.hover = null;
    this.controls.showPair();
    this.map.fit();
    this.controls.showShade();
    this.map.reveal(this.state.point[a], this.state.point[b]);
    this.map.refresh();
    this.paint();
    this.keep();
  }

  reset() {
    this.state.selected.clear();
    this.state.point.set(this.first.point);
    this.state.turn = Object.assign(this.state.turn, START_TURN);
    this.controls.showLegend();
    this.setPair(...this.first.dims);
  }

  settle() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), SETTLE_MS);
  }

  /** Keep the point as it is now: Python is asked for what the browser does not compute. */
  keep() {
    clearTimeout(this.timer);
    const { state } = this;
    // Four decimals travel in the link, so the point is exactly what the link says.
    state.point.forEach((value, q) => (state.point[q] = Math.round(value * 1e4) / 1e4));
    this.controls.showPoint();
    this.paint();
    this.announce();
    this.root.dataset.waiting = "true";
    this.onCommit({ point: Array.from(state.point), dims: [state.a, state.b] });
  }

  showDetails(bytes) {
    delete this.root.dataset.waiting;
    this.details.load(bytes);
  }

  // --- drawing --------------------------------------------------------------------------------

  /** Draw the output and the pointer's mark at the next frame, once however often it is asked for. */
  paint() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.drawOutput();
      this.map.drawUpper();
    });
  }

  /** The point that the output belongs to: under the pointer, else the chosen one. */
  shownPoint() {
    const { state, model } = this;
    if (state.hovered >= 0) return model.position(state.hovered);
    const point = Float64Array.from(state.point);
    if (state.hover) [point[state.a], point[state.b]] = state.hover;
    return point;
  }

  drawOutput() {
    const { model, state } = this;
    const canvas = this.parts.output;
    const [width, height] = this.outputSize ?? [0, 0];
    if (!width) return;
    const point = this.shownPoint();
    const variance = model.predict(point, this.output);
    const context = fitCanvas(canvas, width, height);
    const spread = ["curve", "bars"].includes(model.drawing.kind)
      ? new Float64Array(model.nOutputs).fill(model.deviation(variance)) : null;
    drawOutput(context, model.drawing, this.output, width, height, { theme: state.theme, turn: state.turn, spread });
    this.controls.readout(point, model.deviation(variance));
  }

  resize() {
    const { map, output } = this.parts;
    const { clientWidth, clientHeight } = map;
    if (clientWidth !== this.map.width || clientHeight !== this.map.height) this.map.resize(clientWidth, clientHeight);
    const width = output.parentElement.clientWidth;
    const natural = outputHeight(this.model.drawing, width);
    const height = Math.min(natural, this.root.clientWidth >= 720 ? 400 : 240);
    if (String([width, height]) !== String(this.outputSize)) {
      this.outputSize = [width, height];
      output.style.height = `${height}px`;
      this.paint();
    }
    this.details.draw();
  }

  /** Drag on the output of a stick figure: turn it, and every other figure with it. */
  turning() {
    if (this.model.drawing.kind !== "skeleton") return;
    const canvas = this.parts.output;
    const turn = (dx, dy) => {
      this.state.turn.yaw += dx;
      this.state.turn.pitch = Math.min(Math.max(this.state.turn.pitch + dy, -1.4), 1.4);
      this.paint();
      this.details.draw();
    };
    canvas.classList.add("turns");
    canvas.tabIndex = 0;
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) turn(event.movementX * 0.011, event.movementY * 0.008);
    });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
      if (!step) return;
      event.preventDefault();
      turn(...step);
    });
  }

  /** Words for those who do not see the picture. */
  announce() {
    const { model, state, parts } = this;
    const deviation = formatNumber(model.deviation(model.predict(state.point, this.output)));
    const n = model.nearest(state.point);
    const at = [state.a, state.b].map((q) => `dimension ${q + 1} at ${formatCoordinate(state.point[q])}`).join(", ");
    const near = model.labelName(n) ?? `row ${n + 1}`;
    parts.announce.textContent = `Point kept: ${at}. Standard deviation ${deviation}. Nearest training item: ${near}.`;
    parts.output.setAttribute("aria-label", `Generated ${model.drawing.kind === "skeleton" ? "stick figure" : model.drawing.kind}; ${at}; nearest training item ${near}`);
    parts.upper.setAttribute("aria-label",
      `Latent map of ${model.nPoints} training points, ${at}. Arrow keys move the point, Enter keeps it, plus and minus zoom, 0 resets.`);
  }

  /** Streamlit's theme changed. */
  retheme() {
    Object.assign(this.state.theme, readTheme(this.root));
    this.root.style.colorScheme = this.state.theme.dark ? "dark" : "light";
    this.controls.showLegend();
    if (this.details.content) this.details.build();
    this.details.draw();
    this.map.refresh();
    this.paint();
  }

  stop() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.map.stop();
  }
}
