// An invisible component that fetches framed bytes and holds them under a name, for the view to find.
// The name stands in the frame's header; browsers keep what they have fetched once.

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
 * Fetches, and shows what came unless something newer was asked for meanwhile.
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
