// Writes the visitor's place into the page's link. The history gets no new entry, so Back leaves the page.

/**
 * Set parameters of the link; null removes a parameter.
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

const REST_MS = 150; // pause before the link is written, because writing takes longer than a frame

/** @type {{ timer?: ReturnType<typeof setTimeout>, values: Record<string, string | null> }} */
const linkWriter = { values: {} };

/** Return the page and tab of the link. */
const opened = () => `${location.pathname}?${new URLSearchParams(location.search).get("tab") ?? ""}`;

/** Set parameters of the link once changes have stopped. @param {Record<string, string | null>} values */
export function linkSoon(values) {
  const page = opened();
  Object.assign(linkWriter.values, values);
  clearTimeout(linkWriter.timer);
  linkWriter.timer = setTimeout(() => {
    const written = linkWriter.values;
    linkWriter.values = {};
    // Do not write if the visitor has opened another page or tab, which has another link.
    if (opened() === page) replaceLink(written);
  }, REST_MS);
}
