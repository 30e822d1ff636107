// A map that only places rows, such as a t-SNE map: it cannot generate rows from positions.

import { readFrame } from "../kit/frame.js";
import { LatentModel } from "../geometry/model.js";
import { LatentPoints } from "../geometry/points.js";
import { sampledSlice } from "../geometry/slice.js";

/** @import { MapModel } from "../map/map.js" */

export class PlacedPoints extends LatentPoints {
  /**
   * @param {Uint8Array} bytes framed, from gplvm_core/wire/placed.py
   * @param {LatentModel | null} lender a model of the same rows that has their pictures
   */
  constructor(bytes, lender) {
    super(readFrame(bytes));
    this.lender = lender;
  }

  get items() {
    return this.lender?.items;
  }

  get pictured() {
    return this.lender ? [this.lender] : [];
  }

  /** Return 0: a map without a model has no uncertainty. */
  variance() {
    return 0;
  }

  spreadWords() {
    return "";
  }

  slice() {
    return sampledSlice(() => 0);
  }
}

/**
 * Read models from their bytes. Models that cannot generate rows use the pictures of the first model that can.
 * @param {{ bytes: Uint8Array, draws: boolean }[]} packed
 * @returns {MapModel[]}
 */
export function modelsOf(packed) {
  const drawing = packed.map(({ bytes, draws }) => (draws ? new LatentModel(bytes) : null));
  const lender = drawing.find((model) => model) ?? null;
  return packed.map(({ bytes }, i) => drawing[i] ?? new PlacedPoints(bytes, lender));
}
