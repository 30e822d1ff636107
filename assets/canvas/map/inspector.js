// The inspector describes one place: the pointer's place on the map (Here), else the kept point (Kept).

import { element, pushButton } from "../kit/dom.js";
import { inSlices } from "../kit/slices.js";
import { ALL_UNSURE, DOUBT_CELLS, Doubt, FAIRLY_SURE, sureWords } from "../geometry/doubt.js";
import { Typicality } from "../geometry/typicality.js";
import { NearestRows } from "./nearest.js";
import { TableValues } from "./values.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Unsure } from "./switches.js" */

const FOLLOW_MS = 40; // delay before filmstrips and rows follow the pointer
const RARE = 0.1; // a place is unusual if fewer rows than this fraction are as far from their neighbours as the place is
const AT_A_ROW = 1e-3; // a point is at a row if no coordinate differs by more
export const FAR = "Unlike anything the model has seen";

export class Inspector {
  /** @param {Explorer<LatentModel>} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.parts = explorer.parts;
    this.doubt = new Doubt(explorer.model);
    this.typicality = new Typicality(explorer.model);
    this.rows = new NearestRows(explorer);
    this.values = TableValues.fits(explorer.model) ? new TableValues(explorer) : null;
    /** The shown place. @type {Float64Array | null} */
    this.point = null;
    this.far = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.cease = () => {};
    this.showLabels();
    this.parts.blurring.hidden = explorer.model.drawing.kind !== "image";
    /** @type {HTMLButtonElement[]} */
    this.buttons = /** @type {Unsure[]} */ (["blur", "fade", "off"]).map((how) =>
      pushButton(() => explorer.dispatch({ type: "set", name: "unsure", value: how }), { "data-unsure": how }, how[0].toUpperCase() + how.slice(1)));
    this.parts.blurring.append(element("span", { class: "segments" }, ...this.buttons));
    this.showUnsure();
  }

  /** Show the labels of the nearest rows, if there are labels. */
  showLabels() {
    this.parts.likeness.hidden = !this.explorer.model.labels;
    this.rows.shown = "";
  }

  showUnsure() {
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.unsure === this.explorer.state.chosen.unsure));
    this.explorer.paint();
  }

  /** Return the uncertainty of the pixels for the picture; null if it is not shown. @param {ArrayLike<number>} point */
  unsure(point) {
    const { explorer: { map, model, painting, state: { chosen } }, doubt } = this;
    const painted = painting?.freedom(point, doubt);
    this.share = painted ? painted.share : doubt.share(point, map.follows() ? map.near : null);
    return model.drawing.kind === "image" && chosen.unsure !== "off" ? { how: chosen.unsure, cells: painted?.cells ?? doubt.cells, side: DOUBT_CELLS, from: FAIRLY_SURE, to: ALL_UNSURE } : null;
  }

  /** Describe a place; slower parts follow when the pointer rests. @param {Float64Array} point */
  show(point) {
    const { explorer, parts } = this;
    const { state } = explorer;
    const onPath = Boolean(explorer.paths?.place());
    const here = state.hover !== null || state.hovered >= 0;
    parts.where.textContent = onPath ? "On the path" : here ? "Here" : "Kept";
    parts.inspector.dataset.state = onPath ? "path" : here ? "here" : "kept";
    const typical = this.typicality.share(point);
    this.far = typical === 0;
    const place = [state.a, state.b].map((q) => explorer.model.coordinate(q, point[q])).join(", ");
    const row = this.rowAt(point);
    parts.readout.textContent = parts.readout.title = this.far ? place : `${this.nameOf(row, point)} · ${place}`;
    const missed = explorer.body?.missed();
    parts.typical.textContent = (this.far ? FAR : typical < RARE ? "An unusual place" : "A typical place") + (missed ? `, but ${missed}` : "");
    parts.sureness.textContent = this.far ? "A guess" : sureWords(this.share ?? 0);
    parts.sureness.title = `Values may be wrong by ${Math.round(100 * (this.share ?? 0))} % of the data's standard deviation`;
    this.tellLikeness(point);
    this.values?.show(point, explorer.map.follows() ? this.doubt.hidden(point, explorer.map.near) : null, row);
    this.point = point;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.follow(), here || explorer.busy ? FOLLOW_MS : 0);
  }

  /** @param {ArrayLike<number>} point */
  tellLikeness(point) {
    const like = this.far ? null : this.rows.likeness(point);
    this.parts.looks.replaceChildren(...(like ? [like.name, element("small", {}, like.words)] : ["–"]));
  }

  /** The training row at a place, or -1. @param {ArrayLike<number>} point */
  rowAt(point) {
    const { model, map, state } = this.explorer;
    if (state.hovered >= 0 && map.picks) return state.hovered;
    const row = model.nearest(point);
    return model.position(row).every((x, q) => Math.abs(x - point[q]) < AT_A_ROW) ? row : -1;
  }

  /** The name of the row at a place, with its label, or the name of the nearest row. @param {number} row @param {ArrayLike<number>} point */
  nameOf(row, point) {
    const { model } = this.explorer;
    return row >= 0 ? model.name(row) : `near ${model.rowName(model.nearest(point)).replace(/^Row/, "row")}`;
  }

  /** Update filmstrips and nearest rows. */
  follow() {
    const { explorer, point } = this;
    if (!point) return;
    this.cease();
    const { matters } = explorer;
    const { rows, far } = this;
    this.cease = inSlices((function* () {
      rows.show(point, far);
      yield;
      if (matters) yield* matters.draw(point);
    })(), () => {});
  }

  stop() {
    clearTimeout(this.timer);
    this.cease();
  }
}

/**
 * Copy the page's link, and show the result on the button.
 * @param {HTMLButtonElement | undefined} button
 * @param {() => { names: string, zoom: string }} more the dimensions' names and the zoom, in the link's format
 */
export function shareLink(button, more) {
  if (!button) return;
  button.hidden = !location.protocol.startsWith("http");
  const usual = button.textContent;
  button.addEventListener("click", async () => {
    // The page writes its link when the point rests.
    await new Promise((resolve) => setTimeout(resolve, 200));
    const link = new URL(location.href);
    for (const [name, words] of Object.entries(more())) {
      if (words) link.searchParams.set(name, words);
      else link.searchParams.delete(name);
    }
    button.textContent = (await copied(link.href)) ? "Link copied" : "Copy the address above";
    setTimeout(() => (button.textContent = usual), 2500);
  });
}

/** @param {string} text */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", { "aria-hidden": "true", style: "position:fixed;opacity:0" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
