// An invisible component that stores in this browser which expanders of a page are open.

import { element } from "../kit/dom.js";
import { storeFold, wasOpen } from "../kit/folds.js";

const FOLDS = "[data-testid=stExpander] details, details.mf-fold";

/** The expanders found so far, and their names. @type {WeakMap<HTMLDetailsElement, string>} */
const known = new WeakMap();

/** Return a fold's name: its page and its title, without numbers; null before the title is drawn.
 * @param {HTMLDetailsElement} fold */
function nameOf(fold) {
  // The summary of Streamlit's folds also has an icon, whose text changes when the fold opens.
  const title = fold.querySelector(fold.matches(".mf-fold") ? "summary" : "summary [data-testid=stMarkdownContainer]");
  const words = title?.textContent?.replace(/[\d,.]+/g, "#").trim();
  return words ? `${location.pathname} ${words}` : null;
}

function find() {
  for (const fold of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll(FOLDS))) {
    if (known.has(fold)) continue;
    const name = nameOf(fold);
    if (!name) continue;
    known.set(fold, name);
    const summary = fold.querySelector("summary");
    if (wasOpen(name, fold.open) !== fold.open) {
      // A script can open and close Streamlit's own expanders only by a click.
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

/** @param {{ parentElement: HTMLElement }} component */
export default function pageFolds({ parentElement }) {
  const app = document.querySelector("[data-testid=stApp]");
  if (app) observer.observe(app, { childList: true, subtree: true });
  find();
  parentElement.replaceChildren(element("span", { "data-kept": "" })); // marks that folds are remembered from now on
}
