// Saves bytes of the page as a file.

import { element } from "./dom.js";

const KEPT_MS = 60_000; // how long the bytes stay available: some browsers read them only after their file dialog

/**
 * Save bytes under a name; type: their media type.
 * @param {string} name
 * @param {Uint8Array | string} bytes
 * @param {string} type
 */
export function download(name, bytes, type) {
  const url = URL.createObjectURL(new Blob([/** @type {BlobPart} */ (bytes)], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
