// Streamlit component of the painter. Rows and results arrive through byte stores (store.js); the
// messages contain only the chosen row and its mask.

import { readHeader } from "../kit/frame.js";
import { Painter } from "../painter/painter.js";
import { component, freshBytes, shelf } from "./shelf.js";

/**
 * @typedef {object} PainterData
 * @property {{ rows: string, answer: string, possibilities: string }} stores
 * @property {string} batch which rows
 * @property {string} current the chosen row's id
 * @property {Record<string, string>} masks by id
 * @property {string[]} touched ids of painted rows
 * @property {number} number the last question's number
 */

export default component((root, /** @type {PainterData} */ first, send, keep) => {
  let fresh = freshBytes();
  let drawn = false;
  /** @type {string | null} */
  let loaded = null;
  const painter = new Painter(root, {
    paint: (/** @type {unknown} */ act) => send("act", act),
    more: () => send("act", { more: true }),
  });
  painter.retheme();
  const look = (/** @type {PainterData} */ data) => {
    const { stores, batch } = data;
    const rows = shelf.stores.get(stores.rows);
    // Rows and their masks arrive separately: wait for both. A painter that was built while a question of its
    // predecessor was on the way takes over the masks that Python has kept meanwhile.
    if (rows && (loaded !== batch || data.number > painter.number) && readHeader(rows).batch === batch) {
      [loaded, fresh] = [batch, freshBytes()];
      painter.load(rows, data);
    }
    if (loaded !== batch) return;
    fresh(stores.answer, (bytes) => {
      painter.showAnswer(bytes);
      // Python then sends everything else.
      if (!drawn) keep("drawn", true);
      drawn = true;
    });
    fresh(stores.possibilities, (bytes) => painter.showPossibilities(bytes));
  };
  return {
    name: first.stores.rows,
    shown: () => painter,
    look,
    update: () => painter.retheme(),
    stop: () => painter.stop(),
  };
});
