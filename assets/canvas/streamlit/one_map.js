// Streamlit's side of a page with one map. What the map shows arrives through a byte store
// (store.js); after that the page asks nothing of the server: what is chosen goes into the link and
// stays for the return.

import { fromLink, placeInLink, toLink } from "../map/state.js";
import { linkSoon } from "./place_link.js";
import { component, freshBytes, shelf } from "./shelf.js";

/** @import { Explorer } from "../map/explorer.js" */
/** @import { LatentPoints } from "../geometry/points.js" */
/** @import { Chosen, Link } from "../map/state.js" */

/**
 * The link's place, if it says one, and what else of the map it says.
 * @typedef {{ store: string, dims: [number, number] | null, point: number[] | null, follow: boolean, look?: Record<string, string> }} MapData
 */
/** @typedef {(chosen: Readonly<Chosen>) => void} Keep */

/** Whether a newer run of the script has put something else here. @param {HTMLElement} root */
function outdated(root) {
  const place = root.getRootNode();
  return place instanceof ShadowRoot && place.host.closest('[data-stale="true"]') !== null;
}

/**
 * What a link says of a map: where it says no place or no switches, those of the last visit.
 * @param {MapData} data
 */
function linked({ store, look = {}, ...place }) {
  /** @type {Link} */
  const last = shelf.looks.get(store) ?? {};
  const { dims, at, hold } = place.point || place.dims || !shelf.looks.has(store) ? placeInLink(place) : last;
  return { ...(Object.keys(look).length ? look : last), dims, at, hold };
}

/**
 * A component around a map.
 * @template {LatentPoints} Model
 * @template {MapData} Data
 * @param {(bytes: Uint8Array, data: Data) => Model} read
 * @param {(root: HTMLElement, model: Model, chosen: Readonly<Chosen>, keep: Keep, data: Data) => Explorer<any>} open
 */
export function oneMap(read, open) {
  return component((root, /** @type {Data} */ data) => {
    const fresh = freshBytes();
    /** @type {Explorer<any> | null} */
    let explorer = null;
    const keep = (/** @type {Readonly<Chosen>} */ chosen) => {
      // Of a page that does not read switches from its link, the place alone.
      const { dims, at, hold, ...switches } = toLink(chosen);
      const link = { dims, at, hold, ...(data.look ? switches : {}) };
      shelf.looks.set(data.store, link);
      linkSoon(link);
    };
    return {
      name: data.store,
      shown: () => explorer,
      look: () =>
        fresh(data.store, (bytes) => {
          explorer?.stop();
          const model = read(bytes, data);
          const chosen = fromLink(linked(data), model);
          explorer = open(root, model, chosen, keep, data);
          if (shelf.looks.has(data.store) && !outdated(root)) keep(chosen);
        }),
      update: () => explorer?.retheme(),
      stop: () => explorer?.stop(),
    };
  });
}
