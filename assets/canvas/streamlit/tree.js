// Streamlit component of a tree of maps. The model arrives through a byte store (store.js).

import { TreeExplorer } from "../tree/explorer.js";
import { TreeModel } from "../tree/model.js";
import { component, freshBytes } from "./shelf.js";

export default component((root, /** @type {{ store: string }} */ data) => {
  const fresh = freshBytes();
  /** @type {TreeExplorer | null} */
  let tree = null;
  return {
    name: data.store,
    shown: () => tree,
    look: () => fresh(data.store, (bytes) => (tree ??= new TreeExplorer(root, new TreeModel(bytes)))),
    update: () => tree?.retheme(),
    stop: () => tree?.stop(),
  };
});
