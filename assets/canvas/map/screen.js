// The buttons on a map: zoom, show all, and full screen.

import { closingMenus } from "../kit/menus.js";

/** @import { Parts } from "../kit/dom.js" */
/** @import { LatentMap } from "./map.js" */

/**
 * @param {HTMLElement} root
 * @param {Parts} parts
 * @param {LatentMap} map
 * @param {() => void} [moved] called after a button has moved the map
 */
export function screenButtons(root, { fit, present }, map, moved = () => {}) {
  const moves = (/** @type {HTMLElement | undefined} */ button, /** @type {() => void} */ move) =>
    button?.addEventListener("click", () => {
      move();
      moved();
    });
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-zoom]"))) {
    moves(button, () => map.zoom(map.width / 2, map.height / 2, Number(button.dataset.zoom)));
  }
  moves(fit, () => map.fit());
  closingMenus(root);
  if (!present) return;
  present.hidden = !document.fullscreenEnabled;
  present.addEventListener("click", () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else root.requestFullscreen();
  });
}
