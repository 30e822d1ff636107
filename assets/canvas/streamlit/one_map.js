// Streamlit's side of a page with one map. What the map shows arrives through a byte store
// (store.js); after that the page asks nothing of the server: the place goes into the link and
// stays for the return.

import { linkPlace } from "./place_link.js";
import { component, freshBytes, shelf } from "./shelf.js";

/** @import { Explorer } from "../map/explorer.js" */
/** @import { Place } from "../map/history.js" */

/** The link's place, if it says one. @typedef {{ store: string, dims: [number, number] | null, point: number[] | null, follow: boolean }} MapData */

/** Whether a newer run of the script has put something else here. @param {HTMLElement} root */
function outdated(root) {
  const place = root.getRootNode();
  return place instanceof ShadowRoot && place.host.closest('[data-stale="true"]') !== null;
}

/**
 * A component around a map: open() builds it from the bytes, where a visitor last stood.
 * @template {MapData} Data
 * @param {(root: HTMLElement, bytes: Uint8Array, start: Pick<MapData, "dims" | "point" | "follow">, keep: (place: Place) => void, data: Data) => Explorer<any>} open
 */
export function oneMap(open) {
  return component((root, /** @type {Data} */ data) => {
    const fresh = freshBytes();
    /** @type {Explorer<any> | null} */
    let explorer = null;
    const keep = (/** @type {Place} */ place) => {
      shelf.places.set(data.store, place);
      linkPlace(place);
    };
    return {
      name: data.store,
      shown: () => explorer,
      look: () =>
        fresh(data.store, (bytes) => {
          explorer?.stop();
          const start = data.point || data.dims ? data : (shelf.places.get(data.store) ?? data);
          explorer = open(root, bytes, start, keep, data);
          if (start !== data && !outdated(root)) keep(start);
        }),
      update: () => explorer?.retheme(),
      stop: () => explorer?.stop(),
    };
  });
}
