// The controls of paths, in a row under the map.

import { element, pushButton } from "../kit/dom.js";
import { seePlace } from "./see_place.js";
import { LEAST_SECONDS, MOST_SECONDS } from "./switches.js";

/** @import { PathSaving } from "./path_saving.js" */
/** @import { Paths } from "./paths.js" */

export class PathPanel {
  /**
   * host: an empty element; paths and saving: perform the actions of the buttons.
   * @param {HTMLElement} host
   * @param {Paths} paths
   * @param {PathSaving} saving
   */
  constructor(host, paths, saving) {
    this.host = host;
    const button = (/** @type {string} */ words, /** @type {string} */ title, /** @type {() => void} */ press) => pushButton(press, { title }, words);
    this.path = button("Path", "A path from the chosen point to the next clicked place", () => {
      paths.begin();
      paths.explorer.parts.upper.focus({ preventScroll: true });
      if (paths.waiting) seePlace(paths.explorer);
    });
    this.add = button("Add key frame", "Add the chosen point to a movement through several places", () => paths.addKey());
    /** @type {Record<string, HTMLButtonElement>} */
    this.kinds = {
      straight: button("Straight", "A straight line through the latent space", () => paths.choose("straight")),
      geodesic: button("Geodesic", "The smoothest route: along it, the output changes least", () => paths.choose("geodesic")),
    };
    this.play = button("Play", "Move along the path, so that the output changes evenly", () => paths.toggle());
    this.loop = button("Loop", "Play there and back repeatedly; exports also include both directions", () => paths.turnAround());
    this.gif = button("Save as GIF", "The outputs along the path as a moving picture", () => saving.saveGif());
    this.frames = button("Save frames", "The outputs along the path as PNG pictures in a ZIP archive", () => saving.saveFrames());
    this.movement = button("Save as BVH", `The poses along the path as a movement for animation programs${paths.model.drawing.skeleton?.rig ? ", with the joints and channels of the data's file" : ""}`, () => saving.saveMovement());
    this.table = button("Save as CSV", "The outputs along the path as a table, one row for every picture of the GIF", () => saving.saveTable());
    this.clear = button("Clear", "Remove the path and its key frames", () => paths.clear());
    this.seconds = element("input", { type: "range", class: "seconds", min: LEAST_SECONDS, max: MOST_SECONDS, step: 0.5, "aria-label": "Seconds from start to end" });
    this.seconds.addEventListener("input", () => paths.explorer.dispatch({ type: "set", name: "seconds", value: Number(this.seconds.value) }));
    this.duration = element("span", { class: "duration" });
    const timing = element("label", { class: "timing", title: "How long the movement takes, here and in files" }, "Time", this.seconds, this.duration);
    this.slider = element("input", { type: "range", min: 0, max: 1, step: "any", "aria-label": "Place on the path" });
    this.slider.addEventListener("input", () => paths.seek(Number(this.slider.value)));
    const place = element("label", { class: "along", title: "Move along the path" }, "Place", this.slider);
    /** What to do next, on the map itself, since the controls may be below the window. */
    this.hint = element("p", { class: "path-hint", hidden: "", "aria-hidden": "true" }, "Click the end of the path.");
    paths.explorer.parts.upper.after(this.hint);
    const kinds = element("span", { class: "kinds", role: "group", "aria-label": "Kind of path" }, ...Object.values(this.kinds));
    /** The controls that need a path. @type {HTMLElement[]} */
    this.rest = [kinds, this.play, this.loop, place, timing, this.gif, this.frames, this.table, ...(paths.model.drawing.kind === "skeleton" ? [this.movement] : [])];
    this.words = element("span", { class: "path-words", role: "status" });
    host.replaceChildren(this.path, this.add, ...this.rest, this.clear, paths.strip.host, this.words);
    host.hidden = false;
    this.show(paths);
  }

  /** @param {string} words @param {string} [title] */
  say(words, title = "") {
    this.words.textContent = words;
    this.words.title = title;
  }

  /** Show why there are no paths. @param {string} words */
  refuse(words) {
    this.path.disabled = this.add.disabled = true;
    this.say(words);
  }

  /** Show whether a file is being made. @param {boolean} on */
  busy(on) {
    this.gif.disabled = this.frames.disabled = on;
  }

  /** @param {Paths} paths */
  show({ way, waiting, kind, loop, playing, share, keys, explorer: { state: { chosen: { seconds } } } }) {
    for (const part of this.rest) part.hidden = !way;
    this.clear.hidden = !keys.length;
    this.hint.hidden = !waiting;
    this.host.toggleAttribute("data-empty", !keys.length);
    this.seconds.value = String(seconds);
    this.duration.textContent = `${seconds} s`;
    this.path.setAttribute("aria-pressed", String(waiting));
    for (const [name, button] of Object.entries(this.kinds)) button.setAttribute("aria-pressed", String(name === kind));
    this.loop.setAttribute("aria-pressed", String(loop));
    this.play.textContent = playing ? "Pause" : "Play";
    this.slider.value = String(share);
    this.slider.setAttribute("aria-valuetext", `${Math.round(100 * share)} % of the path`);
  }
}
