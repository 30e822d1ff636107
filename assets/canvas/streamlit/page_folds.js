// An invisible component that keeps the folds of a page as the visitor left them, in this browser.

import { storeFold, wasOpen } from "../kit/folds.js";

const FOLDS = "[data-testid=stExpander] details, details.mf-fold";

/** Folds that were found, with their names. @type {WeakMap<HTMLDetailsElement, string>} */
const known = new WeakMap();

/** The name of a fold: its page and its title, without numbers. @param {HTMLDetailsElement} fold */
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
      // Streamlit opens its own folds at a click.
      if (fold.matches(".mf-fold")) fold.open = !fold.open;
      else summary?.click();
    }
    // Only what the visitor does is kept; a page may open and close folds itself.
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
