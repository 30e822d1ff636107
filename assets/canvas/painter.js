// The painter: one row, a brush that hides parts of it, and what the model puts there. Knows nothing
// of Streamlit: actions.paint({item, mask, number}) is called when a stroke ends, answers come back
// as bytes.

const KEYS_SETTLE_MS = 350; // keys: sent when they have rested this long
const MOST_UNDO = 100;

class Painter {
  /** root: the element that holds painter.html; actions: {paint(question), more()}. */
  constructor(root, actions) {
    this.parts = Object.fromEntries([...root.querySelectorAll("[data-part]")].map((node) => [node.dataset.part, node]));
    this.root = this.parts.painter;
    this.actions = actions;
    this.state = { theme: readTheme(this.root), turn: { ...START_TURN }, compare: false };
    this.row = null;
    this.number = 0; // of the last question
    this.past = new Map(); // item → earlier masks
    this.pictures = new PainterPictures(this.parts, this.state);
    this.possibilities = new Possibilities(this.parts.possibilities, this.state);
    this.brush = new Brush(this.parts.item, this.parts.brush, {
      frame: () => this.pictures.frame(this.row, this.answer),
      cells: () => this.cells,
      row: () => (this.pictures.size ? this.row : null),
      stroke: () => this.remember(),
      done: (changed) => {
        if (changed) this.finish();
        else this.past.get(this.row.id).pop();
        this.paint();
      },
      settle: () => {
        this.words();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.finish(), KEYS_SETTLE_MS);
      },
      undo: () => this.undo(),
      paint: () => this.paint(),
      say: (words) => (this.parts.announce.textContent = words),
    });
    this.buttons();
    for (const name of ["mean", "std"]) {
      turnable(this.parts[name], () => this.row?.drawing.kind === "skeleton", (yaw, pitch) => {
        turnBy(this.state.turn, yaw, pitch);
        this.paint();
        this.possibilities.draw();
      });
    }
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.root);
  }

  // --- what arrives ---------------------------------------------------------------------------

  /** Rows on offer (framed bytes), the chosen one, and the masks: `touched` are ids of painted rows. */
  load(bytes, { current, masks, touched }) {
    const { header, arrays } = readFrame(bytes);
    this.header = header;
    this.rows = arrays.rows;
    this.cells = cellsFor(header.drawing, header.cells);
    this.masks = new Map(Object.entries(masks).map(([id, text]) => [id, maskOfText(text, header.cells)]));
    this.touched = new Set(touched);
    this.possibilities.model = { drawing: header.drawing, nOutputs: this.nOutputs() };
    this.tools();
    this.showStrip();
    this.choose(header.items.some(({ id }) => id === current) ? current : header.items[0].id, false);
    this.resize();
    this.root.dataset.ready = "true";
  }

  nOutputs() {
    return this.rows.length / this.header.items.length;
  }

  values(id) {
    const n = this.header.items.findIndex((item) => item.id === id);
    return this.rows.subarray(n * this.nOutputs(), (n + 1) * this.nOutputs());
  }

  /** Whether an answer belongs to what is on the screen now. */
  current({ item, mask }) {
    return this.row && item === this.row.id && mask === this.row.text();
  }

  /** One completed row, or why there is none. */
  showAnswer(bytes) {
    const { header, arrays } = readFrame(bytes);
    if (!this.current(header)) return;
    delete this.root.dataset.waiting;
    this.parts.problem.hidden = !header.problem;
    this.parts.problem.textContent = header.problem ?? "";
    this.answer = header.problem ? null : { ...header, ...arrays };
    if (header.problem || !header.summary.hidden) this.possibilities.clear();
    else this.possibilities.expect(header);
    this.root.dataset.answered = `${header.item}|${header.mask}`;
    this.words();
    this.paint();
  }

  /** Alternatives and samples of the hidden part. */
  showPossibilities(bytes) {
    const content = readFrame(bytes);
    if (this.current(content.header)) this.possibilities.show(content);
  }

  // --- what a visitor does --------------------------------------------------------------------

  buttons() {
    const { parts, root, brush } = this;
    const group = (selector, chosen) => {
      const buttons = [...root.querySelectorAll(selector)];
      buttons.forEach((button) => button.addEventListener("click", () => {
        buttons.forEach((other) => other.setAttribute("aria-pressed", other === button));
        chosen(button);
      }));
    };
    group("[data-tool]", (button) => (brush.tool = button.dataset.tool));
    group("[data-limb]", (button) => (brush.limb = Boolean(button.dataset.limb)));
    parts.undo.addEventListener("click", () => this.undo());
    parts.truth.addEventListener("click", () => {
      this.state.compare = !this.state.compare;
      parts.truth.setAttribute("aria-pressed", this.state.compare);
      this.words();
      this.paint();
    });
  }

  /** The tools that suit this kind of row, and its ready-made masks. */
  tools() {
    const { parts, header, cells } = this;
    const { kind } = header.drawing;
    parts["brush-field"].hidden = !cells.brushes;
    parts.reach.hidden = kind !== "skeleton";
    if (cells.brushes) {
      const { least, most, first } = cells.brushes;
      Object.assign(parts.brush, { min: least, max: most, step: 1, value: first });
      parts.brush.setAttribute("aria-label", `Brush size in ${header.cell_word[1]}`);
    }
    for (const name of ["mean", "std"]) {
      parts[name].classList.toggle("turns", kind === "skeleton");
      parts[name].tabIndex = kind === "skeleton" ? 0 : -1;
    }
    const random = () => Uint8Array.from({ length: header.cells }, () => (Math.random() < 0.5 ? 1 : 0));
    const ready = [
      ...header.choices.map(({ name, mask }) => [name, () => maskOfText(mask, header.cells)]),
      ["Random half", random],
      ["Nothing", () => new Uint8Array(header.cells)],
    ];
    parts.quick.replaceChildren(...ready.map(([name, make]) => {
      const title = name === "Nothing" ? "Show everything again" : `Hide: ${name.toLowerCase()}`;
      const button = element("button", { type: "button", title }, name);
      button.addEventListener("click", () => this.put(make()));
      return button;
    }));
  }

  /** Another row. A whole one that has not been touched takes over what is hidden now. */
  choose(id, send = true) {
    const before = this.row?.mask;
    const values = this.values(id);
    if (send && before && !this.touched.has(id) && !values.some(Number.isNaN)) this.masks.set(id, before.slice());
    this.row = new HiddenRow(this.header, id, values, this.masks.get(id));
    this.answer = null;
    this.possibilities.clear();
    for (const button of this.parts.strip.querySelectorAll("[data-id]")) {
      button.setAttribute("aria-pressed", button.dataset.id === id);
    }
    this.words();
    this.paint();
    if (send) this.send();
  }

  /** A whole mask at once. */
  put(mask) {
    this.remember();
    this.row.mask.set(mask);
    this.finish();
  }

  remember() {
    const past = this.past.get(this.row.id) ?? [];
    past.push(this.row.mask.slice());
    this.past.set(this.row.id, past.slice(-MOST_UNDO));
  }

  undo() {
    const past = this.past.get(this.row.id);
    if (!past?.length) return;
    this.row.mask.set(past.pop());
    this.finish();
  }

  finish() {
    this.touched.add(this.row.id);
    this.words();
    this.paint();
    this.send();
  }

  send() {
    clearTimeout(this.timer);
    this.root.dataset.waiting = "true";
    this.parts.problem.hidden = true;
    this.number += 1;
    this.actions.paint({ item: this.row.id, mask: this.row.text(), number: this.number });
  }

  // --- what is shown --------------------------------------------------------------------------

  resize() {
    if (!this.row) return;
    this.pictures.resize(this.header.drawing, this.root.clientWidth >= 720);
    this.possibilities.draw();
    this.paint();
  }

  /** Draw at the next frame, once however often it is asked for. */
  paint() {
    this.next ??= requestAnimationFrame(() => {
      this.next = null;
      if (!this.row || !this.pictures.size) return;
      this.pictures.draw(this.row, this.cells, this.answer, this.brush.shown());
    });
  }

  showStrip() {
    const { strip } = this.parts;
    const more = element("button", { type: "button", class: "more", title: "Other rows" }, element("b", { "aria-hidden": "true" }, "⟳"), "Others");
    more.addEventListener("click", () => this.actions.more());
    more.hidden = !this.header.more;
    strip.replaceChildren(...this.header.items.map(({ id, title }) => {
      const button = element("button", { type: "button", "data-id": id, title, "aria-label": title, "aria-pressed": "false" }, element("canvas"));
      button.addEventListener("click", () => this.choose(id));
      return button;
    }), more);
    this.drawStrip();
  }

  drawStrip() {
    this.header.items.forEach(({ id }, n) => {
      const canvas = this.parts.strip.children[n].firstChild;
      const width = canvas.clientWidth || 64;
      const height = width * 1.1;
      canvas.style.height = `${height}px`;
      const options = { theme: this.state.theme, turn: START_TURN, small: true };
      drawOutput(fitCanvas(canvas, width, height), this.header.drawing, this.values(id), width, height, options);
    });
  }

  words() {
    const { parts, header, row, answer } = this;
    const hidden = row.gaps();
    const many = (count) => count.toLocaleString("en");
    const count = `${many(hidden)} of ${many(header.cells)} ${header.cell_word[header.cells === 1 ? 0 : 1]} hidden`;
    parts["item-title"].textContent = this.state.compare && row.whole ? "The truth" : "What the model sees";
    parts["item-words"].textContent = `${row.title} · ${hidden ? count : "nothing hidden: paint on it"}`;
    parts["mean-title"].textContent = hidden ? "Completed" : "As the model sees it";
    parts.truth.disabled = !row.whole;
    parts.truth.title = row.whole ? "" : "This row has gaps of its own: nobody knows what belongs there";
    parts.undo.disabled = !this.past.get(row.id)?.length;
    parts.item.setAttribute("aria-label",
      `${row.title}, ${count}. Arrow keys move the brush, with Shift in larger steps; Space hides or shows; [ and ] change the brush; Ctrl+Z undoes.`);
    if (answer) answerInWords(parts, row, answer, count);
  }

  /** Streamlit's theme changed. */
  retheme() {
    Object.assign(this.state.theme, readTheme(this.root));
    this.root.style.colorScheme = this.state.theme.dark ? "dark" : "light";
    if (!this.row) return;
    this.drawStrip();
    this.possibilities.draw();
    this.paint();
  }

  stop() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.next);
    this.observer.disconnect();
  }
}

/** Captions of the completion and of its uncertainty. */
function answerInWords(parts, row, { std, summary }, count) {
  const { hidden, error, expected, noise, least, most } = summary;
  let words = "";
  if (error !== undefined) {
    words = `Off by ${formatNumber(error)} ${hidden ? "where hidden" : "from the row itself"}`;
    if (hidden && std) words += `; the model expects ${formatNumber(expected)}`;
  }
  parts["mean-words"].textContent = words;
  parts.mean.setAttribute("aria-label", `${parts["mean-title"].textContent}: ${row.title}. ${words}`);
  parts.announce.textContent = `${count}. ${words}`;
  if (!std) {
    parts["std-words"].textContent = "This model gives no standard deviations.";
    return;
  }
  // As many digits as it takes to tell the ends apart.
  const digits = most - least < 0.05 * most ? 4 : 3;
  const noiseWords = hidden ? `noise alone ± ${formatNumber(noise, digits)}` : "without noise";
  if (["image", "skeleton"].includes(row.drawing.kind)) {
    const ends = [least, most].map((end) => element("span", {}, `± ${formatNumber(end, digits)}`));
    parts["std-words"].replaceChildren(element("i", { class: "heat" }), element("span", { class: "ends" }, ...ends), `Standard deviation; ${noiseWords}`);
  } else parts["std-words"].textContent = `Standard deviation; ${noiseWords}. The lines on the left are two of them`;
  parts.std.setAttribute("aria-label", `Standard deviations, from ${formatNumber(least)} to ${formatNumber(most)}`);
}
