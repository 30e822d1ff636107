// Buttons that answer with the click: on a busy machine the server's answer takes seconds.

const MOST = 20_000; // milliseconds; should there be no answer by then, the old words return

/**
 * The text within an element that is one of the words.
 * @param {Element} root
 * @param {Record<string, string>} words
 */
function textOf(root, words) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if ((walker.currentNode.nodeValue ?? "") in words) return walker.currentNode;
  return null;
}

/**
 * data: `within`, the class of the part that has the buttons; `words`, from what a button says to
 * what it says once it is pressed.
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
