// Streamlit component of the tab Predict. After the model's bytes have arrived, it needs nothing from the server.

import { PredictFigure } from "../predict/predict.js";
import { figureOfBytes } from "./one_figure.js";
import { shelf } from "./shelf.js";

export default figureOfBytes((root, bytes, { store }, before) => {
  before?.stop();
  return new PredictFigure(root, bytes, shelf.places.get(store)?.at ?? null, (place) => shelf.places.set(store, place));
});
