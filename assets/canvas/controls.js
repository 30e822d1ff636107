// The controls around the map: dimension pair, toggles, sliders, legend, and the line under the output.

class Controls {
  constructor(explorer) {
    Object.assign(this, { explorer, parts: explorer.parts, model: explorer.model, state: explorer.state });
    this.buildPair();
    this.buildToggles();
    this.parts.take.addEventListener("click", () => explorer.takeFromNearest());
    this.parts.reset.addEventListener("click", () => explorer.reset());
    this.parts.hint.textContent = matchMedia("(pointer: coarse)").matches
      ? "Touch to generate, lift to keep, two fingers to zoom"
      : "Move to generate, click to keep, scroll to zoom, drag to pan";
    this.showPair();
    this.showLegend();
  }

  // --- dimension pair -------------------------------------------------------------------------

  buildPair() {
    const { header, nLatent } = this.model;
    const off = Array.from({ length: nLatent }, (_, q) => q).filter((q) => !header.on.includes(q));
    const choices = (dimensions) => dimensions.map((q) => element("option", { value: q }, header.axes[q]));
    for (const name of ["across", "up"]) {
      const select = this.parts[name];
      select.append(element("optgroup", { label: "In use, most relevant first" }, ...choices(header.on)));
      if (off.length) select.append(element("optgroup", { label: "Switched off by the model" }, ...choices(off)));
      select.addEventListener("change", () => this.choosePair(name, Number(select.value)));
    }
    const single = nLatent < 2;
    this.parts.across.disabled = this.parts.up.disabled = this.parts.swap.disabled = single;
    this.parts.swap.addEventListener("click", () => this.explorer.setPair(this.state.b, this.state.a));
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
    const [least, most] = this.explorer.map.shading.range.map((deviation) => this.model.deviation(deviation ** 2));
    this.parts.least.textContent = `± ${formatNumber(least, 2)}`;
    this.parts.most.textContent = `± ${formatNumber(most, 2)}`;
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
    const { header, latent, nLatent, nPoints } = this.model;
    const others = header.on.filter((q) => q !== this.state.a && q !== this.state.b);
    this.parts.sliders.hidden = others.length === 0;
    this.sliders = others.map((q) => {
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
    });
    this.parts["slider-rows"].replaceChildren(...this.sliders.map(({ row }) => row));
    this.showPoint();
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

  readout(point, deviation) {
    const { a, b } = this.state;
    const n = this.model.nearest(point);
    const place = `(${formatCoordinate(point[a])}, ${formatCoordinate(point[b])})`;
    const name = this.model.labelName(n) ?? `row ${n + 1}`;
    this.parts.readout.textContent = `${place} · ± ${formatNumber(deviation, 2)} · near ${name}`;
  }
}
