// What several figures do with a pointer and with arrow keys.

/** The way of each arrow key, to the right and up. @type {Record<string, [number, number]>} */
export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Call `take` with the pointer's place when it is pressed and while it is dragged. @param {HTMLElement} canvas @param {(event: PointerEvent) => void} take */
export function dragged(canvas, take) {
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    take(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons) take(event);
  });
}
