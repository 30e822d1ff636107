// Which points a closed line encloses.

/**
 * Rows whose places lie inside, by the even-odd rule.
 * @param {ArrayLike<number>} places x and y of every row, one after the other
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

/** Whether numbers in order have one among them. @param {ArrayLike<number>} rows @param {number} n */
export function includes(rows, n) {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle] < n) low = middle + 1;
    else high = middle;
  }
  return rows[low] === n;
}

/** Numbers in order of either list. @param {ArrayLike<number>} rows @param {ArrayLike<number>} others */
export function united(rows, others) {
  const all = new Uint32Array(rows.length + others.length);
  all.set(rows);
  all.set(others, rows.length);
  return all.sort().filter((n, i) => i === 0 || n !== all[i - 1]);
}
