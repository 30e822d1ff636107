// Streamlit's side of the painter. Rows, answers and possibilities arrive through byte stores
// (store.js); only which row is chosen and what is hidden passes here.

import { readHeader } from "../kit/frame.js";
import { Painter } from "../painter/painter.js";
import { component, freshBytes, shelf } from "./shelf.js";

/**
 * @typedef {object} PainterData
 * @property {{ rows: string, answer: string, possibilities: string }} stores
 * @property {string} batch which rows
 * @property {string} current id of the chosen row
 * @property {Record<string, string>} masks by id
 * @property {string[]} touched ids of painted rows
 */

export default component((root, /** @type {PainterData} */ first, send) => {
  const fresh = freshBytes();
  let data = first;
  /** @type {string | null} */
  let loaded = null;
  const painter = new Painter(root, {
    paint: (/** @type {unknown} */ act) => send("act", act),
    more: () => send("act", { more: true }),
  });
  painter.retheme();
  const look = () => {
    const { stores, batch } = data;
    const rows = shelf.stores.get(stores.rows);
    // Rows and the masks that belong to them travel apart: wait until both are there.
    if (rows && loaded !== batch && readHeader(rows).batch === batch) {
      loaded = batch;
      painter.load(rows, data);
    }
    if (loaded !== batch) return;
    fresh(stores.answer, (bytes) => painter.showAnswer(bytes));
    fresh(stores.possibilities, (bytes) => painter.showPossibilities(bytes));
  };
  return {
    name: data.stores.rows,
    shown: () => painter,
    look,
    update(message) {
      data = message;
      look();
      painter.retheme();
    },
    stop: () => painter.stop(),
  };
});
