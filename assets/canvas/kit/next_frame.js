// Draws once at the next frame, for any number of requests.

export class NextFrame {
  /** @param {(now: number) => void} draw */
  constructor(draw) {
    this.draw = draw;
    /** The requested frame. @type {number | null} */
    this.asked = null;
  }

  ask() {
    this.asked ??= requestAnimationFrame((now) => {
      this.asked = null;
      this.draw(now);
    });
  }

  stop() {
    if (this.asked !== null) cancelAnimationFrame(this.asked);
    this.asked = null;
  }
}
