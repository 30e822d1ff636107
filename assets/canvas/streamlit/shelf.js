// Connects Streamlit's byte stores (store.js) and the views through one object per page, the shelf.
//
// Bytes and a view's small message arrive separately, in any order. A view is built once for its
// element; after that it receives changes.

/** @typedef {(bytes: Uint8Array) => void} TakeBytes */
/** @typedef {{ stores: Map<string, Uint8Array>, views: Map<string, object>, listeners: Set<() => void>, places: Map<string, any>, looks: Map<string, any> }} Shelf */
/** @typedef {(name: string, value: any) => void} Send Streamlit's function with which a view sends values */
/**
 * The result of mounting a view.
 * @template Data
 * @typedef {object} Mounted
 * @property {string} name the name under which tests and tools find `shown`
 * @property {() => object | null | undefined} shown the drawn object; undefined while its bytes are missing
 * @property {(data: Data) => void} look uses bytes that have arrived, and the newest message, which may have come before them
 * @property {(data: Data) => void} update handles a new message from Python; `look` follows
 * @property {() => void} stop
 */

/** @returns {Shelf} */
const emptyShelf = () => ({
  stores: new Map(), // name → framed bytes
  views: new Map(), // name → the drawn object
  listeners: new Set(), // called when bytes arrive
  places: new Map(), // name → the visitor's place, for the return to the page
  looks: new Map(), // name → the visitor's switches, for the return to the page
});

const page = /** @type {any} */ (window);
// Until `window.manifolio` is assigned, it may be a page element with that id.
if (!page.manifolio?.stores) page.manifolio = emptyShelf();
/** @type {Shelf} */
export const shelf = page.manifolio;

/**
 * Return a function that reads bytes from stores, and returns each store's bytes only once.
 * @returns {(store: string, take: TakeBytes) => void}
 */
export function freshBytes() {
  /** @type {Map<string, Uint8Array>} */
  const seen = new Map();
  return (store, take) => {
    const bytes = shelf.stores.get(store);
    if (!bytes || seen.get(store) === bytes) return;
    seen.set(store, bytes);
    take(bytes);
  };
}

/**
 * Make a Streamlit component from a mount function, which is called once per element; `update` gets every message.
 * @template Data
 * `send` sends a value for one run of the page, and `keep` one that stays while the component is on the page.
 * @param {(root: HTMLElement, data: Data, send: Send, keep: Send) => Mounted<Data>} mount
 */
export function component(mount) {
  /** @type {WeakMap<HTMLElement, { data: Data, send: Send, keep: Send, view: Mounted<Data>, look: () => void, cleanup: () => void }>} */
  const mounts = new WeakMap();
  /** @param {{ data: Data, parentElement: HTMLElement, setTriggerValue: Send, setStateValue: Send }} message */
  return ({ data, parentElement, setTriggerValue, setStateValue }) => {
    const known = mounts.get(parentElement);
    if (known) {
      [known.data, known.send, known.keep] = [data, setTriggerValue, setStateValue];
      known.view.update(data);
      known.look();
      return known.cleanup;
    }
    const view = mount(
      parentElement, data,
      (name, value) => mounts.get(parentElement)?.send(name, value),
      (name, value) => mounts.get(parentElement)?.keep(name, value),
    );
    const look = () => {
      view.look(mounts.get(parentElement)?.data ?? data);
      const shown = view.shown();
      if (shown) shelf.views.set(view.name, shown);
    };
    const cleanup = () => {
      shelf.listeners.delete(look);
      // A successor may have been built before this view ends.
      if (shelf.views.get(view.name) === view.shown()) shelf.views.delete(view.name);
      view.stop();
      mounts.delete(parentElement);
    };
    mounts.set(parentElement, { data, send: setTriggerValue, keep: setStateValue, view, look, cleanup });
    shelf.listeners.add(look);
    look();
    return cleanup;
  };
}
