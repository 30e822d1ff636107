// Streamlit's side of the latent canvas. The model arrives through a byte store (store.js); after
// that the page asks nothing of the server: the place goes into the link, and stays for the return.

import { partsOf } from "../kit/dom.js";
import { Explorer } from "../map/explorer.js";
import { LatentModel } from "../map/model.js";
import { linkPlace } from "./place_link.js";
import { component, freshBytes, shelf } from "./shelf.js";

/** @import { Place } from "../map/history.js" */

/** The link's place, if it says one, and Python that opens the model. @typedef {{ opening: string, store: string, dims: [number, number] | null, point: number[] | null, follow: boolean }} ExploreData */

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
      }),
    update: () => explorer?.retheme(),
    stop: () => explorer?.stop(),
  };
});
