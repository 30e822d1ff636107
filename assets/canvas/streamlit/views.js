// Streamlit component of the canvas with several outputs. The layers arrive through a byte store
// (store.js); the place and the parts of the dimensions arrive in a small message.

import { fromLink, placeInLink } from "../map/state.js";
import { namesOf, showZoom } from "./one_map.js";
import { linkSoon } from "./place_link.js";
import { component, freshBytes } from "./shelf.js";
import { ViewsExplorer } from "../views/explorer.js";
import { ViewsModel } from "../views/model.js";

/** @import { NamesData } from "../map/names.js" */
/** @import { Group } from "../kit/pair.js" */

/** @typedef {{ store: string, dims: [number, number] | null, point: number[] | null, follow: boolean, groups: Group[], look: Record<string, string>, names: NamesData }} ViewsData */

export default component((root, /** @type {ViewsData} */ first, send) => {
  const fresh = freshBytes();
  /** @type {ViewsExplorer | null} */
  let explorer = null;
  const opened = (/** @type {Uint8Array} */ bytes, /** @type {ViewsData} */ data) => {
    const model = new ViewsModel(bytes, data.groups);
    return new ViewsExplorer(root, model, fromLink(placeInLink(data), model), ({ kept }, before) => {
      if (kept === before.kept) return;
      linkSoon(placeInLink(kept));
      send("commit", kept);
    }, namesOf(model, data, send));
  };
  return {
    name: first.store,
    shown: () => explorer,
    look: (data) =>
      fresh(data.store, (bytes) => {
        // The bytes under this name never change, because other outputs have another name.
        if (!explorer) {
          explorer = opened(bytes, data);
          showZoom(explorer, data.look.zoom);
        }
        if (data.point) linkSoon(placeInLink(explorer.here()));
      }),
    update(message) {
      explorer?.setGroups(message.groups);
      explorer?.takeNames(message.names);
      explorer?.retheme();
    },
    stop: () => explorer?.stop(),
  };
});
