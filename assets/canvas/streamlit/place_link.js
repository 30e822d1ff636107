// Writes the visitor's place into the page's link. It replaces the history entry, so Back leaves the page.

/**
 * Set parameters of the link; null removes one.
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

const REST_MS = 150; // writing into the link takes longer than a frame, so it waits until after the drawing

/** @type {{ timer?: ReturnType<typeof setTimeout>, values: Record<string, string | null> }} */
const linkWriter = { values: {} };

/** The page and tab of the link. */
const opened = () => `${location.pathname}?${new URLSearchParams(location.search).get("tab") ?? ""}`;

/** Set parameters of the link after the last change. @param {Record<string, string | null>} values */
export function linkSoon(values) {
  const page = opened();
  Object.assign(linkWriter.values, values);
  clearTimeout(linkWriter.timer);
  linkWriter.timer = setTimeout(() => {
    const written = linkWriter.values;
    linkWriter.values = {};
    // The visitor is on another page or tab, with another link.
    if (opened() === page) replaceLink(written);
  }, REST_MS);
}
