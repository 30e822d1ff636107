// Streamlit's side of the latent canvas. What is shown of the map goes into the link as well, and
// stays for the return.

import { partsOf } from "../kit/dom.js";
import { Explorer } from "../map/explorer.js";
import { keepLook } from "../map/look.js";
import { LatentModel } from "../geometry/model.js";
import { fetchBytes } from "./fetching.js";
import { oneMap } from "./one_map.js";
import { linkSoon } from "./place_link.js";
import { shelf } from "./shelf.js";

/** @import { MapData } from "./one_map.js" */
/** @import { Look } from "../map/look.js" */

/**
 * With what the link says is shown, Python that opens the model, and where all rows of very many are.
 * @typedef {MapData & { opening: string, look: Look, columns: Record<string, string> }} ExploreData
 */

export default oneMap((root, bytes, start, keep, /** @type {ExploreData} */ data) => {
  partsOf(root).taking.dataset.opening = data.opening;
  const model = new LatentModel(bytes);
  for (const [name, address] of Object.entries(data.columns)) if (model.crowd) model.crowd.sources[name] = () => fetchBytes(address);
  const explorer = new Explorer(root, model, start, keep);
  const tell = (/** @type {Record<string, string | null>} */ look) => {
    shelf.looks.set(data.store, look);
    linkSoon(look);
  };
  const known = Object.keys(data.look).length ? data.look : (shelf.looks.get(data.store) ?? {});
  keepLook(explorer, known, tell);
  if (known !== data.look) linkSoon(known);
  return explorer;
});
