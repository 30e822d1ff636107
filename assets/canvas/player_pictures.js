// The pictures that follow the time: one panel for each that a reel has.

const HEIGHTS = [350, 330, 160]; // of one panel beside the map, by how many there are

class PlayerPictures {
  /** root: where the panels go; state: theme, turn, time, show; redraw() after a turn. */
  constructor(root, state, redraw) {
    Object.assign(this, { root, state, redraw });
    this.panels = [];
  }

  setStage(stage) {
    this.drawing = stage.header.drawing;
  }

  setReel(reel) {
    this.reel = reel;
    // Pictures arrive as whole numbers that stand for the range.
    const { shape, white } = reel.header;
    this.shown = this.drawing.kind === "image" ? { ...this.drawing, shape, range: [0, white] } : this.drawing;
    const titles = reel.header.panels.map(({ title }) => title).join("|");
    if (titles !== this.titles) this.build();
    this.titles = titles;
    reel.header.panels.forEach((panel, n) => Object.assign(this.panels[n], panel));
    this.words();
    this.resize();
  }

  build() {
    this.panels = this.reel.header.panels.map(({ title }) => {
      const canvas = element("canvas", { role: "img" });
      const caption = element("figcaption");
      const turns = this.drawing.kind === "skeleton";
      if (turns) {
        canvas.tabIndex = 0;
        canvas.classList.add("turns");
        canvas.title = "Drag to turn the figure";
        turnable(canvas, () => true, (yaw, pitch) => this.turn(yaw, pitch));
      }
      return { canvas, caption, figure: element("figure", {}, element("h3", {}, title), element("div", { class: "pane" }, canvas), caption) };
    });
    this.root.replaceChildren(...this.panels.map(({ figure }) => figure));
    this.root.dataset.count = String(this.panels.length);
  }

  turn(yaw, pitch) {
    turnBy(this.state.turn, yaw, pitch);
    this.redraw();
  }

  words() {
    for (const { caption, words, heat } of this.panels) {
      caption.replaceChildren();
      if (heat) {
        const ends = heat.map((end) => element("span", {}, `± ${formatNumber(end, 2)}`));
        caption.append(element("i", { class: "heat" }), element("span", { class: "ends" }, ...ends));
      } else caption.textContent = words;
    }
  }

  resize() {
    const wide = this.root.closest(".player").clientWidth >= 720;
    for (const panel of this.panels) {
      const width = panel.canvas.parentElement.clientWidth - 12;
      if (width <= 0) return;
      const most = wide ? HEIGHTS[Math.min(this.panels.length, 3) - 1] : 240;
      panel.size = [width, Math.min(outputHeight(this.shown, width), most)];
      panel.canvas.style.height = `${panel.size[1]}px`;
    }
  }

  draw() {
    const { time, theme, turn, show } = this.state;
    this.panels.forEach(({ canvas, size, heat, spread, title }, n) => {
      if (!size) return;
      const context = fitCanvas(canvas, ...size);
      const values = this.reel.row(`values${n}`, time);
      const options = { theme, turn, spread: spread && show.tube ? this.reel.row(`std${n}`, time) : null };
      if (heat) options.heat = [0, this.reel.header.white];
      const nothing = values.every(Number.isNaN);
      if (!nothing) drawOutput(context, this.shown, values, ...size, options);
      else this.drawNothing(context, ...size, theme);
      if (!canvas.hasAttribute("aria-label")) canvas.setAttribute("aria-label", title);
    });
  }

  /** Where there is nothing to see. */
  drawNothing(context, width, height, theme) {
    context.font = `13px ${theme.font}`;
    context.fillStyle = css(theme.muted);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(this.reel.isForecast(this.state.time) ? "beyond the data" : "nothing is shown here", width / 2, height / 2);
  }
}
