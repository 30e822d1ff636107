// Streamlit components that draw one object. Its bytes arrive through a byte store (store.js).

import { component, freshBytes } from "./shelf.js";

/** @import { Send } from "./shelf.js" */
/** @typedef {{ retheme: () => void, stop: () => void }} Drawn */

/**
 * Return a component whose object is made from bytes.
 * @template {Drawn} Figure
 * @template {{ store: string }} Data
 * @param {(root: HTMLElement, bytes: Uint8Array, data: Data, before: Figure | null) => Figure} make gets the object of earlier bytes, if there is one
 * @param {(root: HTMLElement, data: Data) => void} [begin] what is shown before the bytes arrive
 */
export function figureOfBytes(make, begin = () => {}) {
  return component((root, /** @type {Data} */ first) => {
    const fresh = freshBytes();
    /** @type {Figure | null} */
    let figure = null;
    begin(root, first);
    return {
      name: first.store,
      shown: () => figure,
      look: (data) => fresh(data.store, (bytes) => (figure = make(root, bytes, data, figure))),
      update: () => figure?.retheme(),
      stop: () => figure?.stop(),
    };
  });
}

/**
 * Return a component whose object exists from the beginning. The object receives every result and every message;
 * the visitor's acts are sent to Python.
 * @template Words
 * @param {(root: HTMLElement, send: (act: any) => void) => Drawn & { tell: (words: Words) => void, load: (bytes: Uint8Array) => void }} make
 * @param {string} [name] under which tests and tools find the object, if not under its store's name
 */
export function figureOfResults(make, name) {
  return component((root, /** @type {Words & { store: string }} */ first, /** @type {Send} */ send) => {
    const fresh = freshBytes();
    const figure = make(root, (act) => send("act", act));
    figure.tell(first);
    return {
      name: name ?? first.store,
      shown: () => figure,
      look: () => fresh(first.store, (bytes) => figure.load(bytes)),
      update(message) {
        figure.tell(message);
        figure.retheme();
      },
      stop: () => figure.stop(),
    };
  });
}
