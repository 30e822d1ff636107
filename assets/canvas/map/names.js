// A visitor's names of a model's dimensions: stored with own models, else in this browser.

/** @typedef {{ getItem(key: string): string | null, setItem(key: string, value: string): void }} Storage */
/**
 * key: of the names in the browser; stored: those in the model's file, "" for unnamed dimensions, or null
 * if the browser stores them.
 * @typedef {{ key: string, stored: readonly string[] | null }} NamesData
 */

const LONGEST = 40; // letters; the same limit as in gplvm_core/store/entry.py
export const PLACE = "dimensions of "; // before the key in the browser's storage
const [MARK, BETWEEN] = ["~", "~,"];

export class DimensionNames {
  /**
   * own: the model's names, one per dimension; linked: names in the link; renamed: stores all names with the model.
   * @param {NamesData} data
   * @param {readonly string[]} own
   * @param {Storage | null} storage of the browser, if allowed
   * @param {string} [linked]
   * @param {(names: string[]) => void} [renamed]
   */
  constructor({ key, stored }, own, storage, linked = "", renamed = () => {}) {
    // A newer version of a model has other dimensions.
    this.key = PLACE + key;
    this.own = own;
    this.storage = storage;
    this.renamed = renamed;
    this.latest = JSON.stringify(stored);
    /** Whether the model's file stores them. */
    this.kept = stored !== null;
    /** The names that a visitor gave, by dimension. @type {Record<string, string>} */
    this.given = {};
    if (stored) this.add(stored);
    else this.recall();
    // A link's names are shown, and stored after the first edit.
    if (linked) this.add(namesFromLink(linked));
  }

  /** Read the names in this browser. */
  recall() {
    try {
      const given = JSON.parse(this.storage?.getItem(this.key) ?? "{}");
      this.add(this.own.map((_, q) => (typeof given[q] === "string" ? given[q] : "")));
    } catch {
      // Ignore damaged names.
    }
  }

  /** Take the names in the model's file; return whether any changed. @param {readonly string[]} stored */
  take(stored) {
    // Repeated messages are older than names typed since.
    if (JSON.stringify(stored) === this.latest) return false;
    this.latest = JSON.stringify(stored);
    const before = JSON.stringify(this.all);
    this.given = {};
    this.add(stored);
    return before !== JSON.stringify(this.all);
  }

  /** Add valid names to the present ones. @param {readonly string[]} names */
  add(names) {
    names.slice(0, this.own.length).forEach((name, q) => {
      const words = cut(name);
      if (words && words !== this.own[q] && !this.taken(q, words)) this.given[q] = words;
    });
  }

  /** All names. */
  get all() {
    return this.own.map((name, q) => this.given[q] ?? name);
  }

  /** The visitor's names, "" for the others. */
  get visitors() {
    return this.own.map((_, q) => this.given[q] ?? "");
  }

  /** The dimension other than q that has a name or had it, or undefined. @param {number} q @param {string} name */
  taken(q, name) {
    const same = (/** @type {string} */ known) => known.toLowerCase() === name.toLowerCase();
    return this.own.find((known, p) => p !== q && (same(known) || same(this.given[p] ?? "")));
  }

  /** Name a dimension; an empty name restores the model's. Returns a message, or "". @param {number} q @param {string} name */
  rename(q, name) {
    const words = cut(name);
    const other = words ? this.taken(q, words) : undefined;
    if (other) return `${other === words ? "Another dimension" : other} already has the name “${words}”. Choose another one.`;
    if (words && words !== this.own[q]) this.given[q] = words;
    else delete this.given[q];
    this.renamed(this.visitors);
    if (!this.kept) {
      try {
        this.storage?.setItem(this.key, JSON.stringify(this.given));
      } catch {
        return "This browser does not store data: the name is lost when you close the page.";
      }
    }
    return Array.from(line(name)).length > LONGEST ? `The name was cut to ${LONGEST} letters.` : "";
  }

  /** The names in the link's format; "" without names. */
  toLink() {
    if (!Object.keys(this.given).length) return "";
    const names = this.visitors.map((name) => name.replaceAll(MARK, `${MARK}.`));
    while (!names[names.length - 1]) names.pop();
    return names.join(BETWEEN);
  }
}

/** The names in a link, "" for unnamed dimensions. @param {string} words */
function namesFromLink(words) {
  return words.split(BETWEEN).map((name) => name.replaceAll(`${MARK}.`, MARK));
}

/** @param {string} name */
function line(name) {
  return name.replace(/[\p{C}\s]+/gu, " ").trim();
}

/** One line, not too long; letters of two code units stay whole. @param {string} name */
function cut(name) {
  return Array.from(line(name)).slice(0, LONGEST).join("").trim();
}
