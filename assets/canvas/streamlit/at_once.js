// Buttons that respond at the click, because a busy server needs seconds to respond.

const MOST = 20_000; // milliseconds; if the server has not responded by then, the old label returns

/**
 * Return the text node in an element whose text is one of the labels.
 * @param {Element} root
 * @param {Record<string, string>} words
 */
function textOf(root, words) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if ((walker.currentNode.nodeValue ?? "") in words) return walker.currentNode;
  return null;
}

/**
 * data: `within`, the class of the part with the buttons; `words`, which maps a button's label to its label after the
 * click.
 * @param {any} component
 */
export default function ({ data }) {
  const { within, words } = data;
  const answer = (/** @type {MouseEvent} */ event) => {
    const on = /** @type {Element | null} */ (event.target);
    const button = /** @type {HTMLButtonElement | null | undefined} */ (on?.closest?.(`.${within} button`));
    const text = button && !button.disabled ? textOf(button, words) : null;
    if (!button || !text) return;
    const before = text.nodeValue ?? "";
    text.nodeValue = words[before];
    setTimeout(() => {
      if (text.nodeValue === words[before] && !button.disabled) text.nodeValue = before;
    }, MOST);
  };
  document.addEventListener("click", answer);
  return () => document.removeEventListener("click", answer);
}
