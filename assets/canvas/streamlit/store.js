// An invisible component that fetches framed bytes for the views, and stores them under the name in the frame's
// header. Browsers cache the bytes.

import { readHeader } from "../kit/frame.js";
import { fetchBytes } from "./fetching.js";
import { shelf } from "./shelf.js";

/** @typedef {{ address: string, name: string, bytes: Uint8Array | undefined }} Held */

/** @type {WeakMap<HTMLElement, Held>} */
const holders = new WeakMap();

/** @param {{ data: { address: string }, parentElement: HTMLElement }} message */
export default function store({ data, parentElement }) {
  const held = holders.get(parentElement) ?? { address: "", name: "", bytes: undefined };
  holders.set(parentElement, held);
  if (held.address !== data.address) {
    held.address = data.address;
    void take(held, data.address);
  }
  return () => {
    held.address = "";
    if (shelf.stores.get(held.name) === held.bytes) shelf.stores.delete(held.name);
    holders.delete(parentElement);
  };
}

/**
 * Fetch bytes; ignore the result if newer bytes were requested meanwhile.
 * @param {Held} held
 * @param {string} address
 */
async function take(held, address) {
  const bytes = await fetchBytes(address);
  if (held.address !== address) return;
  [held.name, held.bytes] = [readHeader(bytes).name, bytes];
  shelf.stores.set(held.name, bytes);
  shelf.listeners.forEach((look) => look());
}
