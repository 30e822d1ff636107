// Streamlit's side of the canvas with several outputs. The layers arrive through a byte store
// (store.js); the place, and which dimensions belong together, travel in a small message.

const mounts = new WeakMap();

export default function view({ data, parentElement, setTriggerValue }) {
  let mounted = mounts.get(parentElement);
  if (mounted) {
    mounted.send = setTriggerValue;
    mounted.groups = data.groups;
    mounted.explorer?.setGroups(data.groups);
    mounted.explorer?.retheme();
    return mounted.cleanup;
  }
  mounted = { send: setTriggerValue, groups: data.groups, explorer: null };
  mounts.set(parentElement, mounted);
  const unfollow = followStore(data.store, (bytes) => {
    // The bytes of one mount never change: other outputs have another name.
    if (mounted.explorer) return;
    const model = new ViewsModel(bytes, mounted.groups);
    mounted.explorer = new ViewsExplorer(parentElement, model, data, (commit) => mounted.send("commit", commit));
    shelf.views.set(data.store, mounted.explorer);
  });
  mounted.cleanup = () => {
    unfollow();
    mounted.explorer?.stop();
    shelf.views.delete(data.store);
    mounts.delete(parentElement);
  };
  return mounted.cleanup;
}
