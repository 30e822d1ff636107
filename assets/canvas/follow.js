// Bytes that Streamlit's byte stores (store.js) hold for a view.

const shelf = (window.manifolio ??= { stores: new Map(), views: new Map(), listeners: new Set() });

/** Call back with a store's bytes now, if they are there, and whenever they change. */
function followStore(name, callback) {
  let last = null;
  const look = () => {
    const bytes = shelf.stores.get(name);
    if (bytes && bytes !== last) callback((last = bytes));
  };
  shelf.listeners.add(look);
  look();
  return () => shelf.listeners.delete(look);
}
