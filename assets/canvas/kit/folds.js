// Expanders whose state is stored in this browser.

import { browserStorage, element } from "./dom.js";

/** Return whether the visitor left the expander with this name open. @param {string} name @param {boolean} usual */
export function wasOpen(name, usual) {
  return (browserStorage()?.getItem(`fold ${name}`) ?? (usual ? "open" : "closed")) === "open";
}

/** Store whether an expander is open. @param {string} name @param {boolean} open */
export function storeFold(name, open) {
  try {
    browserStorage()?.setItem(`fold ${name}`, open ? "open" : "closed");
  } catch {
    // The browser refuses to store the state: it is lost when the page closes.
  }
}

/**
 * Return an expander that stores its state.
 * @param {string} name the name in the storage
 * @param {boolean} usual whether the expander is open initially
 * @param {HTMLElement} summary
 * @param {...HTMLElement} content
 */
export function fold(name, usual, summary, ...content) {
  const details = element("details", { class: "fold", ...(wasOpen(name, usual) ? { open: "" } : {}) }, summary, ...content);
  details.addEventListener("toggle", () => storeFold(name, details.open));
  return details;
}
