// Menus that open below their button; a press elsewhere or Escape closes them.

/** @param {HTMLElement} root the element with the menus (details.menu) */
export function closingMenus(root) {
  const menus = /** @type {HTMLDetailsElement[]} */ ([...root.querySelectorAll("details.menu")]);
  for (const menu of menus) {
    menu.addEventListener("toggle", () => {
      menu.dataset.side = 2 * menu.offsetLeft < root.clientWidth ? "left" : "right";
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      menu.open = false;
      menu.querySelector("summary")?.focus();
    });
  }
  /** @param {Event} event a press, also beside the element */
  const close = (event) => {
    if (!root.isConnected) window.removeEventListener("pointerdown", close);
    for (const menu of menus) if (!event.composedPath().includes(menu)) menu.open = false;
  };
  window.addEventListener("pointerdown", close);
}
