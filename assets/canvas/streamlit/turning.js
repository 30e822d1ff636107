// An invisible component of the tour: the left and right arrow keys press Back and Next, unless the
// focused element uses them.

// Elements that use the arrow keys.
const OWN = "input, select, textarea, canvas[tabindex], [contenteditable], [role=radiogroup], [role=radio], [role=combobox], [role=listbox], [role=slider], [role=tab]";

/** @param {KeyboardEvent} event */
function turn(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
  const [target] = event.composedPath();
  if (target instanceof Element && target.closest(OWN)) return;
  const way = { ArrowRight: "next", ArrowLeft: "back" }[event.key];
  if (way) /** @type {HTMLElement | null} */ (document.querySelector(`.st-key-learn_${way} button`))?.click();
}

export default function turning() {
  document.addEventListener("keydown", turn); // a second call adds nothing
}
