// The key frames of a path as small pictures: a press goes to one, × removes it.

import { element, pushButton } from "../kit/dom.js";
import { smallPicture } from "../kit/output.js";

/** @import { Paths } from "./paths.js" */

const KEY_SIZE = 48; // CSS pixels

export class KeyFrames {
  /** @param {Paths} paths */
  constructor(paths) {
    this.paths = paths;
    this.host = element("div", { class: "key-frames", role: "group", "aria-label": "Key frames", hidden: "" });
  }

  show() {
    const { host, paths: { keys } } = this;
    host.hidden = !keys.length;
    host.replaceChildren(...keys.map((_, i) => this.card(i)));
  }

  /** @param {number} i */
  card(i) {
    const { paths, paths: { keys, explorer, explorer: { state: { theme, turn } } } } = this;
    const [{ model, model: { drawing } }] = explorer.pictures;
    const point = Float64Array.from(keys[i]);
    const values = new Float64Array(model.nOutputs);
    model.predict(point, values);
    values.set(paths.poses.at(keys[i]) ?? values);
    const canvas = smallPicture(drawing, values, KEY_SIZE, { theme, turn, tallest: 1.3 });
    const go = pushButton(() => explorer.arrive(point), { title: "Go to this key frame", "aria-label": `Go to key frame ${i + 1}` }, canvas, element("small", {}, String(i + 1)));
    const remove = pushButton(() => paths.removeKey(i), { class: "remove", title: "Remove this key frame", "aria-label": `Remove key frame ${i + 1}` }, "×");
    return element("span", {}, go, remove);
  }
}
