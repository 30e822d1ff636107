// The explorer in a single file: the page contains the model as base64, and loads nothing else.

import { element, partsOf } from "../kit/dom.js";
import { ConnectedExplorer } from "./connected.js";
import { contentOf } from "./content.js";
import { fromLink } from "../map/state.js";
import { LatentModel } from "../geometry/model.js";

function begin() {
  const { opening, link = "{}" } = document.getElementById("model")?.dataset ?? {};
  partsOf(document).taking.dataset.opening = opening;
  const model = new LatentModel(contentOf("model"));
  const explorer = new ConnectedExplorer(document, model, fromLink(JSON.parse(link), model));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => explorer.retheme());
  // Tests and tools find the explorer here, as in the app.
  Object.assign(window, { manifolio: { views: new Map([[model.header.name, explorer]]) } });
  explorer.connect();
}

try {
  begin();
} catch (error) {
  document.querySelector("footer")?.prepend(element("p", { role: "alert" }, `This map cannot be drawn here. ${error}`));
  throw error;
}
