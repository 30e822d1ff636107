// Elements of a page, and canvases whose bitmaps match the screen.

/**
 * Return an element with attributes and children; text becomes text nodes, never markup.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Node | string)} children
 */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

/**
 * Return a button that does something when it is pressed.
 * @param {(event: MouseEvent) => unknown} press
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Node | string)} children
 */
export function pushButton(press, attributes, ...children) {
  const button = element("button", { type: "button", ...attributes }, ...children);
  button.addEventListener("click", press);
  return button;
}

/** @param {HTMLCanvasElement} canvas */
export function contextOf(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}

/**
 * Return a canvas's drawing context in CSS pixels, with a bitmap that matches the screen.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function fitCanvas(canvas, width, height) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const context = contextOf(canvas);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** @typedef {Record<string, any>} Parts elements by the name of their data-part */

/** Return the elements with a data-part, by name. @param {ParentNode} root */
export function partsOf(root) {
  return Object.fromEntries([...root.querySelectorAll("[data-part]")].map((node) => [node.getAttribute("data-part"), node]));
}

/**
 * Let the buttons with a data-show turn entries of `show` on and off.
 * @param {HTMLElement} root
 * @param {Record<string, boolean>} show
 * @param {() => void} changed
 * @returns {HTMLElement[]} the buttons
 */
export function showButtons(root, show, changed) {
  const buttons = /** @type {HTMLElement[]} */ ([...root.querySelectorAll("[data-show]")]);
  for (const button of buttons) {
    const name = button.dataset.show ?? "";
    button.setAttribute("aria-pressed", String(show[name]));
    button.addEventListener("click", () => {
      show[name] = !show[name];
      button.setAttribute("aria-pressed", String(show[name]));
      changed();
    });
  }
  return buttons;
}

/** Let the page's first button, which only the keyboard reaches, skip to the map. @param {Parts} parts */
export function skipToMap({ skip, upper }) {
  skip?.addEventListener("click", () => upper.focus());
}

/** Return the browser's storage for this address, if the browser allows it; pages opened from disk may have none. */
export function browserStorage() {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}
