// Streamlit's side of the player. The training points and the sequence arrive through byte stores
// (store.js); playing, scrubbing and turning need nothing from Python.

const shelf = (window.manifolio ??= { stores: new Map(), views: new Map(), listeners: new Set() });
const players = new WeakMap();

export default function view({ data, parentElement }) {
  let mounted = players.get(parentElement);
  if (mounted) {
    mounted.data = data;
    mounted.look();
    mounted.player.retheme();
    return mounted.cleanup;
  }
  // Where a visitor stood, for when she comes back from another page.
  const places = (shelf.places ??= new Map());
  const name = data.stores.stage;
  mounted = { data, seen: new Map(), player: new Player(parentElement, places.get(name)) };
  players.set(parentElement, mounted);
  const { player } = mounted;
  const fresh = (store, callback) => {
    const bytes = shelf.stores.get(store);
    if (!bytes || mounted.seen.get(store) === bytes) return;
    mounted.seen.set(store, bytes);
    callback(bytes);
  };
  mounted.look = () => {
    const { stage, reel } = mounted.data.stores;
    fresh(stage, (bytes) => player.loadStage(bytes));
    if (mounted.seen.has(stage)) fresh(reel, (bytes) => player.loadReel(bytes));
  };
  shelf.listeners.add(mounted.look);
  shelf.views.set(name, player);
  mounted.look();
  mounted.cleanup = () => {
    shelf.listeners.delete(mounted.look);
    places.set(name, player.place());
    player.stop();
    shelf.views.delete(name);
    players.delete(parentElement);
  };
  return mounted.cleanup;
}
