// An invisible component that stores in this browser which expanders of a page are open.

import { storeFold, wasOpen } from "../kit/folds.js";

const FOLDS = "[data-testid=stExpander] details, details.mf-fold";

/** The expanders found so far, and their names. @type {WeakMap<HTMLDetailsElement, string>} */
const known = new WeakMap();

/** The name of an expander: its page and its title, without numbers. @param {HTMLDetailsElement} fold */
function nameOf(fold) {
  const title = fold.querySelector("summary [data-testid=stMarkdownContainer], summary")?.textContent ?? "";
  return `${location.pathname} ${title.replace(/[\d,.]+/g, "#").trim()}`;
}

function find() {
  for (const fold of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll(FOLDS))) {
    if (known.has(fold)) continue;
    const name = nameOf(fold);
    known.set(fold, name);
    const summary = fold.querySelector("summary");
    if (wasOpen(name, fold.open) !== fold.open) {
      // Streamlit changes its own expanders only by a click.
      if (fold.matches(".mf-fold")) fold.open = !fold.open;
      else summary?.click();
    }
    // Store only the visitor's changes; a page may also open and close expanders.
    summary?.addEventListener("click", (event) => {
      if (event.isTrusted) storeFold(name, !fold.open);
    });
  }
}

const observer = new MutationObserver(find);

export default function pageFolds() {
  const app = document.querySelector("[data-testid=stApp]");
  if (app) observer.observe(app, { childList: true, subtree: true });
  find();
}
