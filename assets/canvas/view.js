// Streamlit's side of the visible component. Model and details arrive through two byte stores
// (store.js), which meet the view on `window.manifolio`; only a small message passes here.

const views = new WeakMap();

export default function view({ data, parentElement, setTriggerValue }) {
  let mounted = views.get(parentElement);
  if (mounted) {
    mounted.send = setTriggerValue;
    mounted.explorer?.retheme();
    return mounted.cleanup;
  }
  mounted = { send: setTriggerValue, explorer: null, unfollow: [] };
  views.set(parentElement, mounted);
  let details = null;
  mounted.unfollow.push(
    followStore(data.store, (bytes) => {
      mounted.explorer?.stop();
      mounted.explorer = new Explorer(parentElement, new LatentModel(bytes), data, (commit) => mounted.send("commit", commit));
      shelf.views.set(data.store, mounted.explorer);
      if (details) mounted.explorer.showDetails(details);
    }),
    followStore(data.details, (bytes) => {
      details = bytes;
      mounted.explorer?.showDetails(bytes);
    }),
  );
  mounted.cleanup = () => {
    mounted.unfollow.forEach((stop) => stop());
    mounted.explorer?.stop();
    shelf.views.delete(data.store);
    views.delete(parentElement);
  };
  return mounted.cleanup;
}
