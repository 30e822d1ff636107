// What a model generates at a point, on a canvas of its own; a stick figure can be turned.

class OutputPicture {
  /**
   * model: predicts and says how its outputs are drawn; state: theme, turn; turned(): after a turn;
   * title: which of several outputs this is.
   */
  constructor(canvas, model, state, turned, title = null) {
    Object.assign(this, { canvas, model, state, title });
    this.values = new Float64Array(model.nOutputs);
    if (model.drawing.kind !== "skeleton") return;
    canvas.classList.add("turns");
    canvas.tabIndex = 0;
    turnable(canvas, () => true, (yaw, pitch) => {
      turnBy(state.turn, yaw, pitch);
      turned();
    });
  }

  /** Take the width that there is, at most so high; whether the size changed. */
  fit(most) {
    const width = this.canvas.clientWidth;
    const size = [width, Math.min(outputHeight(this.model.drawing, width), most)];
    if (String(size) === String(this.size)) return false;
    this.size = size;
    this.canvas.style.height = `${size[1]}px`;
    return true;
  }

  /** Draw what belongs to a latent point; returns the variance there, in internal units. */
  draw(point) {
    const { model, state, values } = this;
    const variance = model.predict(point, values);
    if (!this.size?.[0]) return variance;
    const context = fitCanvas(this.canvas, ...this.size);
    const spread = ["curve", "bars"].includes(model.drawing.kind)
      ? new Float64Array(model.nOutputs).fill(model.deviation(variance)) : null;
    drawOutput(context, model.drawing, values, ...this.size, { theme: state.theme, turn: state.turn, spread });
    return variance;
  }

  describe(words) {
    const { kind } = this.model.drawing;
    const what = `Generated ${kind === "skeleton" ? "stick figure" : kind}`;
    this.canvas.setAttribute("aria-label", [this.title, what, words].filter(Boolean).join("; "));
  }
}
