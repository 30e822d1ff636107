// The places that a visitor kept, one after the other: back to an earlier one, and forward again.

/**
 * Where a visitor stands: the dimensions shown, the point in all dimensions, and whether the
 * further dimensions follow the data.
 * @typedef {{ dims: [number, number], point: number[], follow: boolean }} Place
 */

const MOST_PLACES = 200;

export class History {
  /** @param {Place} first */
  constructor(first) {
    this.places = [first];
    this.at = 0;
  }

  /** A new place; what lay ahead is gone. The one where she stands already adds nothing. @param {Place} place */
  push(place) {
    if (JSON.stringify(place) === JSON.stringify(this.places[this.at])) return;
    this.places = [...this.places.slice(0, this.at + 1), place].slice(-MOST_PLACES);
    this.at = this.places.length - 1;
  }

  /** Whether there is a place so many steps on. @param {-1 | 1} step */
  can(step) {
    return this.at + step >= 0 && this.at + step < this.places.length;
  }

  /** Go one step back or forward; the place there, or null. @param {-1 | 1} step */
  go(step) {
    if (!this.can(step)) return null;
    this.at += step;
    return this.places[this.at];
  }
}
