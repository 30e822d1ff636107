// Linked maps in a single file: the page contains the models as base64, and loads nothing else.

import { LinkedMaps } from "../compare/linked.js";
import { element } from "../kit/dom.js";
import { contentOf } from "./content.js";

function beginComparison() {
  const nodes = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("script[id^=model]")]);
  const packed = nodes.map(({ id, dataset: { title = "", facts = "", note = "", draws } }) =>
    ({ store: id, title, facts, note, draws: Boolean(draws), bytes: contentOf(id) }));
  const maps = new LinkedMaps(document, packed, { turned: true, at: null, rows: "", labels: [], thumbnails: false, by: 0 }, () => {});
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => maps.retheme());
  // Tests and tools find the maps here, as in the app.
  Object.assign(window, { manifolio: { views: new Map([["compare", maps]]) } });
}

try {
  beginComparison();
} catch (error) {
  document.querySelector("footer")?.prepend(element("p", { role: "alert" }, `These maps cannot be drawn here. ${error}`));
  throw error;
}
