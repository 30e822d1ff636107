// The table of new rows: filters, order, and the row that the visitor chooses.

import { element, pushButton } from "../kit/dom.js";
import { counted } from "../kit/format.js";
import { LESS_COMMON, THRESHOLDS, filtered, isOdd, levelOf, listed, thresholdsFor, usualThreshold } from "./answers.js";

/** @import { Filter, NewRow, Order } from "./answers.js" */
/** @import { Overlay } from "./layer.js" */

const ROW_PAGE = 100; // rows that the table adds at a time
/** @type {{ key: Filter, title: string, help: string }[]} */
const ROW_FILTERS = [
  { key: "all", title: "All", help: "All rows" },
  { key: "odd", title: "Odd", help: "Rows that are odder than almost all training rows" },
  { key: "unlike", title: "Unlike all", help: "Rows that are odder than every training row" },
  { key: "gaps", title: "With gaps", help: "Rows in which the model filled gaps" },
  { key: "selected", title: "Selected", help: "Rows inside the line on the map" },
];
/** @type {{ key: Order | null, title: string, down: boolean }[]} */
const ROW_COLUMNS = [
  { key: "row", title: "Row", down: false },
  { key: "p", title: "Typical?", down: false },
  { key: null, title: "Why", down: false },
  { key: "gaps", title: "Filled", down: true },
];

export class RowTable {
  /**
   * @param {Record<string, any>} parts
   * @param {Overlay} overlay
   * @param {{ changed: () => void, choose: (n: number) => void, point: (n: number) => void }} page
   */
  constructor(parts, overlay, page) {
    this.parts = parts;
    this.overlay = overlay;
    this.page = page;
    this.most = ROW_PAGE;
    const { listing } = overlay;
    parts.threshold.append(...THRESHOLDS.map(({ value, words }) => element("option", { value }, words)));
    parts.threshold.value = String(listing.threshold);
    parts.threshold.addEventListener("change", () => this.change({ threshold: Number(parts.threshold.value) }));
    parts.find.addEventListener("input", () => this.change({ find: parts.find.value }));
    parts.more.addEventListener("click", () => {
      this.most += ROW_PAGE;
      this.show();
    });
    this.filters = ROW_FILTERS.map(({ key, title, help }) => {
      const button = pushButton(() => this.change({ filter: key }), { title: help, "data-filter": key }, title);
      return { key, title, button };
    });
    parts.filters.append(...this.filters.map(({ button }) => button));
    this.headings = ROW_COLUMNS.map(({ key, title, down }) => {
      const cell = element("th", { scope: "col" });
      if (!key) cell.append(title);
      else {
        const button = pushButton(() => this.change({ order: key, down: listing.order === key ? !listing.down : down }), { title: `Sort by “${title}”` }, title);
        cell.append(button);
      }
      return { key, cell };
    });
    parts.head.append(element("tr", {}, ...this.headings.map(({ cell }) => cell)));
  }

  /** @param {Partial<import("./answers.js").Listing>} changes */
  change(changes) {
    Object.assign(this.overlay.listing, changes);
    this.most = ROW_PAGE;
    this.page.changed();
  }

  /** Offer the thresholds that p can reach, and choose the usual one until the visitor chooses. @param {number} known */
  offerThresholds(known) {
    const { parts: { threshold }, overlay: { listing } } = this;
    const values = thresholdsFor(known).map(({ value }) => value);
    for (const option of threshold.options) option.hidden = !values.includes(Number(option.value));
    if (!listing.threshold) listing.threshold = usualThreshold(known);
    threshold.value = String(listing.threshold);
  }

  /** Return the listed rows, in order. */
  rows() {
    const { answers, listing } = this.overlay;
    return answers ? listed(answers.rows, listing) : [];
  }

  show() {
    const { parts, overlay: { answers, listing } } = this;
    if (!answers) return;
    const known = answers.known > 0;
    if (known) this.offerThresholds(answers.known);
    for (const { key, title, button } of this.filters) {
      const count = filtered(answers.rows, key, listing).length;
      button.textContent = `${title} ${count.toLocaleString("en")}`;
      button.setAttribute("aria-pressed", String(listing.filter === key));
      button.hidden = ((key === "odd" || key === "unlike") && !known) || ((key === "gaps" || key === "selected") && !count && listing.filter !== key);
    }
    parts.threshold.parentElement.hidden = !known;
    const promise = THRESHOLDS.find(({ value }) => value === listing.threshold)?.promise;
    parts.promise.textContent = known
      ? `At this threshold, expect ${promise} of 1,000 ordinary rows to be called odd; rows unlike all are always odd. p is the share of ${answers.known.toLocaleString("en")} training rows that were at least as odd.`
      : "";
    for (const { key, cell } of this.headings) cell.setAttribute("aria-sort", key !== listing.order ? "none" : listing.down ? "descending" : "ascending");
    const rows = this.rows();
    parts.body.replaceChildren(...rows.slice(0, this.most).map((n) => this.line(n)));
    if (!rows.length) parts.body.append(element("tr", {}, element("td", { colspan: ROW_COLUMNS.length, class: "none" }, listing.filter === "odd" || listing.filter === "unlike" ? "There are no such rows." : "No row matches.")));
    parts.more.hidden = rows.length <= this.most;
    parts.more.textContent = `Show more (${(rows.length - this.most).toLocaleString("en")} left)`;
  }

  /** @param {number} n */
  line(n) {
    const { overlay: { answers, listing, current }, page } = this;
    const row = /** @type {NewRow} */ (answers?.rows[n]);
    const name = element("button", { type: "button" }, row.name);
    const odd = isOdd(row, listing.threshold);
    const level = element("span", { class: odd ? "level odd" : "level", title: row.typical }, levelOf(row, listing.threshold));
    const p = row.p === null ? [] : [element("small", {}, ` ${pWords(row.p)}`)];
    const line = element("tr", { "data-row": n, ...(n === current ? { "aria-current": "true" } : {}) },
      element("th", { scope: "row" }, name), element("td", {}, level, ...p), element("td", { class: "why" }, this.why(row, odd)),
      element("td", { class: "number" }, row.gaps ? row.gaps.toLocaleString("en") : "–"));
    line.addEventListener("click", () => page.choose(n));
    line.addEventListener("pointerenter", () => page.point(n));
    line.addEventListener("pointerleave", () => page.point(-1));
    return line;
  }

  /** @param {NewRow} row @param {boolean} odd */
  why(row, odd) {
    if (row.reasons.length) return row.reasons.map(({ short }) => short).join("; ");
    if (row.p === null) return "–";
    if (odd) return "The row as a whole";
    return row.p <= LESS_COMMON ? "No column stands out" : "Every column fits";
  }

  /** Show the chosen row in the table. @param {boolean} scroll */
  mark(scroll) {
    const { overlay: { current }, parts: { body, box } } = this;
    for (const line of body.querySelectorAll("[aria-current]")) line.removeAttribute("aria-current");
    const line = body.querySelector(`[data-row="${current}"]`);
    line?.setAttribute("aria-current", "true");
    if (!line || !scroll) return;
    const [top, bottom] = [line.offsetTop - 40, line.offsetTop + line.offsetHeight];
    if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = Math.max(top - box.clientHeight / 3, 0);
  }

  /** Return the number of listed rows, in words. */
  words() {
    return `${counted(this.rows().length, "new row")} in the table.`;
  }
}

/** @param {number} p */
function pWords(p) {
  return `p ${p < 0.001 ? "< 0.001" : `= ${p.toFixed(p < 0.1 ? 3 : 2)}`}`;
}
