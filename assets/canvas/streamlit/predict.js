// Streamlit component of the tab Predict. After the model's bytes have arrived, it needs nothing from the server.

import { PredictFigure } from "../predict/predict.js";
import { component, freshBytes, shelf } from "./shelf.js";

/** @typedef {{ store: string }} PredictData */

export default component((root, /** @type {PredictData} */ { store }) => {
  const fresh = freshBytes();
  /** @type {PredictFigure | null} */
  let figure = null;
  return {
    name: store,
    shown: () => figure,
    look: () => fresh(store, (bytes) => {
      figure?.stop();
      figure = new PredictFigure(root, bytes, shelf.places.get(store)?.at ?? null, (place) => shelf.places.set(store, place));
    }),
    update: () => figure?.retheme(),
    stop: () => figure?.stop(),
  };
});
