// Which keys turn to the next stop: the left and the right arrow, where nothing else wants them.

// What moves by arrow keys itself.
const OWN = "input, select, textarea, canvas[tabindex], [contenteditable], [role=radiogroup], [role=radio], [role=combobox], [role=listbox], [role=slider], [role=tab]";

/** 1: the next stop, −1: the one before, 0: neither. @param {KeyboardEvent} event */
export function turnOf(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return 0;
  const [target] = event.composedPath();
  if (target instanceof Element && target.closest(OWN)) return 0;
  return { ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0;
}
