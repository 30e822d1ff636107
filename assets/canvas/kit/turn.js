// Turning stick figures: the initial view, and the controls.

/** @import { Turn } from "./geometry.js" */

export const START_TURN = { yaw: 0.6, pitch: 0.18 };
const STEEPEST = 1.4;

/** Turn the figures, with limits on the pitch. @param {Turn} turn @param {number} yaw @param {number} pitch */
export function turnBy(turn, yaw, pitch) {
  turn.yaw += yaw;
  turn.pitch = Math.min(Math.max(turn.pitch + pitch, -STEEPEST), STEEPEST);
}

/**
 * Let drags and arrow keys on a picture turn all stick figures.
 * @param {HTMLCanvasElement} canvas
 * @param {() => boolean} active
 * @param {(yaw: number, pitch: number) => void} turn
 */
export function turnable(canvas, active, turn) {
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
    turn(step[0], step[1]);
  });
}
