// An invisible component that stores the visitor's own labels of a ready model in this browser, and sends Python those
// of an earlier visit.

import { browserStorage } from "../kit/dom.js";

/** @import { OwnData } from "../map/own_labels.js" */

const PLACE = "own labels ";

/**
 * given: the labels of this visit; null if the visitor has given none.
 * @param {{ data: { of: string, given: OwnData | null }, setTriggerValue: (name: string, value: any) => void }} message
 */
export default function ownLabels({ data: { of, given }, setTriggerValue }) {
  const storage = browserStorage();
  try {
    if (!given) {
      const kept = storage?.getItem(PLACE + of);
      if (kept) setTriggerValue("own", JSON.parse(kept));
      return;
    }
    if (!storage) throw new Error("This browser stores nothing.");
    if (given.names.length) storage.setItem(PLACE + of, JSON.stringify(given));
    else storage.removeItem(PLACE + of);
  } catch {
    if (given?.names.length) setTriggerValue("own", "not stored");
  }
}
