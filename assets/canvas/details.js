// What Python computed for the chosen point: exact mean, uncertainty, samples, nearest training items.

class Details {
  constructor(section, model, state) {
    Object.assign(this, { section, model, state });
    this.content = null;
  }

  /** New framed bytes from figures/pack.py, pack_details. */
  load(bytes) {
    this.content = readFrame(bytes);
    this.build();
    this.draw();
  }

  build() {
    const { header, arrays } = this.content;
    const D = this.model.nOutputs;
    const { kind } = this.model.drawing;
    const row = (array, i) => array.subarray(i * D, (i + 1) * D);
    const place = header.point.map((value, q) => [q, value]).filter(([q]) => this.model.header.on.includes(q));
    const words = place.slice(0, 4).map(([q, value]) => `dimension ${q + 1} at ${formatCoordinate(value)}`).join(", ");
    this.cards = [];
    this.section.replaceChildren(element("h3", {}, "The chosen point", element("small", {}, words)));
    this.section.dataset.point = JSON.stringify(header.point);
    const groups = element("div", { class: "groups" });
    const group = (title, note, cards) => {
      const list = element("div", { class: "cards" }, ...cards.map((card) => this.card(card)));
      const count = `--cards:${cards.length}`;
      groups.append(element("div", { class: "group", style: count }, element("h4", { title: note }, title), list));
    };
    const deviation = formatNumber(header.std);
    group("Prediction", "Computed in Python with double precision", [
      { values: arrays.mean, caption: `mean, ± ${deviation}`, alt: `Mean prediction; standard deviation ${deviation}` },
    ]);
    group("Uncertainty", "Standard deviation of every output if the point were as uncertain as its nearest training point", [
      kind === "image"
        ? { values: arrays.deviation, heat: header.deviation_range, caption: this.rangeWords(header.deviation_range), ramp: true, alt: "Standard deviation of every pixel" }
        : { values: arrays.mean, spread: arrays.deviation, caption: kind === "skeleton" ? "joint spread" : "± 2 deviations", alt: "Mean with its standard deviations" },
    ]);
    const samples = header.n_samples;
    group("Samples", "Draws of a position around the point, and of the output there", Array.from({ length: samples }, (_, i) => ({
      values: row(arrays.samples, i), caption: `draw ${i + 1}`, alt: `Sample ${i + 1}`,
    })));
    group("Nearest training items", "In the latent space, every dimension weighted by its relevance", header.nearest.map((item, i) => ({
      values: row(arrays.nearest, i),
      caption: item.label ?? `row ${item.row + 1}`,
      note: `distance ${formatNumber(item.distance, 2)}`,
      label: item.label === null ? null : this.model.labels[item.row],
      alt: `Training item ${item.row + 1}${item.label === null ? "" : `, label ${item.label}`}`,
    })));
    groups.style.setProperty("--all-cards", this.cards.length);
    this.section.append(groups);
  }

  rangeWords([low, high]) {
    return `${formatNumber(low, 2)} to ${formatNumber(high, 2)}`;
  }

  card(card) {
    const canvas = element("canvas", { role: "img", "aria-label": card.alt });
    this.cards.push({ ...card, canvas });
    const caption = element("figcaption", {}, element("span", {}, card.caption));
    if (card.note) caption.append(element("small", {}, card.note));
    if (card.label !== undefined && card.label !== null) {
      const { colour } = labelStyle(card.label, this.model.header.palette, this.state.theme);
      caption.firstChild.prepend(element("i", { class: "dot", style: `background:${css(colour)}` }));
    }
    if (card.ramp) caption.prepend(element("i", { class: "heat" }));
    return element("figure", {}, canvas, caption);
  }

  draw() {
    const { theme, turn } = this.state;
    for (const { canvas, values, spread, heat } of this.cards ?? []) {
      const width = canvas.clientWidth;
      if (!width) continue;
      const height = Math.min(outputHeight(this.model.drawing, width, true), 1.35 * width);
      canvas.style.height = `${height}px`;
      const context = fitCanvas(canvas, width, height);
      drawOutput(context, this.model.drawing, values, width, height, { theme, turn, spread, heat, small: true });
    }
  }
}

/** An element with attributes and children; text becomes text nodes, never markup. */
function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
