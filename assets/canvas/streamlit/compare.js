// Streamlit component of linked maps. Every model arrives through a separate byte store (store.js), so
// that the server does not send the others again when a model is added. The link contains the place, and whether the
// maps are aligned.

import { LinkedMaps } from "../compare/linked.js";
import { linkNumber } from "../kit/format.js";
import { linkSoon } from "./place_link.js";
import { component, shelf } from "./shelf.js";

/** @import { Described, Stand } from "../compare/linked.js" */

/** @typedef {{ models: Described[], stand: Stand }} CompareData */

export default component((root, /** @type {CompareData} */ first) => {
  /** @type {LinkedMaps | null} */
  let maps = null;
  let [asked, built] = [first.models, ""];
  let stand = first.stand;
  const tell = (/** @type {Stand} */ now) => {
    stand = { ...now };
    linkSoon({
      own: now.turned ? null : "1",
      at: now.at ? now.at.map(linkNumber).join(",") : null,
      rows: now.rows || null,
      labels: now.labels.join(",") || null,
      show: now.thumbnails ? "thumbnails" : null,
      by: now.by ? String(now.by) : null,
    });
  };
  const look = () => {
    const wanted = JSON.stringify(asked);
    const packed = asked.flatMap((model) => {
      const bytes = shelf.stores.get(model.store);
      return bytes ? [{ ...model, bytes }] : [];
    });
    if (wanted === built || packed.length < asked.length) return;
    maps?.stop();
    const again = built !== "";
    // A place is valid only for the present models; rows and colours are valid for all models of the data.
    if (again) stand = { ...stand, at: null };
    built = wanted;
    maps = new LinkedMaps(root, packed, stand, tell);
    // If the models change, Python writes a new link without the browser's parameters, so add them again.
    if (again) maps.tell();
    shelf.views.set("compare", maps);
  };
  return {
    name: "compare",
    shown: () => maps,
    look,
    update(message) {
      if (message.models[0].store !== asked[0].store) stand = message.stand;
      asked = message.models;
      maps?.retheme();
    },
    stop: () => maps?.stop(),
  };
});
