// A visitor's names of a model's dimensions, which the model's file or this browser stores.

/** @typedef {{ getItem(key: string): string | null, setItem(key: string, value: string): void }} Storage */
/**
 * key: identifies the names in the browser; stored: the names in the model's file, "" for unnamed dimensions,
 * or null if the browser stores names.
 * @typedef {{ key: string, stored: readonly string[] | null }} NamesData
 */

const LONGEST = 40; // the most letters of a name; the same limit as in gplvm_core/store/entry.py
export const PLACE = "dimensions of "; // the beginning of keys in the browser's storage
const [MARK, BETWEEN] = ["~", "~,"];

export class DimensionNames {
  /**
   * own: the model's names, one per dimension; linked: names in the link; renamed: called with all names to store them in the model's file.
   * @param {NamesData} data
   * @param {readonly string[]} own
   * @param {Storage | null} storage of the browser, if allowed
   * @param {string} [linked]
   * @param {(names: string[]) => void} [renamed]
   */
  constructor({ key, stored }, own, storage, linked = "", renamed = () => {}) {
    // A new version of a model has another key, since its dimensions are different.
    this.key = PLACE + key;
    this.own = own;
    this.storage = storage;
    this.renamed = renamed;
    this.latest = JSON.stringify(stored);
    /** Whether the model's file stores the names. */
    this.kept = stored !== null;
    /** The names that a visitor gave, by dimension. @type {Record<string, string>} */
    this.given = {};
    if (stored) this.add(stored);
    else this.recall();
    // The link's names are shown at once, but stored only after the first edit.
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

  /** Adopt the names in the model's file; return whether a name changed. @param {readonly string[]} stored */
  take(stored) {
    // If a message is repeated, names that were typed after its first arrival are newer.
    if (JSON.stringify(stored) === this.latest) return false;
    this.latest = JSON.stringify(stored);
    const before = JSON.stringify(this.all);
    this.given = {};
    this.add(stored);
    return before !== JSON.stringify(this.all);
  }

  /** Add valid names to the present names. @param {readonly string[]} names */
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

  /** The visitor's names; "" for dimensions without one. */
  get visitors() {
    return this.own.map((_, q) => this.given[q] ?? "");
  }

  /** Return a dimension other than q that has or had this name, or undefined. @param {number} q @param {string} name */
  taken(q, name) {
    const same = (/** @type {string} */ known) => known.toLowerCase() === name.toLowerCase();
    return this.own.find((known, p) => p !== q && (same(known) || same(this.given[p] ?? "")));
  }

  /** Name a dimension; an empty name restores the model's name. Returns a message, or "". @param {number} q @param {string} name */
  rename(q, name) {
    const words = cut(name);
    const other = words ? this.taken(q, words) : undefined;
    if (other) return `${other === words ? "Another dimension" : other} already has the name “${words}”. Choose another name.`;
    if (words && words !== this.own[q]) this.given[q] = words;
    else delete this.given[q];
    this.renamed(this.visitors);
    if (!this.kept) {
      try {
        this.storage?.setItem(this.key, JSON.stringify(this.given));
      } catch {
        return "This browser does not store data, so the name is lost when you close the page.";
      }
    }
    return Array.from(line(name)).length > LONGEST ? `The name was cut to ${LONGEST} letters.` : "";
  }

  /** Return the names in the link's format; "" without names. */
  toLink() {
    if (!Object.keys(this.given).length) return "";
    const names = this.visitors.map((name) => name.replaceAll(MARK, `${MARK}.`));
    while (!names[names.length - 1]) names.pop();
    return names.join(BETWEEN);
  }
}

/** Return the names in a link, "" for unnamed dimensions. @param {string} words */
function namesFromLink(words) {
  return words.split(BETWEEN).map((name) => name.replaceAll(`${MARK}.`, MARK));
}

/** @param {string} name */
function line(name) {
  return name.replace(/[\p{C}\s]+/gu, " ").trim();
}

/** Shorten a name to one line of limited length, without splitting letters of two code units. @param {string} name */
function cut(name) {
  return Array.from(line(name)).slice(0, LONGEST).join("").trim();
}
