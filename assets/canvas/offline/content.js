// Reads the bytes that the page contains.

/**
 * Return the base64 text of an element as bytes.
 * @param {string} id
 */
export function contentOf(id) {
  const text = atob(document.getElementById(id)?.textContent ?? "");
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
