// Small pictures of rows in titled groups, side by side.

import { element } from "./dom.js";
import { drawSmall } from "./output.js";

/** @import { Drawing, Turn } from "./geometry.js" */
/** @import { Theme } from "./theme.js" */

/**
 * @typedef {object} Card
 * @property {ArrayLike<number>} values
 * @property {Drawing} [drawing] the drawing of these values, if it differs from the other cards' drawing
 * @property {string} caption
 * @property {string} alt
 * @property {string} [note] a second line
 * @property {ArrayLike<number>} [spread]
 * @property {[number, number]} [heat]
 * @property {boolean} [ramp] whether the colour scale of standard deviations is shown above the caption
 * @property {string} [dot] a colour beside the caption
 * @property {number} [weight] shown as a bar above the caption
 */
/** @typedef {{ title: string, note: string, cards: Card[] }} CardGroup */

export class Cards {
  /** @param {HTMLElement} section @param {{ theme: Theme, turn: Turn }} state */
  constructor(section, state) {
    this.section = section;
    this.state = state;
    /** @type {Drawing | null} */
    this.drawing = null;
    /** @type {(Card & { canvas: HTMLCanvasElement })[]} */
    this.cards = [];
  }

  /**
   * Show the groups under a heading. Groups without cards are omitted; without any card, the section is empty.
   * @param {HTMLElement} heading
   * @param {CardGroup[]} groups
   * @param {number} least the number of cards side by side that fill the width; fewer cards do not grow
   */
  show(heading, groups, least = 0) {
    this.cards = [];
    const all = element("div", { class: "groups" });
    for (const { title, note, cards } of groups) {
      if (!cards.length) continue;
      const list = element("div", { class: "cards" }, ...cards.map((card) => this.card(card)));
      const count = `--cards:${cards.length}`;
      all.append(element("div", { class: "group", style: count }, element("h3", { title: note }, title), list));
    }
    all.style.setProperty("--all-cards", String(Math.max(this.cards.length, least)));
    this.section.replaceChildren(...(this.cards.length ? [heading, all] : []));
  }

  clear() {
    this.cards = [];
    this.section.replaceChildren();
  }

  /** @param {Card} card */
  card(card) {
    const canvas = element("canvas", { role: "img", "aria-label": card.alt });
    this.cards.push({ ...card, canvas });
    const line = element("span", {}, card.caption);
    if (card.dot) line.prepend(element("i", { class: "dot", style: `background:${card.dot}` }));
    const caption = element("figcaption", {}, line);
    if (card.note) caption.append(element("small", {}, card.note));
    if (card.ramp) caption.prepend(element("i", { class: "heat" }));
    if (card.weight !== undefined) {
      caption.prepend(element("span", { class: "weight" }, element("i", { style: `width:${100 * card.weight}%` })));
    }
    return element("figure", {}, canvas, caption);
  }

  draw() {
    const { theme, turn } = this.state;
    // All cards are measured before any is drawn, because each measurement after a change triggers a new layout.
    const widths = this.cards.map(({ canvas }) => canvas.clientWidth);
    for (const [i, { canvas, values, spread, heat, drawing = this.drawing }] of this.cards.entries()) {
      const width = widths[i];
      if (!width || !drawing) continue;
      drawSmall(canvas, drawing, values, width, { theme, turn, spread, heat, tallest: 1.35 });
    }
  }
}
