// The search for rows by number, id, label, word, or a value such as "age > 0.8" or "sex = male".

import { element } from "../kit/dom.js";
import { seePlace } from "./see_place.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { LatentPoints } from "../geometry/points.js" */

const MOST_OFFERED = 8;

/** @type {Record<string, (value: number, limit: number) => boolean>} */
const COMPARE = {
  ">": (value, limit) => value > limit, "<": (value, limit) => value < limit, "=": (value, limit) => value === limit,
  ">=": (value, limit) => value >= limit, "<=": (value, limit) => value <= limit,
};

/**
 * Return the sorted rows that match a query, or a message if none match.
 * @param {LatentPoints} points
 * @param {string} words
 * @returns {{ rows: number[], message: string }}
 */
export function findRows(points, words) {
  const text = words.trim().toLowerCase().replaceAll("−", "-");
  const all = Array.from({ length: points.nPoints }, (_, n) => n);
  const compared = /^(.+?)\s*(>=|<=|>|<|=)\s*(-?\d*\.?\d+(?:e-?\d+)?)$/.exec(text);
  const facts = points.factorNames;
  const word = /^(.+?)\s*=\s*(.+)$/.exec(text);
  const column = word ? facts.findIndex((fact, f) => fact.toLowerCase() === word[1] && points.factorWords(f)) : -1;
  if (word && column >= 0) return wordRows(points, all, column, word[2], words);
  if (compared) {
    const [, name, sign, limit] = compared;
    const exact = facts.findIndex((fact) => fact.toLowerCase() === name);
    const f = exact >= 0 ? exact : facts.findIndex((fact) => fact.toLowerCase().startsWith(name));
    if (f >= 0) return said(all.filter((n) => COMPARE[sign](points.factor(f, n), Math.fround(Number(limit)))), words);
    return { rows: [], message: facts.length ? `There is no column “${name}”. Try ${facts.slice(0, 3).join(", ")}.` : "These rows have no columns that you can search." };
  }
  const named = all.filter((n) => points.rowName(n).toLowerCase() === text);
  if (named.length) return said(named, words);
  const number = /^(?:row\s*)?#?(\d+)$/.exec(text);
  if (number) {
    const row = all.find((n) => points.rowNumber(n) === Number(number[1]));
    if (row !== undefined) return said([row], words);
    return { rows: [], message: `There is no row ${number[1]}; the map has ${points.nPoints.toLocaleString("en")} rows.` };
  }
  const labelled = all.filter((n) => points.labelName(n)?.toLowerCase() === text);
  if (labelled.length) return said(labelled, words);
  const worded = facts.flatMap((_, f) => points.factorWords(f)?.some((each) => each.toLowerCase() === text) ? [f] : []);
  if (worded.length) return wordRows(points, all, worded[0], text, words);
  return said(all.filter((n) => points.name(n).toLowerCase().includes(text)), words);
}

/** Return the rows with a word in a column. @param {LatentPoints} points @param {number[]} all @param {number} f @param {string} word @param {string} words */
function wordRows(points, all, f, word, words) {
  const known = /** @type {string[]} */ (points.factorWords(f));
  const code = known.findIndex((each) => each.toLowerCase() === word);
  if (code < 0) return { rows: [], message: `The column ${points.factorNames[f]} has no word “${word}”. Try ${known.slice(0, 3).join(", ")}.` };
  return said(all.filter((n) => points.factor(f, n) === code), words);
}

/** @param {number[]} rows @param {string} words */
function said(rows, words) {
  const message = rows.length === 0 ? `No row matches “${words.trim()}”. Try a row number.` : rows.length === 1 ? "" : `${rows.length} rows found`;
  return { rows, message };
}

/**
 * Return at most MOST_OFFERED labels, words and row names that contain the typed words.
 * @param {LatentPoints} points
 * @param {string} words
 * @returns {string[]}
 */
export function offeredQueries(points, words) {
  const text = words.trim().toLowerCase();
  /** @type {Set<string>} */
  const found = new Set();
  const offer = (/** @type {string | null} */ query) => {
    if (query && query.toLowerCase().includes(text)) found.add(query);
    return found.size >= MOST_OFFERED;
  };
  const labels = points.presentLabels().map((label) => points.header.label_names[label] ?? String(label));
  const columns = points.factorNames.flatMap((fact, f) => (points.factorWords(f) ?? []).map((word) => `${fact} = ${word}`));
  for (const query of [...labels, ...columns]) if (offer(query)) return [...found];
  for (let n = 0; n < points.nPoints; n++) if (offer(text || points.id(n) ? points.rowName(n) : null)) break;
  return [...found];
}

export class Search {
  /** @param {Explorer<any>} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    /** @type {HTMLInputElement} */
    this.field = explorer.parts.search;
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.find();
      else if (event.key === "Escape") this.say("");
    });
    this.field.addEventListener("input", () => {
      this.say("");
      this.offer();
    });
    this.field.addEventListener("focus", () => this.offer());
    this.listening = new AbortController();
    window.addEventListener("keydown", (event) => {
      const [target] = event.composedPath();
      const writes = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || writes) return;
      event.preventDefault();
      this.field.focus();
      this.field.select();
    }, { signal: this.listening.signal });
  }

  find() {
    const { explorer, field } = this;
    if (!field.value.trim()) return;
    const { rows, message } = findRows(explorer.model, field.value);
    this.say(message);
    if (!rows.length) return;
    explorer.dispatch({ type: "set", name: "rows", value: rows.length > 1 ? rows : [] });
    explorer.state.leave();
    explorer.arrive(explorer.model.position(rows[0]));
    explorer.paint();
    if (seePlace(explorer)) field.blur(); // also closes the on-screen keyboard
  }

  /** Offer queries below the field. */
  offer() {
    const queries = offeredQueries(this.explorer.model, this.field.value);
    this.explorer.parts.suggestions.replaceChildren(...queries.map((value) => element("option", { value })));
  }

  /** @param {string} words */
  say(words) {
    const { found } = this.explorer.parts;
    found.textContent = words;
    found.hidden = !words;
  }

  stop() {
    this.listening.abort();
  }
}
