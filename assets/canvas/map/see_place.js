// On a phone the controls are below the map: scroll back to the map when they change something.

/** @import { Explorer } from "./explorer.js" */

/**
 * If the page has one column, scroll to the place and its map, and return true.
 * @param {Explorer<any>} explorer
 */
export function seePlace({ parts }) {
  if (!window.matchMedia("(max-width: 759px)").matches) return false;
  parts.where.scrollIntoView({ block: "start" });
  return true;
}
