// The points inside a closed line.

/**
 * Return the rows whose places are inside the line, by the even-odd rule.
 * @param {ArrayLike<number>} places x and y of the first row, then of the second, and so on
 * @param {[number, number][]} line closed from its end to its beginning
 * @returns {number[]}
 */
export function rowsInside(places, line) {
  const rows = [];
  for (let n = 0; 2 * n < places.length; n++) {
    const [x, y] = [places[2 * n], places[2 * n + 1]];
    let inside = false;
    line.forEach(([x1, y1], i) => {
      const [x2, y2] = line[(i + 1) % line.length];
      if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
    });
    if (inside) rows.push(n);
  }
  return rows;
}

/** Return whether sorted numbers contain n. @param {ArrayLike<number>} rows @param {number} n */
export function includes(rows, n) {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle] < n) low = middle + 1;
    else high = middle;
  }
  return rows[low] === n;
}

/** Return the sorted union of two lists. @param {ArrayLike<number>} rows @param {ArrayLike<number>} others */
export function united(rows, others) {
  const all = new Uint32Array(rows.length + others.length);
  all.set(rows);
  all.set(others, rows.length);
  return all.sort().filter((n, i) => i === 0 || n !== all[i - 1]);
}

/** Return sorted rows in a link's format: one bit per row, as letters. @param {ArrayLike<number>} rows */
export function rowsInLink(rows) {
  if (!rows.length) return "";
  const bytes = new Uint8Array((rows[rows.length - 1] >> 3) + 1);
  for (const n of Array.from(rows)) bytes[n >> 3] |= 1 << (n & 7);
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Return the rows in a link's text, for a model with `count` rows; no rows if the text is invalid. @param {string} text @param {number} count */
export function rowsOfLink(text, count) {
  const most = Math.ceil(count / 6) + 2; // six bits per letter
  if (text.length > most || !/^[\w-]*$/.test(text) || text.length % 4 === 1) return [];
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Array.from({ length: count }, (_, n) => n).filter((n) => (bytes.charCodeAt(n >> 3) >> (n & 7)) & 1);
}
