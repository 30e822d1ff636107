// Drawing at the next frame, once however often it is asked for.

export class NextFrame {
  /** @param {() => void} draw */
  constructor(draw) {
    this.draw = draw;
    /** The frame, when it is asked for. @type {number | null} */
    this.asked = null;
  }

  ask() {
    this.asked ??= requestAnimationFrame(() => {
      this.asked = null;
      this.draw();
    });
  }

  stop() {
    if (this.asked !== null) cancelAnimationFrame(this.asked);
    this.asked = null;
  }
}
