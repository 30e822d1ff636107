// The controls around the map: dimension pair, toggles, sliders, legend, and the line under the output.

class Controls {
  constructor(explorer) {
    Object.assign(this, { explorer, parts: explorer.parts, model: explorer.model, state: explorer.state });
    this.buildPair();
    this.buildToggles();
    this.parts.take.addEventListener("click", () => explorer.takeFromNearest());
    this.parts.reset.addEventListener("click", () => explorer.reset());
    this.showHint(null);
    this.showPair();
    this.showLegend();
  }

  // --- dimension pair -------------------------------------------------------------------------

  buildPair() {
    this.showGroups();
    for (const name of ["across", "up"]) {
      const select = this.parts[name];
      select.addEventListener("change", () => this.choosePair(name, Number(select.value)));
    }
    const single = this.model.nLatent < 2;
    this.parts.across.disabled = this.parts.up.disabled = this.parts.swap.disabled = single;
    this.parts.swap.addEventListener("click", () => this.explorer.setPair(this.state.b, this.state.a));
  }

  /** Beside the map: what to do, or `words` instead. */
  showHint(words) {
    this.parts.hint.textContent = words ?? (matchMedia("(pointer: coarse)").matches
      ? "Touch to generate, lift to keep, two fingers to zoom"
      : "Move to generate, click to keep, scroll to zoom, drag to pan");
  }

  showGroups() {
    const { axes } = this.model.header;
    const groups = this.explorer.groups().filter(({ dims, used }) => used || dims.length);
    for (const name of ["across", "up"]) {
      this.parts[name].replaceChildren(...groups.map(({ title, dims }) =>
        element("optgroup", { label: title }, ...dims.map((q) => element("option", { value: q }, axes[q])))));
    }
  }

  /** Choosing the other side's dimension swaps the two. */
  choosePair(name, q) {
    const { a, b } = this.state;
    if (name === "across") this.explorer.setPair(q, q === b ? a : b);
    else this.explorer.setPair(q === a ? b : a, q);
  }

  showPair() {
    this.parts.across.value = String(this.state.a);
    this.parts.up.value = String(this.state.b);
    this.buildSliders();
  }

  /** What light and shadow mean on this map. */
  showShade() {
    const [least, most] = this.explorer.map.shading.range.map((deviation) => this.model.spreadWords(deviation ** 2));
    this.parts.least.textContent = least;
    this.parts.most.textContent = most;
  }

  // --- toggles --------------------------------------------------------------------------------

  buildToggles() {
    const possible = {
      thumbnails: Boolean(this.model.items),
      ellipses: Boolean(this.model.latent_variance),
      trajectories: Boolean(this.model.sequences),
    };
    for (const button of this.explorer.root.querySelectorAll("[data-show]")) {
      const name = button.dataset.show;
      button.hidden = !possible[name];
      button.setAttribute("aria-pressed", this.state.show[name]);
      button.addEventListener("click", () => {
        this.state.show[name] = !this.state.show[name];
        button.setAttribute("aria-pressed", this.state.show[name]);
        this.explorer.map.drawLower();
      });
    }
  }

  // --- sliders --------------------------------------------------------------------------------

  buildSliders() {
    const { a, b, held } = this.state;
    this.sliders = [];
    const rows = [];
    for (const { title, heading, dims, used } of this.explorer.groups()) {
      const others = used ? dims.filter((q) => q !== a && q !== b && !held.has(q)) : [];
      if (heading && others.length) rows.push(element("h4", {}, title));
      for (const q of others) {
        this.sliders.push(this.slider(q));
        rows.push(this.sliders.at(-1).row);
      }
    }
    this.parts.sliders.hidden = rows.length === 0;
    this.parts["slider-rows"].replaceChildren(...rows);
    this.showPoint();
  }

  slider(q) {
    const { latent, nLatent, nPoints } = this.model;
    let [low, high] = [Infinity, -Infinity];
    for (let n = 0; n < nPoints; n++) {
      low = Math.min(low, latent[n * nLatent + q]);
      high = Math.max(high, latent[n * nLatent + q]);
    }
    const margin = 0.1 * (high - low) || 1;
    const input = element("input", { type: "range", min: low - margin, max: high + margin, step: "any" });
    const value = element("output");
    const label = element("span", {}, `Dimension ${q + 1}`);
    input.addEventListener("input", () => {
      this.explorer.fix(q, Number(input.value));
      this.showPoint();
    });
    return { q, input, value, row: element("label", {}, label, input, value) };
  }

  /** Sliders follow the chosen point. */
  showPoint() {
    for (const { q, input, value } of this.sliders) {
      const fixed = this.state.point[q];
      input.value = String(fixed);
      value.textContent = formatCoordinate(fixed);
      input.setAttribute("aria-label", `Dimension ${q + 1}, fixed at ${formatCoordinate(fixed)}`);
    }
  }

  // --- legend and readout ---------------------------------------------------------------------

  showLegend() {
    const { theme, selected } = this.state;
    this.parts.ramp.style.background = `linear-gradient(90deg, ${css(theme.known)}, ${css(theme.unknown)})`;
    const present = this.model.labels ? [...new Set(this.model.labels)].filter((label) => label >= 0).sort((p, q) => p - q) : [];
    this.parts.legend.hidden = present.length < 2;
    this.parts.legend.replaceChildren(...present.map((label) => {
      const mark = element("canvas", { "aria-hidden": "true" });
      const { colour, marker } = labelStyle(label, this.model.header.palette, theme);
      const context = fitCanvas(mark, 12, 12);
      tracePath(context, marker, 6, 6, 4.4);
      context.fillStyle = css(colour);
      context.fill();
      const name = this.model.header.label_names[label] ?? String(label);
      const chip = element("button", { type: "button", "aria-pressed": selected.has(label) }, mark, name);
      chip.addEventListener("click", () => {
        if (!selected.delete(label)) selected.add(label);
        chip.setAttribute("aria-pressed", selected.has(label));
        this.explorer.map.drawLower();
      });
      return chip;
    }));
  }

  /** Words under a single output; variances: of every picture at the point. */
  readout(point, variances) {
    const { a, b } = this.state;
    const n = this.model.nearest(point);
    const place = `(${formatCoordinate(point[a])}, ${formatCoordinate(point[b])})`;
    const name = this.model.labelName(n) ?? `row ${n + 1}`;
    const spread = variances.length === 1 ? ` · ${this.model.spreadWords(variances[0])}` : "";
    this.parts.readout.textContent = `${place}${spread} · near ${name}`;
  }
}
