// Three things to try, for the first visit; each can be put away, and then they stay away.

import { element } from "../kit/dom.js";

const SEEN = "hints seen";
const HINTS = [
  "Move over the map: the picture becomes what belongs to the place.",
  "Click to keep a place: the ring stays there, and ↶ leads back to the one before.",
  "Rest on a dimension to see what it does; press its name to put it onto the map.",
];

/**
 * Show the hints that were not put away before.
 * @param {HTMLElement} host
 * @param {{ getItem(key: string): string | null, setItem(key: string, value: string): void } | null} storage
 */
export function showHints(host, storage) {
  let at = Number(storage?.getItem(SEEN) ?? 0);
  /** @param {number} seen */
  const go = (seen) => {
    at = seen;
    try {
      storage?.setItem(SEEN, String(seen));
    } catch {
      // They come again at the next visit.
    }
    show();
  };
  const show = () => {
    host.hidden = at >= HINTS.length;
    if (host.hidden) return;
    const next = element("button", { type: "button" }, at + 1 < HINTS.length ? "Next hint" : "Done");
    next.addEventListener("click", () => go(at + 1));
    const all = element("button", { type: "button", title: "Put the hints away", "aria-label": "Put the hints away" }, "×");
    all.addEventListener("click", () => go(HINTS.length));
    host.replaceChildren(element("span", {}, HINTS[at]), next, all);
  };
  show();
}
