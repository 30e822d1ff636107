// An invisible component that writes into the link what Python knows: which model the page shows.

import { replaceLink } from "./place_link.js";

/** @param {{ data: Record<string, string | null> }} message */
export default function link({ data }) {
  replaceLink(data);
}
