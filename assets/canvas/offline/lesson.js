// Stops of a lesson in a single file: the page contains the pictures of some settings, and loads nothing else.

import { element } from "../kit/dom.js";
import { readFrame } from "../kit/frame.js";
import { LessonFigure } from "../learn/lesson.js";
import { nearestState } from "../learn/nearest_state.js";
import { contentOf } from "./content.js";

/** @import { LessonState } from "../learn/controls.js" */

/** @param {Uint8Array} bytes */
async function unzipped(bytes) {
  const stream = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {HTMLElement} section */
async function beginStop(section) {
  const { stop = "" } = section.dataset;
  const { header, arrays } = readFrame(await unzipped(contentOf(`stop-${stop}`)));
  const { controls, states, together } = header;
  let now = 0;
  const show = (/** @type {number} */ i, /** @type {number} */ edit) => {
    now = i;
    figure.tell({ stop, controls, state: states[i], usual: states[0], edit, training: null });
    figure.load(arrays[`picture${i}`]);
    figure.answered = edit;
  };
  const figure = new LessonFigure(section, ({ state, edit }) => {
    if (!state) return;
    // A button for another draw starts again after the last one.
    for (const { kind, name } of controls) {
      const draws = new Set(states.map((/** @type {LessonState} */ each) => each[name])).size;
      if (kind === "draw") state = { ...state, [name]: state[name] % draws };
    }
    // Later, so that the figure has finished its own change.
    queueMicrotask(() => show(nearestState(states, controls, state, states[now], together), edit));
  });
  show(0, 0);
  return figure;
}

async function beginLesson() {
  const sections = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("section[data-stop]")]);
  const figures = new Map();
  for (const section of sections) figures.set(section.dataset.stop, await beginStop(section));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => figures.forEach((figure) => figure.retheme()));
  // Tests and tools find the figures here, as in the app.
  Object.assign(window, { manifolio: { views: figures } });
}

beginLesson().catch((error) => {
  document.querySelector("footer")?.prepend(element("p", { role: "alert" }, `This lesson cannot be drawn here. ${error}`));
  throw error;
});
