// What Python computed for the chosen point: exact mean, uncertainty, samples, nearest training items.

import { Cards } from "../kit/cards.js";
import { element } from "../kit/dom.js";
import { formatCoordinate, formatNumber } from "../kit/format.js";
import { readFrame } from "../kit/frame.js";
import { css, labelStyle } from "../kit/theme.js";

/** @import { Frame } from "../kit/frame.js" */
/** @import { Drawing, Turn } from "../kit/geometry.js" */
/** @import { Theme } from "../kit/theme.js" */
/** @import { LatentPoints } from "./points.js" */

export class Details extends Cards {
  /**
   * @param {HTMLElement} section
   * @param {LatentPoints} model
   * @param {Drawing} drawing of its outputs
   * @param {{ theme: Theme, turn: Turn }} state
   */
  constructor(section, model, drawing, state) {
    super(section, state);
    this.model = model;
    this.drawing = drawing;
    /** @type {Frame | null} */
    this.content = null;
  }

  /** New framed bytes from figures/pack.py, pack_details. @param {Uint8Array} bytes */
  load(bytes) {
    this.content = readFrame(bytes);
    this.build();
    this.draw();
  }

  build() {
    if (!this.content) return;
    const { header, arrays } = this.content;
    const { on, palette } = this.model.header;
    const kind = this.drawing?.kind;
    const D = arrays.mean.length;
    /** @type {(array: Float32Array, i: number) => Float32Array} */
    const row = (array, i) => array.subarray(i * D, (i + 1) * D);
    /** @type {number[]} */
    const point = header.point;
    const place = point.map((value, q) => ({ q, value })).filter(({ q }) => on.includes(q));
    const words = place.slice(0, 4).map(({ q, value }) => `dimension ${q + 1} at ${formatCoordinate(value)}`).join(", ");
    const deviation = formatNumber(header.std);
    const dot = (/** @type {number} */ n) => css(labelStyle(this.model.label(n), palette, this.state.theme).colour);
    this.section.dataset.point = JSON.stringify(point);
    this.show(element("h3", {}, "The chosen point", element("small", {}, words)), [
      {
        title: "Prediction",
        note: "Computed in Python with double precision",
        cards: [{ values: arrays.mean, caption: `mean, ± ${deviation}`, alt: `Mean prediction; standard deviation ${deviation}` }],
      },
      {
        title: "Uncertainty",
        note: "Standard deviation of every output if the point were as uncertain as its nearest training point",
        cards: [
          kind === "image"
            ? { values: arrays.deviation, heat: header.deviation_range, caption: rangeWords(header.deviation_range), ramp: true, alt: "Standard deviation of every pixel" }
            : { values: arrays.mean, spread: arrays.deviation, caption: kind === "skeleton" ? "joint spread" : "± 2 deviations", alt: "Mean with its standard deviations" },
        ],
      },
      {
        title: "Samples",
        note: "Draws of a position around the point, and of the output there",
        cards: Array.from({ length: header.n_samples }, (_, i) => ({
          values: row(arrays.samples, i), caption: `draw ${i + 1}`, alt: `Sample ${i + 1}`,
        })),
      },
      {
        title: "Nearest training items",
        note: "In the latent space, every dimension weighted by its relevance",
        cards: header.nearest.map((/** @type {{ row: number, label: string | null, distance: number }} */ item, /** @type {number} */ i) => ({
          values: row(arrays.nearest, i),
          caption: item.label ?? `row ${item.row + 1}`,
          note: `distance ${formatNumber(item.distance, 2)}`,
          dot: item.label === null ? undefined : dot(item.row),
          alt: `Training item ${item.row + 1}${item.label === null ? "" : `, label ${item.label}`}`,
        })),
      },
    ]);
  }
}

/** @param {[number, number]} range */
function rangeWords([low, high]) {
  return `${formatNumber(low, 2)} to ${formatNumber(high, 2)}`;
}
