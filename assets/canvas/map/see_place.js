// On a telephone the controls are below the map: what they change is brought back into view.

/** @import { Explorer } from "./explorer.js" */

/**
 * Scroll to the place and its map where they are above one another; true where they are.
 * @param {Explorer<any>} explorer
 */
export function seePlace({ parts }) {
  if (!window.matchMedia("(max-width: 759px)").matches) return false;
  parts.where.scrollIntoView({ block: "start" });
  return true;
}
