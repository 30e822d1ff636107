// An invisible component that writes the page's model into the link.

import { replaceLink } from "./place_link.js";

/** What each component wrote last. @type {WeakMap<HTMLElement, string>} */
const written = new WeakMap();

/** @param {{ parentElement: HTMLElement, data: Record<string, string | null> }} message */
export default function link({ parentElement, data }) {
  // Streamlit may draw a component again after the visitor has left its place. Then the link is that
  // of the new place, and must stay.
  const values = JSON.stringify(data);
  if (values === written.get(parentElement)) return;
  written.set(parentElement, values);
  replaceLink(data);
}
