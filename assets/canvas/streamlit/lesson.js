// Streamlit component of a stop of the tour: pictures arrive through a byte store (store.js); the
// visitor's changes are sent to Python. Left and right arrow keys go to the neighbouring stops.

import { LessonFigure } from "../learn/lesson.js";
import { turnOf } from "../learn/turning.js";
import { component, freshBytes } from "./shelf.js";

/** @import { LessonWords } from "../learn/lesson.js" */

export default component((root, /** @type {LessonWords & { store: string }} */ first, send) => {
  const fresh = freshBytes();
  const figure = new LessonFigure(root, (act) => send("act", act));
  figure.tell(first);
  const turn = (/** @type {KeyboardEvent} */ event) => {
    const way = turnOf(event);
    if (way) send("turn", way);
  };
  document.addEventListener("keydown", turn);
  return {
    name: "lesson",
    shown: () => figure,
    look: () => fresh(first.store, (bytes) => figure.load(bytes)),
    update(message) {
      figure.tell(message);
      figure.retheme();
    },
    stop: () => {
      document.removeEventListener("keydown", turn);
      figure.stop();
    },
  };
});
