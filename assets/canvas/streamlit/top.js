// An invisible component that brings the page's beginning into view when what it shows is another.

/** What was last in view, by kind: the room, the training. @type {Map<string, string>} */
const seen = new Map();

/** @param {{ data: { kind: string, of: string } }} message */
export default function top({ data: { kind, of } }) {
  if (of === seen.get(kind)) return;
  seen.set(kind, of);
  document.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0 });
}
