// Turning stick figures: where they start, and by what they are turned.

const START_TURN = { yaw: 0.6, pitch: 0.18 };
const STEEPEST = 1.4;

/** Turn further, never past upright. */
function turnBy(turn, yaw, pitch) {
  turn.yaw += yaw;
  turn.pitch = Math.min(Math.max(turn.pitch + pitch, -STEEPEST), STEEPEST);
}

/** Drag on a picture, or the arrow keys on it: turn all stick figures. */
function turnable(canvas, active, turn) {
  canvas.addEventListener("pointerdown", (event) => {
    if (active()) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (active() && event.buttons) turn(event.movementX * 0.011, event.movementY * 0.008);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
    if (!step || !active()) return;
    event.preventDefault();
    turn(...step);
  });
}
