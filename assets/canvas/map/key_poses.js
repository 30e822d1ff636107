// The dragged bodies at key frames. The movement passes them as they were seen: what a drag added to the model's mean is
// blended between neighbouring key frames, and the bones keep their lengths.

/** @import { Paths } from "./paths.js" */

export class KeyPoses {
  /** @param {Paths} paths */
  constructor(paths) {
    this.paths = paths;
    /** Bodies by their places. @type {Map<string, Float64Array>} */
    this.kept = new Map();
  }

  /** Keep the body that a drag has put at a place, if any. @param {ArrayLike<number>} point */
  keep(point) {
    const pose = this.paths.explorer.body?.posedAt(point);
    if (pose) this.kept.set(String(point), Float64Array.from(pose));
  }

  /** Forget the bodies at places that are not key frames any more. @param {readonly ArrayLike<number>[]} keys */
  forget(keys) {
    const left = new Set(keys.map(String));
    for (const place of this.kept.keys()) if (!left.has(place)) this.kept.delete(place);
  }

  /** Return the body that was kept at a place, or null. @param {ArrayLike<number>} point */
  at(point) {
    return this.kept.get(String(point)) ?? null;
  }

  /** Return what a drag added to the mean at a place, or null. @param {ArrayLike<number>} point */
  added(point) {
    const pose = this.at(point);
    return pose && this.mean(point).map((value, d) => pose[d] - value);
  }

  /** @param {ArrayLike<number>} point */
  mean(point) {
    const { model } = this.paths;
    const mean = new Float64Array(model.nOutputs);
    model.predict(point, mean);
    return mean;
  }

  /** Return the body at a fraction of the path; null where both key frames beside it have the mean. @param {number} share */
  along(share) {
    const { way, keys, explorer: { body } } = this.paths;
    if (!way || !body || !this.kept.size) return null;
    const at = share * way.length;
    const next = Math.max(way.stops.findIndex((stop, i) => i > 0 && stop >= at), 1);
    const [low, high] = [way.stops[next - 1], way.stops[next]];
    const part = high > low ? (at - low) / (high - low) : 0;
    const [before, after] = [this.added(keys[next - 1]), this.added(keys[next])];
    if (!before && !after) return null;
    const pose = this.mean(way.place(share)).map((value, d) => value + (1 - part) * (before?.[d] ?? 0) + part * (after?.[d] ?? 0));
    body.wake().limbs.restore(pose);
    return pose;
  }
}
