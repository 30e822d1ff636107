// Streamlit's side of the latent canvas. Model and details arrive through two byte stores
// (store.js); only the place passes here.

import { partsOf } from "../kit/dom.js";
import { Explorer } from "../map/explorer.js";
import { LatentModel } from "../map/model.js";
import { component, freshBytes } from "./shelf.js";

/** opening: Python that opens the model. @typedef {{ opening: string, store: string, details: string, dims: [number, number] | null, point: number[] | null }} ExploreData */

export default component((root, /** @type {ExploreData} */ data, send) => {
  const fresh = freshBytes();
  partsOf(root).taking.dataset.opening = data.opening;
  /** @type {Explorer | null} */
  let explorer = null;
  /** @type {Uint8Array | null} */
  let details = null;
  return {
    name: data.store,
    shown: () => explorer,
    look() {
      fresh(data.store, (bytes) => {
        explorer?.stop();
        explorer = new Explorer(root, new LatentModel(bytes), data, (commit) => send("commit", commit));
        if (details) explorer.showDetails(details);
      });
      fresh(data.details, (bytes) => {
        details = bytes;
        explorer?.showDetails(bytes);
      });
    },
    update: () => explorer?.retheme(),
    stop: () => explorer?.stop(),
  };
});
