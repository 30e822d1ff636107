// Folds that stay as the visitor left them, in this browser.

import { browserStorage, element } from "./dom.js";

/** Of the fold of a name, whether it was left open. @param {string} name @param {boolean} usual */
export function wasOpen(name, usual) {
  return (browserStorage()?.getItem(`fold ${name}`) ?? (usual ? "open" : "closed")) === "open";
}

/**
 * A fold that remembers.
 * @param {string} name under which it does
 * @param {boolean} usual whether a first visitor sees it open
 * @param {HTMLElement} summary
 * @param {...HTMLElement} content
 */
export function fold(name, usual, summary, ...content) {
  const details = element("details", { class: "fold", ...(wasOpen(name, usual) ? { open: "" } : {}) }, summary, ...content);
  details.addEventListener("toggle", () => {
    try {
      browserStorage()?.setItem(`fold ${name}`, details.open ? "open" : "closed");
    } catch {
      // A browser that stores nothing forgets.
    }
  });
  return details;
}
