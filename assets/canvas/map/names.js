// What a visitor calls the dimensions of a model: remembered in this browser.

/** @typedef {{ getItem(key: string): string | null, setItem(key: string, value: string): void }} Storage */

const LONGEST = 40; // letters

export class DimensionNames {
  /**
   * key: of the model; own: the model's names, one for each dimension.
   * @param {string} key
   * @param {readonly string[]} own
   * @param {Storage | null} storage of the browser, where it lets us
   */
  constructor(key, own, storage) {
    // A newer version of a model has other dimensions.
    this.key = `dimensions of ${key}`;
    this.own = own;
    this.storage = storage;
    /** The names that a visitor gave, by dimension. @type {Record<string, string>} */
    this.given = {};
    try {
      const given = JSON.parse(storage?.getItem(this.key) ?? "{}");
      for (const q of own.keys()) if (typeof given[q] === "string") this.given[q] = given[q].slice(0, LONGEST);
    } catch {
      // Damaged names are as good as none.
    }
  }

  /** All names. */
  get all() {
    return this.own.map((name, q) => this.given[q] ?? name);
  }

  /** An empty name is the model's own again. @param {number} q @param {string} name */
  rename(q, name) {
    const words = name.trim().slice(0, LONGEST);
    if (words && words !== this.own[q]) this.given[q] = words;
    else delete this.given[q];
    try {
      this.storage?.setItem(this.key, JSON.stringify(this.given));
    } catch {
      // A browser that stores nothing has them until the page is closed.
    }
  }
}
