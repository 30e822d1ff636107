// An invisible component that writes the page's model into the link.

import { replaceLink } from "./place_link.js";

/** What each component wrote last. @type {WeakMap<HTMLElement, string>} */
const written = new WeakMap();

/** @param {{ parentElement: HTMLElement, data: Record<string, string | null> }} message */
export default function link({ parentElement, data }) {
  // Streamlit may draw a component again on its way to another place, whose link is not this one.
  const values = JSON.stringify(data);
  if (values === written.get(parentElement)) return;
  written.set(parentElement, values);
  replaceLink(data);
}
