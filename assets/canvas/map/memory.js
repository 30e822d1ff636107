// Buttons for back and forward among kept places, and bookmarks with names and pictures.

import { browserStorage, element, pushButton } from "../kit/dom.js";
import { download } from "../kit/download.js";
import { smallPicture } from "../kit/output.js";
import { START_TURN } from "../kit/turn.js";
import { Bookmarks, readBookmarks, writeBookmarks } from "./bookmarks.js";

/** @import { Explorer } from "./explorer.js" */

const THUMB = 56; // CSS pixels

export class Memory {
  /**
   * name: the model's name, under which bookmarks are stored.
   * @param {Explorer} explorer
   * @param {string} name
   */
  constructor(explorer, name) {
    const { parts, model } = explorer;
    this.explorer = explorer;
    this.name = name;
    this.bookmarks = new Bookmarks(name, model.nLatent, browserStorage());
    this.host = parts.bookmarks;
    parts.back.addEventListener("click", () => explorer.go({ type: "undo" }));
    parts.forward.addEventListener("click", () => explorer.go({ type: "redo" }));
    parts.bookmark.addEventListener("click", () => {
      this.bookmarks.add(explorer.here());
      this.show();
    });
    // The whole page listens, since a disabled button loses the focus.
    this.listening = new AbortController();
    window.addEventListener("keydown", (event) => this.key(event), { signal: this.listening.signal });
    this.showSteps();
    this.show();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const key = event.key.toLowerCase();
    const [target] = event.composedPath();
    const writes = target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== "range");
    if (!(event.ctrlKey || event.metaKey) || event.altKey || writes || !["z", "y"].includes(key)) return;
    event.preventDefault();
    this.explorer.go({ type: key === "y" || event.shiftKey ? "redo" : "undo" });
  }

  stop() {
    this.listening.abort();
  }

  showSteps() {
    const { parts, state: { chosen: { past, future } } } = this.explorer;
    parts.back.disabled = !past.length;
    parts.forward.disabled = !future.length;
  }

  // --- bookmarks --------------------------------------------------------------------------------

  /** @param {string} [problem] */
  show(problem = "") {
    const { places } = this.bookmarks;
    const save = pushButton(
      () => download("places.json", writeBookmarks(this.name, places), "application/json"), { title: "Save the bookmarks as a JSON file" }, "Save");
    save.hidden = !places.length;
    const file = element("input", { type: "file", accept: ".json", "aria-label": "Bookmarks from a JSON file", hidden: "" });
    file.addEventListener("change", () => this.load(file.files?.[0]));
    const load = pushButton(() => file.click(), { title: "Add bookmarks from a JSON file" }, "Load");
    this.host.replaceChildren(
      element("h2", {}, "Bookmarks", save, load, file),
      ...(problem ? [element("p", { role: "alert" }, problem)] : []),
      element("div", { class: "kept" }, ...places.map((_, i) => this.card(i))),
    );
  }

  /** @param {number} i */
  card(i) {
    const { explorer, bookmarks } = this;
    const place = bookmarks.places[i];
    const [output] = explorer.model.pictured;
    const values = new Float64Array(output.nOutputs);
    output.predict(place.point, values);
    const canvas = smallPicture(output.drawing, values, THUMB, { theme: explorer.state.theme, turn: START_TURN });
    const go = pushButton(() => explorer.go({ type: "visit", place }), { class: "go", title: `Go to ${place.name}`, "aria-label": `Go to ${place.name}` }, canvas);
    const name = element("input", { type: "text", "aria-label": "Name of the bookmark", maxlength: 40 });
    name.value = place.name;
    name.addEventListener("change", () => {
      bookmarks.rename(i, name.value);
      this.show();
    });
    const remove = pushButton(() => {
      bookmarks.remove(i);
      this.show();
    }, { class: "remove", "aria-label": `Remove ${place.name}`, title: "Remove" }, "×");
    return element("div", {}, go, name, remove);
  }

  /** @param {File | undefined} file */
  async load(file) {
    if (!file) return;
    try {
      const places = readBookmarks(await file.text(), this.explorer.model.nLatent);
      this.bookmarks.keep([...this.bookmarks.places, ...places]);
      this.show();
    } catch (error) {
      this.show(error instanceof Error ? error.message : String(error));
    }
  }
}
