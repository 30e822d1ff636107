// The page's link says where a visitor stands. It is replaced, not added to: Back leaves the page.

/**
 * Give parameters of the link these values; null takes one out.
 * @param {Record<string, string | null>} values
 */
export function replaceLink(values) {
  const parameters = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === null) parameters.delete(name);
    else parameters.set(name, value);
  }
  const query = parameters.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  const link = `${location.pathname}${query && "?"}${query}${location.hash}`;
  if (link !== location.pathname + location.search + location.hash) history.replaceState(history.state, "", link);
}

const REST_MS = 150; // writing into the link takes longer than a frame: after what a click shows

/** @type {{ timer?: ReturnType<typeof setTimeout>, values: Record<string, string | null> }} */
const linkWriter = { values: {} };

/** Which page the link opens, and which tab of it. */
const opened = () => `${location.pathname}?${new URLSearchParams(location.search).get("tab") ?? ""}`;

/** Give parameters of the link these values when nothing more comes. @param {Record<string, string | null>} values */
export function linkSoon(values) {
  const page = opened();
  Object.assign(linkWriter.values, values);
  clearTimeout(linkWriter.timer);
  linkWriter.timer = setTimeout(() => {
    const written = linkWriter.values;
    linkWriter.values = {};
    // On another page or tab by now, whose link is its own.
    if (opened() === page) replaceLink(written);
  }, REST_MS);
}
