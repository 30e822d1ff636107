// An invisible component that scrolls to the top of the page when the page shows something else.

/** What the page showed last, for each kind of content (such as the page or the training). @type {Map<string, string>} */
const seen = new Map();

/** @param {{ data: { kind: string, of: string } }} message */
export default function top({ data: { kind, of } }) {
  if (of === seen.get(kind)) return;
  seen.set(kind, of);
  document.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0 });
}
