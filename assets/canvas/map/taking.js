// Exports the output at the chosen point and the map, as pictures, numbers and code.

import { bvhText } from "../kit/bvh.js";
import { element, pushButton } from "../kit/dom.js";
import { download } from "../kit/download.js";
import { csvText, npyFile } from "../kit/numbers.js";
import { drawOutput, outputHeight } from "../kit/output.js";
import { pngOf } from "../kit/png.js";
import { svgOf } from "../kit/svg_context.js";
import { css } from "../kit/theme.js";
import { zipFile } from "../kit/zip.js";
import { columnNames } from "./outputs.js";
import { pythonCode } from "./python_code.js";
import { INSIDE_95 } from "./values.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { TableOutput } from "../geometry/table.js" */

const MEDIA_TYPES = { png: "image/png", svg: "image/svg+xml", csv: "text/csv", npz: "application/zip", bvh: "text/plain" };

const WIDTH_TAKEN = 400; // width of an exported output in CSS pixels, which sets the size of lines and text

const SAID_MS = 5000; // for this time, the line below the map says which file was made

/** @typedef {keyof typeof MEDIA_TYPES} Format */
/**
 * The answer to a request for the whole map as one file: its address, or the problem; turn: the request's number.
 * @typedef {{ turn: number, address?: string, file?: string, words?: string, problem?: string }} WholeMap
 */

/**
 * Return a line for every number and count, with its 95 % interval, and for every word.
 * @param {TableOutput} table
 * @param {Float64Array} point
 */
export function tableLines(table, point) {
  /** @type {(string | number)[][]} */
  const lines = [["column", "value", "lower end (95 %)", "upper end (95 %)", "probability"]];
  table.answers(point, null).forEach((answer, c) => {
    const { name, words = [] } = table.cells[c];
    if ("chances" in answer) words.forEach((word, k) => lines.push([name, word, "", "", answer.chances[k]]));
    else lines.push([name, answer.value, answer.low, answer.high, ""]);
  });
  return lines;
}

/**
 * Return a line for every column of numbers: the mean, the 95 % interval of a new row, and both standard deviations.
 * @param {string[]} names
 * @param {{ mean: ArrayLike<number>, variances: ArrayLike<number> }} moments of the functions
 * @param {ArrayLike<number>} deviations of new rows
 * @param {ArrayLike<number> | null} [body] the body as the visitor dragged it
 */
export function numberLines(names, { mean, variances }, deviations, body) {
  const lines = names.map((name, d) => [
    name, ...(body ? [body[d]] : []), mean[d], mean[d] - INSIDE_95 * deviations[d], mean[d] + INSIDE_95 * deviations[d], deviations[d], Math.sqrt(variances[d]),
  ]);
  return [["column", ...(body ? ["dragged body"] : []), "mean", "lower end (95 % of new rows)", "upper end (95 % of new rows)", "standard deviation of a new row", "standard deviation of the mean, without noise"], ...lines];
}

export class Taking {
  /**
   * The menu's attribute data-opening has Python code that opens the model.
   * @param {Explorer<any>} explorer an explorer with a single output
   */
  constructor(explorer) {
    /** @type {Explorer<LatentModel>} */
    this.explorer = explorer;
    /** @type {HTMLDetailsElement} */
    this.menu = explorer.parts.taking;
    const vector = explorer.model.drawing.kind !== "image";
    this.code = element("textarea", { readonly: "", rows: 7, spellcheck: "false", wrap: "off", "aria-label": "Python" });
    this.said = element("p", { role: "status" });
    /** The number of the request for the whole map that has no answer yet; 0 if there is none. */
    this.awaited = 0;
    const copy = pushButton(() => this.copy(), {}, "Copy");
    /** @type {Format[]} */
    const pictures = vector ? ["png", "svg"] : ["png"];
    /** @type {Format[]} */
    const arrays = explorer.model.table ? [] : ["npz"];
    /** @type {Format[]} */
    const pose = explorer.model.drawing.kind === "skeleton" ? ["bvh"] : [];
    this.menu.querySelector("[data-part=takings]")?.replaceChildren(
      this.group("The output at the chosen place", [...pictures, "csv", ...arrays, ...pose], (format) => this.output(format)),
      this.group("The map", ["png", "svg"], (format) => this.map(format)),
      element("section", {}, element("h2", {}, "Python code of this output"), this.code, copy),
      this.said,
    );
    this.menu.addEventListener("toggle", () => this.menu.open && this.showCode());
  }

  /**
   * Show the button for the whole map as one file; the server makes this file.
   * @param {(turn: number) => void} ask
   * @param {(address: string) => Promise<Uint8Array>} fetchBytes
   */
  offerFile(ask, fetchBytes) {
    this.fetchBytes = fetchBytes;
    const button = pushButton(() => {
      if (this.awaited) return;
      this.awaited = Date.now();
      this.say("Making the file …");
      ask(this.awaited);
    }, { title: "One file with this map and its rows" }, "HTML file");
    this.said.before(element("section", {}, element("h2", {}, "The whole map"), button, element("small", {}, "works offline, in any browser")));
  }

  /** @param {WholeMap | null | undefined} file */
  async takeFile(file) {
    if (!file || file.turn !== this.awaited) return;
    this.awaited = 0;
    try {
      if (!file.address || !file.file || !this.fetchBytes) throw new Error(file.problem);
      download(file.file, await this.fetchBytes(file.address), "text/html");
      this.done(`${file.file} was made. ${file.words}`);
    } catch (error) {
      this.say(`The file was not made. ${/** @type {Error} */ (error).message}`);
    }
  }

  /** @param {string} title @param {Format[]} formats @param {(format: Format) => Promise<void>} take */
  group(title, formats, take) {
    const buttons = formats.map((format) =>
      pushButton(() => take(format).catch((error) => this.say(String(error.message ?? error))), { "aria-label": `${title} as ${format.toUpperCase()}` }, format.toUpperCase()));
    return element("section", {}, element("h2", {}, title), ...buttons);
  }

  /** @param {string} words */
  say(words) {
    this.said.textContent = words;
  }

  /** @param {string} what @param {Format} format @param {Uint8Array | string} content */
  save(what, format, content) {
    const stem = this.explorer.model.header.name.split("|")[0].split(":").pop() ?? "";
    const name = `${stem.normalize("NFKD").replace(/[^\w]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "map"}-${what}.${format}`;
    download(name, content, MEDIA_TYPES[format]);
    this.done(`${name} was made.`);
  }

  /** Say in the menu, which stays open for a further export, and below the map what was made. @param {string} words */
  done(words) {
    const { controls } = this.explorer;
    const before = controls.words;
    this.say(words);
    controls.showHint(words);
    setTimeout(() => controls.words === words && controls.showHint(before), SAID_MS);
  }

  /** Return the point of the outputs, in the model's dimensions. @returns {Float64Array} */
  point() {
    return this.explorer.shownPoint().slice(0, this.explorer.model.header.n_latent);
  }

  /** @param {Format} format */
  async output(format) {
    const { explorer } = this;
    const { model } = explorer;
    if (model.table && format === "csv") {
      this.save("output", format, csvText(tableLines(model.table, explorer.shownPoint())));
      return;
    }
    if (model.table) {
      const values = new Float64Array(model.table.nOutputs);
      model.table.predict(explorer.shownPoint(), values);
      await this.draw(format, values, null);
      return;
    }
    const { mean, variances } = model.moments(explorer.shownPoint(), null);
    const std = variances.map(Math.sqrt);
    const rowStd = variances.map((variance, d) => Math.hypot(Math.sqrt(variance), model.noise(d)));
    // A dragged body differs from the mean, so files contain the shown body.
    const body = explorer.body?.posedAt(explorer.shownPoint())?.slice();
    if (format === "csv") {
      this.save("output", format, csvText(numberLines(columnNames(model.drawing, mean.length), { mean, variances }, rowStd, body)));
    } else if (format === "npz") {
      const entries = Object.entries({ ...(body && { body }), mean, std, row_std: rowStd, point: this.point() });
      this.save("output", format, zipFile(entries.map(([name, values]) => ({ name: `${name}.npy`, bytes: npyFile(values) }))));
    } else if (format === "bvh") this.save("output", format, bvhText(model.drawing.skeleton, [body ?? mean], 1 / 30));
    else await this.draw(format, body ?? mean, ["curve", "bars"].includes(model.drawing.kind) ? std : null);
  }

  /** Save the output as a picture. @param {Format} format @param {Float64Array} values @param {Float64Array | null} spread */
  async draw(format, values, spread) {
    const { model: { drawing }, state: { theme, turn } } = this.explorer;
    await this.picture("output", format, [WIDTH_TAKEN, outputHeight(drawing, WIDTH_TAKEN)], (context, size) =>
      drawOutput(context, drawing, values, ...size, { theme, turn, spread }));
  }

  /** @param {Format} format */
  async map(format) {
    const { map } = this.explorer;
    await this.picture("map", format, [map.width, map.height], (context) => {
      map.drawLayers(context);
      map.drawInFront(context);
    });
  }

  /**
   * @param {string} what
   * @param {Format} format
   * @param {[number, number]} size
   * @param {(context: CanvasRenderingContext2D, size: [number, number]) => void} draw
   */
  async picture(what, format, size, draw) {
    const background = css(this.explorer.state.theme.background);
    if (format === "png") {
      this.save(what, format, await pngOf(...size, background, (context) => draw(context, size)));
    } else this.save(what, format, svgOf(...size, (context) => {
      context.fillStyle = background;
      context.fillRect(0, 0, ...size);
      draw(context, size);
    }));
  }

  showCode() {
    const { drawing, header } = this.explorer.model;
    this.code.value = pythonCode(this.menu.dataset.opening ?? "", Array.from(this.point()), drawing, header.layer);
    this.say(this.explorer.body?.posedAt(this.explorer.shownPoint()) ? "Files contain the body as you dragged it, but the Python code gives the model's mean at this place." : "");
  }

  copy() {
    this.showCode();
    this.code.select();
    // Browsers forbid the newer clipboard API in frames and in files from disk.
    this.say(document.execCommand("copy") ? "Copied." : "The browser could not copy the code. It is selected, so you can copy it with Ctrl+C.");
  }
}
