// Streamlit component of a stop of the tour: pictures arrive through a byte store (store.js); the
// visitor's changes are sent to Python.

import { LessonFigure } from "../learn/lesson.js";
import { component, freshBytes } from "./shelf.js";

/** @import { LessonWords } from "../learn/lesson.js" */

export default component((root, /** @type {LessonWords & { store: string }} */ first, send) => {
  const fresh = freshBytes();
  const figure = new LessonFigure(root, (act) => send("act", act));
  figure.tell(first);
  return {
    name: "lesson",
    shown: () => figure,
    look: () => fresh(first.store, (bytes) => figure.load(bytes)),
    update(message) {
      figure.tell(message);
      figure.retheme();
    },
    stop: () => figure.stop(),
  };
});
