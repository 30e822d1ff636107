// What a visitor calls the dimensions of a model: stored with one's own models, else in this browser.

/** @typedef {{ getItem(key: string): string | null, setItem(key: string, value: string): void }} Storage */
/**
 * key: of the browser's own names; stored: those of the model's file, "" for dimensions without, or null
 * where the browser stores them.
 * @typedef {{ key: string, stored: readonly string[] | null }} NamesData
 */

const LONGEST = 40; // letters; gplvm_core/store/entry.py says the same
const [MARK, BETWEEN] = ["~", "~,"];

export class DimensionNames {
  /**
   * own: the model's names, one for each dimension; linked: what a link says; renamed: stores all names with the model.
   * @param {NamesData} data
   * @param {readonly string[]} own
   * @param {Storage | null} storage of the browser, where it lets us
   * @param {string} [linked]
   * @param {(names: string[]) => void} [renamed]
   */
  constructor({ key, stored }, own, storage, linked = "", renamed = () => {}) {
    // A newer version of a model has other dimensions.
    this.key = `dimensions of ${key}`;
    this.own = own;
    this.storage = storage;
    this.renamed = renamed;
    this.latest = JSON.stringify(stored);
    /** Whether the model's file has them. */
    this.kept = stored !== null;
    /** The names that a visitor gave, by dimension. @type {Record<string, string>} */
    this.given = {};
    if (stored) this.add(stored);
    else this.recall();
    // Those of a link are shown, and stored once the visitor edits one.
    if (linked) this.add(namesFromLink(linked));
  }

  /** What this browser has stored. */
  recall() {
    try {
      const given = JSON.parse(this.storage?.getItem(this.key) ?? "{}");
      this.add(this.own.map((_, q) => (typeof given[q] === "string" ? given[q] : "")));
    } catch {
      // Damaged names are as good as none.
    }
  }

  /** The names that the model's file has now; whether that changed any. @param {readonly string[]} stored */
  take(stored) {
    // What a message repeats is older than what was typed since.
    if (JSON.stringify(stored) === this.latest) return false;
    this.latest = JSON.stringify(stored);
    const before = JSON.stringify(this.all);
    this.given = {};
    this.add(stored);
    return before !== JSON.stringify(this.all);
  }

  /** Names that can be meant, beside those there are. @param {readonly string[]} names */
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

  /** The dimension other than q that has a name or had it, or undefined. @param {number} q @param {string} name */
  taken(q, name) {
    const same = (/** @type {string} */ known) => known.toLowerCase() === name.toLowerCase();
    return this.own.find((known, p) => p !== q && (same(known) || same(this.given[p] ?? "")));
  }

  /** Name a dimension; an empty name is the model's own again. Returns what has to be said, or "". @param {number} q @param {string} name */
  rename(q, name) {
    const words = cut(name);
    const other = words ? this.taken(q, words) : undefined;
    if (other) return `“${words}” is the name of ${other === words ? "another dimension" : other} already. Choose another one.`;
    if (words && words !== this.own[q]) this.given[q] = words;
    else delete this.given[q];
    this.renamed(this.own.map((_, p) => this.given[p] ?? ""));
    if (!this.kept) {
      try {
        this.storage?.setItem(this.key, JSON.stringify(this.given));
      } catch {
        return "This browser stores nothing: the name is lost when the page is closed.";
      }
    }
    return Array.from(line(name)).length > LONGEST ? `The name was cut: it can have ${LONGEST} letters.` : "";
  }

  /** In the words of a link; "" without names. */
  toLink() {
    if (!Object.keys(this.given).length) return "";
    const names = this.own.map((_, q) => (this.given[q] ?? "").replaceAll(MARK, `${MARK}.`));
    while (!names[names.length - 1]) names.pop();
    return names.join(BETWEEN);
  }
}

/** The names that a link says, "" for dimensions without. @param {string} words */
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
