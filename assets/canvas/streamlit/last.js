// An invisible component that remembers in this browser which model was opened last.

import { browserStorage } from "../kit/dom.js";

/** @param {{ data: { model: string } }} message */
export default function last({ data }) {
  try {
    browserStorage()?.setItem("last model", data.model);
  } catch {
    // A browser that stores nothing forgets.
  }
}
