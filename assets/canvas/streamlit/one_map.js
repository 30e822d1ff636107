// Streamlit component of a page with one map. The model arrives through a byte store (store.js). After
// that, the page needs nothing from the server. The visitor's choices are written into the link, and kept
// for the visitor's return to the page.

import { browserStorage } from "../kit/dom.js";
import { DimensionNames } from "../map/names.js";
import { fromLink, placeInLink, toLink } from "../map/state.js";
import { coordinates } from "../map/switches.js";
import { linkSoon, replaceLink } from "./place_link.js";
import { component, freshBytes, shelf } from "./shelf.js";

/** @import { Explorer } from "../map/explorer.js" */
/** @import { LatentPoints } from "../geometry/points.js" */
/** @import { NamesData } from "../map/names.js" */
/** @import { Send } from "./shelf.js" */
/** @import { Chosen, Link } from "../map/state.js" */

/**
 * The place in the link, if there is one, and the link's other parameters of the map.
 * visit: what keeps its place when the map is drawn from other bytes; by default the store.
 * @typedef {{ store: string, visit?: string, dims: [number, number] | null, point: number[] | null, follow: boolean, look?: Record<string, string>, names: NamesData }} MapData
 */
/** @typedef {(chosen: Readonly<Chosen>) => void} Keep */

/** Return whether a newer run of the script has replaced the content. @param {HTMLElement} root */
function outdated(root) {
  const place = root.getRootNode();
  return place instanceof ShadowRoot && place.host.closest('[data-stale="true"]') !== null;
}

/**
 * Return the state in a link; a missing place or missing switches are taken from the last visit.
 * @param {MapData} data
 */
function linked({ store, visit = store, look = {}, ...place }) {
  /** @type {Link} */
  const last = shelf.looks.get(visit) ?? {};
  const { dims, at, hold } = place.point || place.dims || !shelf.looks.has(visit) ? placeInLink(place) : last;
  return { ...(Object.keys(look).length ? look : last), dims, at, hold };
}

/** Models whose names were edited on this page. @type {Set<string>} */
const edited = new Set();

/**
 * Return the names of a model's dimensions; after an edit, the link contains the visitor's names.
 * @param {LatentPoints} model
 * @param {{ names: NamesData, look?: Record<string, string> }} data
 * @param {Send} send
 */
export function namesOf({ header }, { names, look }, send) {
  const renamed = (/** @type {string[]} */ all) => {
    edited.add(names.key);
    replaceLink({ names: null });
    if (names.stored) send("names", all);
  };
  return new DimensionNames(names, header.axes.slice(), browserStorage(), edited.has(names.key) ? "" : look?.names, renamed);
}

/**
 * Show the part of the map that a shared link names. The link then forgets it, because the visitor may move the map.
 * @param {Explorer<any>} explorer
 * @param {string | undefined} zoom
 */
export function showZoom({ map }, zoom) {
  if (!zoom || !new URLSearchParams(location.search).has("zoom")) return;
  map.zoomTo(coordinates(zoom));
  map.refresh();
  replaceLink({ zoom: null });
}

/**
 * Return a component that contains a map.
 * @template {LatentPoints} Model
 * @template {MapData} Data
 * @param {(bytes: Uint8Array, data: Data) => Model} read
 * @param {(root: HTMLElement, model: Model, chosen: Readonly<Chosen>, keep: Keep, data: Data, names: DimensionNames, send: Send) => Explorer<any>} open
 * @param {(explorer: Explorer<any>, data: Data) => void} [take] handles a newer message
 */
export function oneMap(read, open, take = () => {}) {
  return component((root, /** @type {Data} */ first, send) => {
    const fresh = freshBytes();
    /** @type {Explorer<any> | null} */
    let explorer = null;
    const visit = first.visit ?? first.store;
    const keep = (/** @type {Readonly<Chosen>} */ chosen) => {
      // A page that does not read switches from its link gets only the place.
      const { dims, at, hold, ...switches } = toLink(chosen);
      const link = { dims, at, hold, ...(first.look ? switches : {}) };
      shelf.looks.set(visit, link);
      linkSoon(link);
    };
    return {
      name: first.store,
      shown: () => explorer,
      look: (data) =>
        fresh(data.store, (bytes) => {
          explorer?.stop();
          const model = read(bytes, data);
          const chosen = fromLink(linked(data), model);
          explorer = open(root, model, chosen, keep, data, namesOf(model, data, send), send);
          showZoom(explorer, data.look?.zoom);
          if (shelf.looks.has(visit) && !outdated(root)) keep(chosen);
        }),
      update(message) {
        explorer?.takeNames(message.names);
        explorer?.retheme();
        if (explorer) take(explorer, message);
      },
      stop: () => explorer?.stop(),
    };
  });
}
