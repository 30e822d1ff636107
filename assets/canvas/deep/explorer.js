// The explorer of one layer: the layer's map, and the output of the layers below at a position.

import { element } from "../kit/dom.js";
import { OutputPicture } from "../kit/output_picture.js";
import { Explorer } from "../map/explorer.js";

/** @import { ChainModel } from "./chain.js" */

const SHADING = "Shading: the uncertainty of this layer's output, relative to its value without data";

/** @extends {Explorer<ChainModel>} */
export class ChainExplorer extends Explorer {
  /** @override */
  buildPictures() {
    const canvas = element("canvas", { role: "img", "data-part": "output" });
    this.parts.outputs.append(element("figure", {}, element("div", { class: "pane" }, canvas)));
    this.parts.outputs.dataset.count = "1";
    this.parts.shade.title = SHADING;
    return [new OutputPicture(canvas, this.model, this.state, () => this.turned())];
  }

  /** The tab shows what the layers do; its output cannot be changed by hand. @override */
  putTools() {}
}
