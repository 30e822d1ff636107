// Streamlit's side of the map of one layer of a deep model. The layers from there down to the data
// arrive through a byte store (store.js); the place goes into the link.

import { ChainModel } from "../deep/chain.js";
import { Explorer } from "../map/explorer.js";
import { linkPlace } from "./place_link.js";
import { component, freshBytes, shelf } from "./shelf.js";

/** @import { Place } from "../map/history.js" */

/** @typedef {{ store: string, dims: [number, number] | null, point: number[] | null, follow: boolean }} LayersData */

export default component((root, /** @type {LayersData} */ data) => {
  const fresh = freshBytes();
  /** @type {Explorer<ChainModel> | null} */
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
        explorer = new Explorer(root, new ChainModel(bytes), start, keep);
      }),
    update: () => explorer?.retheme(),
    stop: () => explorer?.stop(),
  };
});
