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
  root.addEventListener("pointerdown", (event) => {
    for (const menu of menus) if (!menu.contains(/** @type {Node} */ (event.target))) menu.open = false;
  });
}
