// The left and right arrow keys open the previous and next stop, unless the focused element uses them.

// Elements that use the arrow keys.
const OWN = "input, select, textarea, canvas[tabindex], [contenteditable], [role=radiogroup], [role=radio], [role=combobox], [role=listbox], [role=slider], [role=tab]";

/** Return 1 for the next stop, −1 for the previous stop, 0 for no change. @param {KeyboardEvent} event */
export function turnOf(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return 0;
  const [target] = event.composedPath();
  if (target instanceof Element && target.closest(OWN)) return 0;
  return { ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0;
}
