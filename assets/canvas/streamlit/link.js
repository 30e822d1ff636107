// An invisible component that writes the page's model into the link.

import { replaceLink } from "./place_link.js";

/** @param {{ data: Record<string, string | null> }} message */
export default function link({ data }) {
  replaceLink(data);
}
