// An invisible component that brings the page's beginning into view when what it shows is another.

/** The content that was last in view. @type {string | null} */
let seen = null;

/** @param {{ data: { of: string } }} message */
export default function top({ data }) {
  if (data.of === seen) return;
  seen = data.of;
  document.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0 });
}
