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
