// An invisible component that holds framed bytes under a name, for the view to find.
// The name stands in the frame's header, so that the bytes travel alone and are sent only once.

const shelf = (window.manifolio ??= { stores: new Map(), views: new Map(), listeners: new Set() });

export default function store({ data }) {
  const length = new DataView(data.buffer, data.byteOffset, 4).getUint32(0, true);
  const { name } = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)));
  shelf.stores.set(name, data);
  shelf.listeners.forEach((look) => look());
  return () => {
    if (shelf.stores.get(name) === data) shelf.stores.delete(name);
  };
}
