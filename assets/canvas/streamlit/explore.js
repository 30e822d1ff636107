// Streamlit component of the latent canvas.

import { LatentModel } from "../geometry/model.js";
import { partsOf } from "../kit/dom.js";
import { Explorer } from "../map/explorer.js";
import { giveOwn } from "../map/own_labels.js";
import { toLink } from "../map/state.js";
import { fetchBytes } from "./fetching.js";
import { oneMap } from "./one_map.js";

/** @import { MapData } from "./one_map.js" */
/** @import { OwnData } from "../map/own_labels.js" */
/** @import { WholeMap } from "../map/taking.js" */

/**
 * opening: Python code that opens the model; columns: the addresses of all rows' columns, for a large model; file: the state of the last export; own: the visitor's labels; level: the value of the known factors for which the server answers.
 * @typedef {MapData & { opening: string, columns: Record<string, string>, file: WholeMap | null, own: OwnData | null, level: number | null }} ExploreData
 */

/** @param {Uint8Array} bytes @param {ExploreData} data */
function readModel(bytes, { columns, own }) {
  const model = new LatentModel(bytes);
  giveOwn(model, own);
  for (const [name, address] of Object.entries(columns)) if (model.crowd) model.crowd.sources[name] = () => fetchBytes(address);
  return model;
}

const LEVEL_REST_MS = 250; // the server hears of a slider's value once the visitor stays at it

export default oneMap(readModel, (root, model, chosen, keep, { opening, own, level }, names, send) => {
  partsOf(root).taking.dataset.opening = opening;
  const explorer = new Explorer(root, model, chosen, keep, names);
  const ask = (/** @type {number} */ turn) => send("file", { turn, names: names.visitors, link: toLink(explorer.state.chosen) });
  explorer.taking?.offerFile(ask, fetchBytes);
  if (explorer.ownLabels) {
    explorer.ownLabels.store = (given) => send("own", given);
    explorer.ownLabels.latest = JSON.stringify(own ?? explorer.ownLabels.data());
  }
  if (explorer.levels) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const { numbers } = explorer.levels.levels;
    explorer.levels.chosen = (value) => {
      if (!numbers) {
        send("level", value); // at once, so that another tab answers for this value
        return;
      }
      clearTimeout(timer);
      timer = setTimeout(() => send("level", value), LEVEL_REST_MS);
    };
    if (level !== chosen.level) send("level", chosen.level);
  }
  return explorer;
}, (explorer, { file, own, opening }) => {
  partsOf(explorer.root).taking.dataset.opening = opening;
  void explorer.taking?.takeFile(file);
  explorer.ownLabels?.take(own);
});
