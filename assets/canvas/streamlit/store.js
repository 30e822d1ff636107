// An invisible component that holds framed bytes under a name, for the view to find.
// The name stands in the frame's header, so that the bytes travel alone and are sent only once.

import { readHeader } from "../kit/frame.js";
import { shelf } from "./shelf.js";

/** @param {{ data: Uint8Array }} message */
export default function store({ data }) {
  const { name } = readHeader(data);
  shelf.stores.set(name, data);
  shelf.listeners.forEach((look) => look());
  return () => {
    if (shelf.stores.get(name) === data) shelf.stores.delete(name);
  };
}
