// Compositions of random functions from Gaussian processes.
//
// A draw from a process with k(x, x') = exp(−|x − x'|²/2ℓ²) is approximately a sum of many waves whose
// frequencies are normal with deviation 1/ℓ (Rahimi & Recht 2007). With ℓ² = 2/π the slope of a
// layer is 1 on average, as in Duvenaud, Rippel, Adams & Ghahramani (2014): then log|slope| falls by 0.41 per layer
// on average. The few intervals where it does not fall become steps.

import { normal } from "../geometry/drawn.js";

export const PRIOR_LENGTHSCALE = Math.sqrt(2 / Math.PI);
const WAVES = 240;

/** Return a function that gives reproducible random numbers from 0 to 1 (mulberry32). @param {number} seed */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A random function from the process, with several inputs and one output. */
export class DrawnFunction {
  /** @param {number} inputs @param {() => number} random */
  constructor(inputs, random) {
    this.inputs = inputs;
    this.frequencies = Float64Array.from({ length: WAVES * inputs }, () => normal(random) / PRIOR_LENGTHSCALE);
    this.phases = Float64Array.from({ length: WAVES }, () => 2 * Math.PI * random());
    this.sizes = Float64Array.from({ length: WAVES }, () => normal(random) * Math.sqrt(2 / WAVES));
  }

  /** Return the values at points; places: one list per input; a function with fewer inputs uses the first lists. @param {Float64Array[]} places */
  at(places) {
    const out = new Float64Array(places[0].length);
    for (let w = 0; w < WAVES; w++) {
      for (let n = 0; n < out.length; n++) {
        let angle = this.phases[w];
        for (let q = 0; q < places.length; q++) angle += this.frequencies[w * this.inputs + q] * places[q][n];
        out[n] += this.sizes[w] * Math.cos(angle);
      }
    }
    return out;
  }
}

/**
 * Compute the outputs of every layer at the points, one layer after the other; each layer has as many outputs
 * as inputs.
 * @param {Float64Array[]} places one list for every input
 * @param {number} seed
 * @param {boolean} sees whether every layer also receives the points
 * @returns {Generator<Float64Array[], never>} the values of a layer, one list for every output
 */
export function* drawnLayers(places, seed, sees) {
  const random = seeded(seed);
  for (let at = places, top = true; ; top = false) {
    // The waves are the same whether or not the layers receive the input, so that the switch changes nothing else.
    const functions = places.map(() => new DrawnFunction(2 * places.length, random));
    const whole = sees && !top ? [...at, ...places] : at;
    at = functions.map((drawn) => drawn.at(whole));
    yield at;
  }
}

/**
 * Return the fraction of a line on which a function is nearly flat: its slope is below a tenth of one layer's
 * mean slope.
 * @param {ArrayLike<number>} grid
 * @param {ArrayLike<number>} values
 */
export function flatShare(grid, values) {
  let flat = 0;
  for (let i = 1; i < grid.length; i++) flat += Number(Math.abs(values[i] - values[i - 1]) < 0.1 * (grid[i] - grid[i - 1]));
  return flat / (grid.length - 1);
}
