// One map, several outputs that follow one pointer; a lock holds what the chosen views do not share.

const EVERYTHING = "everything";

class ViewsExplorer extends Explorer {
  buildPictures() {
    this.lock = EVERYTHING;
    const pictures = this.model.outputs.map(({ title, labels, model }) => {
      const canvas = element("canvas", { role: "img" });
      const caption = element("figcaption");
      const figure = element("figure", {}, element("h3", {}, title), element("div", { class: "pane" }, canvas), caption);
      this.parts.outputs.append(figure);
      const picture = new OutputPicture(canvas, model, this.state, () => this.turned(), title);
      return Object.assign(picture, { labels, caption });
    });
    this.parts.outputs.dataset.count = String(pictures.length);
    this.showMoves();
    return pictures;
  }

  groups() {
    const { groups, nLatent } = this.model;
    const part = groups.find(({ id }) => id === this.lock);
    // With two dimensions or more the chosen part has a plane of its own.
    if (part && part.dims.length > 1) return [part];
    const others = Array.from({ length: nLatent }, (_, q) => q).filter((q) => !groups.some(({ dims }) => dims.includes(q)));
    return [...groups, { title: "Beside a single dimension", dims: others, used: false }];
  }

  /** The threshold moved: dimensions belong to other parts now. */
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
    const all = { id: EVERYTHING, title: "Everything", dims: null, words: "Every dimension follows the pointer" };
    const parts = this.model.groups.filter(({ used }) => used);
    this.parts.moves.replaceChildren(...[all, ...parts].map(({ id, title, dims, words }) => {
      const none = dims?.length === 0;
      const button = element("button", { type: "button", "data-move": id, "aria-pressed": id === this.lock, title: none ? `${words}: there is no such dimension at this threshold` : words }, title);
      button.disabled = none;
      button.addEventListener("click", () => this.move(id));
      return button;
    }));
  }

  move(id) {
    this.lock = id;
    for (const button of this.parts.moves.children) button.setAttribute("aria-pressed", button.dataset.move === id);
    this.hold();
  }

  /** Hold the dimensions outside the chosen part, and show a plane in which it can move. */
  hold() {
    const { model, state } = this;
    const part = model.groups.find(({ id }) => id === this.lock);
    const all = Array.from({ length: model.nLatent }, (_, q) => q);
    state.held = new Set(part ? all.filter((q) => !part.dims.includes(q)) : []);
    this.controls.showGroups();
    this.controls.showHint(part
      ? `Only ${part.subject} moves; the rest stays at the ring.`
      : null);
    const pair = this.planeOf(part);
    if (String(pair) === String([state.a, state.b])) {
      this.controls.showPair();
      this.map.refresh();
      this.paint();
    } else this.setPair(...pair);
  }

  /** A plane in which nothing could move takes in the part's first dimension. */
  setPair(a, b) {
    const part = this.model.groups.find(({ id }) => id === this.lock);
    const stuck = part && !part.dims.includes(a) && !part.dims.includes(b);
    super.setPair(a, stuck ? part.dims[0] : b);
  }

  reset() {
    this.move(EVERYTHING);
    super.reset();
  }

  /** The plane for a part: its two first dimensions, else its one and another. */
  planeOf(part) {
    const { a, b } = this.state;
    if (!part) return [a, b];
    const inside = [a, b].filter((q) => part.dims.includes(q));
    if (inside.length === Math.min(part.dims.length, 2)) return [a, b];
    if (part.dims.length > 1) return part.dims.slice(0, 2);
    const [only] = part.dims;
    return [only, this.model.header.on.find((q) => q !== only) ?? (only ? 0 : 1)];
  }

  // --- drawing --------------------------------------------------------------------------------

  drawOutputs() {
    const point = this.shownPoint();
    for (const picture of this.pictures) {
      const variance = picture.draw(point);
      picture.caption.textContent = picture.labels ? this.className(picture) : picture.model.spreadWords(variance);
    }
    this.controls.readout(point, []);
  }

  /** The most probable class of a view of labels. */
  className({ model, values }) {
    return model.drawing.columns?.[values.indexOf(Math.max(...values))] ?? "";
  }

  spreadInWords(picture) {
    const { model, values, title, labels } = picture;
    const variance = model.predict(this.state.point, values);
    return labels ? `${title}: ${this.className(picture)}.` : `${title}: standard deviation ${formatNumber(model.deviation(variance))}.`;
  }

  mostHeight() {
    return this.root.clientWidth >= 720 ? (this.pictures.length > 2 ? 210 : 380) : 240;
  }
}
