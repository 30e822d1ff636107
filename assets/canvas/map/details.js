// What there is to know of the chosen point: how sure the model is, and which training rows are near.

import { dot } from "../kit/algebra.js";
import { Cards } from "../kit/cards.js";
import { element } from "../kit/dom.js";
import { formatNumber } from "../kit/format.js";
import { css, labelStyle } from "../kit/theme.js";
import { Typicality } from "../geometry/typicality.js";

/** @import { Turn } from "../kit/geometry.js" */
/** @import { Theme } from "../kit/theme.js" */
/** @import { LatentModel } from "../geometry/model.js" */

const NEAREST = 4;

/** @param {Float64Array} values */
const rootMean = (values) => Math.sqrt(dot(values, values) / values.length);

/**
 * A word where the page has one deviation for all outputs, because they differ in too many gaps.
 * @param {{ sets_of_rows?: number }} header of a layer
 */
export function untold({ sets_of_rows: sets }) {
  if (!sets) return [];
  return [element("p", { class: "untold" }, `The columns have gaps in ${sets} different sets of rows, too many to tell their uncertainties apart here: every column is shown with the mean of all.`)];
}

export class Details extends Cards {
  /**
   * @param {HTMLElement} section
   * @param {LatentModel} model
   * @param {{ theme: Theme, turn: Turn }} state
   */
  constructor(section, model, state) {
    super(section, state);
    this.model = model;
    this.typicality = new Typicality(model);
    this.drawing = model.drawing;
    /** @type {Float64Array | null} */
    this.point = null;
    /** Of every output, were the point as uncertain as its nearest row. */
    this.deviations = new Float64Array(model.nOutputs);
    /** Of a row's noise, over all outputs. */
    this.noise = rootMean(this.deviations.map((_, d) => model.noise(d)));
  }

  /** The chosen point is another one. @param {Float64Array} point */
  tell(point) {
    this.point = point.slice();
    const { nLatent: Q, latentVariance } = this.model;
    const row = this.model.nearest(point);
    const { variances } = this.model.moments(this.point, latentVariance?.subarray(row * Q, (row + 1) * Q) ?? null);
    this.deviations = variances.map(Math.sqrt);
    this.build();
    this.draw();
  }

  build() {
    const { model, point } = this;
    if (!point) return;
    const near = model.closest(point, NEAREST);
    this.section.dataset.point = JSON.stringify(Array.from(point));
    this.show(element("h3", { class: "aside" }, "The chosen point"), [
      {
        title: `Nearest rows${this.typicalInWords(point)}`,
        note: "Training rows in the latent space, every dimension weighted by its relevance; and the share of rows that lie as far from the others as this place does, or farther",
        cards: near.map(({ row, distance }) => this.rowCard(row, distance)),
      },
      this.uncertainty(point),
    ]);
    this.section.append(...untold(model.header));
  }

  /** @param {Float64Array} point */
  typicalInWords(point) {
    const share = this.typicality.share(point);
    return share === 0 ? " · off the map" : ` · more typical than ${Math.round(100 * share)} %`;
  }

  /** @param {number} row @param {number} distance */
  rowCard(row, distance) {
    const { model, state } = this;
    const label = model.labelName(row);
    const item = { ...model.drawing, shape: model.header.item_shape, range: model.header.item_range ?? model.drawing.range };
    return {
      values: model.item(row),
      drawing: item,
      caption: model.name(row),
      // The point's coordinates have four decimals.
      note: `distance ${formatNumber(Math.round(distance * 1e3) / 1e3, 2)}`,
      dot: label === null ? undefined : css(labelStyle(model.label(row), model.header.palette, state.theme).colour),
      alt: `Training row ${model.rowNumber(row)}${label === null ? "" : `, label ${label}`}`,
    };
  }

  /** @param {Float64Array} point */
  uncertainty(point) {
    const { model, deviations, noise } = this;
    const { header } = model;
    const own = rootMean(model.deviations(point));
    const share = (/** @type {number} */ value) => `${formatNumber(value, 2)} (${Math.round((100 * value) / header.spread)} %)`;
    const image = model.drawing.kind === "image";
    const mean = new Float64Array(image ? 0 : model.nOutputs);
    if (!image) model.predict(point, mean);
    return {
      title: "Uncertainty",
      note: `Standard deviation of every output of the function, if the point were only as well known as its nearest training row. The colours reach from 0 to the data's own spread, ${formatNumber(header.spread)}, wherever you are; so do the shares.`,
      cards: [{
        values: image ? deviations : mean,
        ...(image ? { heat: /** @type {[number, number]} */ ([0, header.spread]), ramp: true } : { spread: deviations }),
        caption: `function ± ${share(own)}`,
        note: `with noise ± ${share(Math.hypot(own, noise))}`,
        alt: `Standard deviation of the function ${share(own)}, of a row with its noise ${share(Math.hypot(own, noise))} of the data's spread`,
      }],
    };
  }
}
