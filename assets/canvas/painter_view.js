// Streamlit's side of the painter. Rows, answers and possibilities arrive through byte stores
// (store.js); only which row is chosen and what is hidden passes here.

const shelf = (window.manifolio ??= { stores: new Map(), views: new Map(), listeners: new Set() });
const painters = new WeakMap();

export default function view({ data, parentElement, setTriggerValue }) {
  let mounted = painters.get(parentElement);
  if (mounted) {
    mounted.send = setTriggerValue;
    mounted.data = data;
    mounted.look();
    mounted.painter.retheme();
    return mounted.cleanup;
  }
  mounted = { send: setTriggerValue, data, seen: new Map(), batch: null };
  painters.set(parentElement, mounted);
  const painter = mounted.painter = new Painter(parentElement, {
    paint: (act) => mounted.send("act", act),
    more: () => mounted.send("act", { more: true }),
  });
  painter.retheme();
  const fresh = (name, callback) => {
    const bytes = shelf.stores.get(name);
    if (!bytes || mounted.seen.get(name) === bytes) return;
    mounted.seen.set(name, bytes);
    callback(bytes);
  };
  mounted.look = () => {
    const { stores, batch } = mounted.data;
    const rows = shelf.stores.get(stores.rows);
    // Rows and the masks that belong to them travel apart: wait until both are there.
    if (rows && mounted.batch !== batch && readFrame(rows).header.batch === batch) {
      mounted.batch = batch;
      painter.load(rows, mounted.data);
    }
    if (mounted.batch !== batch) return;
    fresh(stores.answer, (bytes) => painter.showAnswer(bytes));
    fresh(stores.possibilities, (bytes) => painter.showPossibilities(bytes));
  };
  shelf.listeners.add(mounted.look);
  shelf.views.set(data.stores.rows, painter);
  mounted.look();
  mounted.cleanup = () => {
    shelf.listeners.delete(mounted.look);
    painter.stop();
    shelf.views.delete(data.stores.rows);
    painters.delete(parentElement);
  };
  return mounted.cleanup;
}
