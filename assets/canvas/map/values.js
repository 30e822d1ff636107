// The values of a table at a place: a row per column, with its value on the range of the data.

import { element } from "../kit/dom.js";
import { formatFixed } from "../kit/format.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { LatentModel } from "../geometry/model.js" */

const INSIDE_95 = 1.96; // standard deviations to either side of a Gaussian's 95 % interval
const MARKS = "Mark: value here. Band: 95 % of rows here. Line: range of all rows, with their median.";

/**
 * The least, the median and the greatest value of a column in the training rows.
 * @typedef {readonly [number, number, number]} Range
 */

/**
 * A value's position on the range of its column, in percent of the line; values beyond it are cut and described.
 * @param {number} value
 * @param {number} spread half the width of the 95 % interval
 * @param {Range} range
 */
export function onRange(value, spread, [low, median, high]) {
  const width = high - low;
  const percent = (/** @type {number} */ x) => (width > 0 ? Math.min(Math.max((100 * (x - low)) / width, 0), 100) : 50);
  const side = value < low ? "below" : value > high ? "above" : "";
  const number = (/** @type {number} */ x) => formatFixed(x, width);
  const where = side ? `${side} the range of the data, ${number(low)} to ${number(high)}` : `range of the data ${number(low)} to ${number(high)}, median ${number(median)}`;
  return {
    side,
    mark: percent(value),
    median: percent(median),
    band: [percent(value - spread), percent(value + spread)],
    value: number(value),
    spread: `± ${number(spread)}`,
    words: `${number(value)}, plus or minus ${number(spread)}; ${where}`,
  };
}

export class TableValues {
  /**
   * Replaces the picture of the output.
   * @param {Explorer<LatentModel>} explorer of a table
   */
  constructor(explorer) {
    const { model, parts } = explorer;
    this.explorer = explorer;
    /** @type {Range[]} */
    this.ranges = model.header.column_ranges;
    this.values = new Float64Array(model.nOutputs);
    const columns = /** @type {string[]} */ (model.drawing.columns);
    const facts = model.factorNames.length - model.coloured.length;
    this.rows = columns.map((name, d) => {
      const title = model.coloured.length
        ? element("button", { type: "button", class: "column", title: `Colour the map by ${name}` }, name)
        : element("span", { class: "column", title: name }, name);
      const by = facts + d;
      title.addEventListener("click", () => explorer.dispatch({ type: "set", name: "by", value: explorer.state.chosen.by === by ? -1 : by }));
      const [band, median, mark] = ["band", "median", "mark"].map((part) => element("i", { class: part }));
      const bar = element("span", { class: "bar", role: "img" }, band, median, mark);
      const [value, spread] = [element("b"), element("small")];
      return { by, title, bar, band, median, mark, value, spread, row: element("li", {}, title, bar, value, spread) };
    });
    this.host = element("div", { class: "values" }, element("ul", { "aria-label": "Values at this place", tabindex: 0 }, ...this.rows.map(({ row }) => row)), element("p", {}, MARKS));
    parts.output.before(this.host);
    parts.output.hidden = true;
    parts.inspector.dataset.table = "true";
  }

  /** Whether a model's outputs are such values. @param {LatentModel} model */
  static fits({ header, drawing }) {
    return Boolean(header.column_ranges && drawing.columns);
  }

  /** @param {Float64Array} point @param {Float64Array | null} hidden variances of the dimensions that follow the data */
  show(point, hidden) {
    const { explorer: { model, state }, values } = this;
    const { variances } = model.moments(point, hidden);
    model.predict(point, values);
    this.rows.forEach(({ by, title, bar, band, median, mark, value, spread }, d) => {
      const seen = onRange(values[d], INSIDE_95 * Math.sqrt(variances[d] + model.noise(d) ** 2), this.ranges[d]);
      title.setAttribute("aria-pressed", String(state.chosen.by === by));
      band.style.left = `${seen.band[0]}%`;
      band.style.width = `${seen.band[1] - seen.band[0]}%`;
      median.style.left = `${seen.median}%`;
      mark.style.left = `${seen.mark}%`;
      mark.dataset.side = seen.side;
      value.textContent = seen.value;
      spread.textContent = seen.spread;
      bar.setAttribute("aria-label", seen.words);
    });
  }
}
