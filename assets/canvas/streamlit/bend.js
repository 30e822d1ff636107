// Streamlit component of a Gaussian process beside a deep one (deep/bend.js). Results arrive through a byte store
// (store.js). The component sends points and requests to stop to Python.

import { BendFigure } from "../deep/bend.js";
import { component, freshBytes } from "./shelf.js";

/** @import { BendWords } from "../deep/bend.js" */

export default component((root, /** @type {BendWords & { store: string }} */ first, send) => {
  const fresh = freshBytes();
  const figure = new BendFigure(root, (act) => send("act", act));
  figure.tell(first);
  return {
    name: first.store,
    shown: () => figure,
    look: () => fresh(first.store, (bytes) => figure.load(bytes)),
    update(message) {
      figure.tell(message);
      figure.retheme();
    },
    stop: () => figure.stop(),
  };
});
