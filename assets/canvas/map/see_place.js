// Scroll back to the map on phones, where the controls that change the map are below it.

/** @import { Explorer } from "./explorer.js" */

/**
 * If the page has one column, scroll to the map and return true.
 * @param {Explorer<any>} explorer
 */
export function seePlace({ parts }) {
  if (!window.matchMedia("(max-width: 759px)").matches) return false;
  parts.where.scrollIntoView({ block: "start" });
  return true;
}
