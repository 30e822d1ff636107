// Streamlit's side of the latent canvas. The model arrives through a byte store (store.js); after
// that the page asks nothing of the server: the place, and what is shown of the map, go into the
// link and stay for the return.

import { partsOf } from "../kit/dom.js";
import { Explorer } from "../map/explorer.js";
import { keepLook } from "../map/look.js";
import { LatentModel } from "../map/model.js";
import { linkPlace, linkSoon } from "./place_link.js";
import { component, freshBytes, shelf } from "./shelf.js";

/** @import { Place } from "../map/history.js" */

/** @import { Look } from "../map/look.js" */

/**
 * The link's place, if it says one, what it says is shown, and Python that opens the model.
 * @typedef {{ opening: string, store: string, dims: [number, number] | null, point: number[] | null, follow: boolean, look: Look }} ExploreData
 */

export default component((root, /** @type {ExploreData} */ data) => {
  const fresh = freshBytes();
  partsOf(root).taking.dataset.opening = data.opening;
  /** @type {Explorer | null} */
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
        explorer = new Explorer(root, new LatentModel(bytes), start, keep);
        if (start !== data) keep(start);
        const tell = (/** @type {Record<string, string | null>} */ look) => {
          shelf.looks.set(data.store, look);
          linkSoon(look);
        };
        const known = Object.keys(data.look).length ? data.look : (shelf.looks.get(data.store) ?? {});
        keepLook(explorer, known, tell);
        if (known !== data.look) linkSoon(known);
      }),
    update: () => explorer?.retheme(),
    stop: () => explorer?.stop(),
  };
});
