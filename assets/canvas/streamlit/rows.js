// Streamlit component of new rows. The model arrives through a byte store (store.js); the component fetches the answers whenever
// their address changes.

import { ChainModel } from "../deep/chain.js";
import { LatentModel } from "../geometry/model.js";
import { Answers } from "../rows/answers.js";
import { RowsPage } from "../rows/page.js";
import { fetchBytes } from "./fetching.js";
import { namesOf } from "./one_map.js";
import { component, freshBytes } from "./shelf.js";

/** @import { NamesData } from "../map/names.js" */

/**
 * file: identifies the visitor's rows; address: the address of the answers so far, "" if there are none; deep: whether the map is a
 * layer of a deep model.
 * @typedef {{ store: string, file: string, address: string, deep: boolean, names: NamesData }} RowsData
 */

export default component((root, /** @type {RowsData} */ first, send) => {
  const fresh = freshBytes();
  /** @type {RowsPage | null} */
  let page = null;
  let message = first;
  let [file, address] = ["", ""];
  const take = async () => {
    if (!page || message.address === address) return;
    const asked = message;
    address = asked.address;
    if (!address) return page.take(null);
    const bytes = await fetchBytes(address);
    if (!page || address !== asked.address) return;
    if (file && file !== asked.file) page.clear();
    file = asked.file;
    page.take(new Answers(bytes));
  };
  return {
    name: `rows|${first.store}`,
    shown: () => page,
    look: (data) =>
      fresh(data.store, (bytes) => {
        const model = /** @type {LatentModel} */ (data.deep ? new ChainModel(bytes) : new LatentModel(bytes));
        page?.stop();
        page = new RowsPage(root, model, namesOf(model, data, send), send);
        address = "";
        void take();
      }),
    update(newer) {
      message = newer;
      page?.retheme();
      void take();
    },
    stop: () => page?.stop(),
  };
});
