// An invisible component that stores the last opened model in this browser.

import { browserStorage } from "../kit/dom.js";

/** @param {{ data: { model: string } }} message */
export default function last({ data }) {
  try {
    browserStorage()?.setItem("last model", data.model);
  } catch {
    // Without storage, the model is not remembered.
  }
}
