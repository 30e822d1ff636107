// An invisible component that sends Python the names that this browser stores for the dimensions of a ready model.

import { browserStorage } from "../kit/dom.js";
import { PLACE } from "../map/names.js";

/** @typedef {{ data: { of: string, known: Record<string, string[]> }, setTriggerValue: (name: string, value: any) => void }} Message */

/** @param {Message} message */
export default function names({ data: { of, known }, setTriggerValue }) {
  /** @type {Record<string, string[]>} */
  const found = {};
  const storage = browserStorage();
  try {
    for (const key of Object.keys(storage ?? {}).filter((each) => each.startsWith(PLACE + of)).sort()) {
      const given = JSON.parse(storage?.getItem(key) ?? "{}");
      const last = Math.max(-1, ...Object.keys(given).map(Number).filter((q) => q < 1000));
      if (last >= 0) found[key.slice(PLACE.length)] = Array.from({ length: last + 1 }, (_, q) => given[q] ?? "");
    }
  } catch {
    return; // Without readable names, figures and files use the model's own names.
  }
  if (same(found, known)) return;
  setTriggerValue("names", found);
}

/** @param {Record<string, string[]>} one @param {Record<string, string[]>} other */
function same(one, other) {
  const text = (/** @type {Record<string, string[]>} */ all) => JSON.stringify(Object.keys(all).sort().map((key) => [key, all[key]]));
  return text(one) === text(other);
}
