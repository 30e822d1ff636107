// What else the hidden part could be: alternatives with their weights, and samples.

const USUAL_CARDS = 7; // side by side; fewer do not grow

class Possibilities extends Details {
  constructor(section, state) {
    super(section, null, state);
  }

  clear() {
    this.content = null;
    this.cards = [];
    this.section.replaceChildren();
  }

  /** Those of another question step back until the new ones are there. */
  expect({ item, mask }) {
    const { header } = this.content ?? {};
    this.section.classList.toggle("stale", !(header && header.item === item && header.mask === mask));
  }

  show(content) {
    this.section.classList.remove("stale");
    this.content = content;
    this.build();
    this.draw();
  }

  build() {
    const { weights } = this.content.header;
    const { alternatives, samples } = this.content.arrays;
    const D = this.model.nOutputs;
    const row = (array, i) => array.subarray(i * D, (i + 1) * D);
    const nSamples = samples.length / D;
    this.cards = [];
    const groups = element("div", { class: "groups" });
    const group = (title, note, cards) => {
      if (!cards.length) return;
      const list = element("div", { class: "cards" }, ...cards.map((card) => this.card(card)));
      groups.append(element("div", { class: "group", style: `--cards:${cards.length}` }, element("h4", { title: note }, title), list));
    };
    const share = (weight) => `${weight > 0.995 && weight < 1 ? ">99" : Math.round(100 * weight)} %`;
    // A single one is the completion itself.
    group("Alternatives and their weights",
      "Different places on the map that explain what is visible; the completion is their weighted mean",
      (weights.length > 1 ? weights : []).map((weight, i) => ({ values: row(alternatives, i), caption: share(weight), weight, alt: `Alternative ${i + 1}, weight ${share(weight)}` })));
    group("Samples of the hidden part", "Draws of everything hidden, noise included",
      Array.from({ length: nSamples }, (_, i) => ({ values: row(samples, i), caption: `draw ${i + 1}`, alt: `Sample ${i + 1}` })));
    groups.style.setProperty("--all-cards", Math.max(this.cards.length, USUAL_CARDS));
    const note = weights.length === 1 ? "Only one place on the map explains what is visible" : "";
    this.section.replaceChildren(...(this.cards.length ? [element("h3", {}, "Other possibilities", ...(note ? [element("small", {}, note)] : [])), groups] : []));
  }

  card(card) {
    const figure = super.card(card);
    if (card.weight !== undefined) {
      figure.querySelector("figcaption").prepend(element("span", { class: "weight" }, element("i", { style: `width:${100 * card.weight}%` })));
    }
    return figure;
  }
}
