// Updates of an explorer after a change of its state.

import { OWN } from "./switches.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { Chosen } from "./state.js" */

const UNSEEN = 1e-4; // smaller changes of a coordinate are ignored; the rounding of a kept point is smaller

/**
 * Show a new place.
 * @param {Explorer<any>} explorer
 * @param {Readonly<Chosen>} earlier
 */
export function showPlace(explorer, { place: before, past, future }) {
  const { state: { chosen }, map, controls, memory, gestures, wall } = explorer;
  if (chosen.past !== past || chosen.future !== future) memory.showSteps();
  const { dims, point, follow } = chosen.place;
  if (chosen.place === before) return;
  const plane = String(dims) !== String(before.dims);
  if (plane) {
    controls.showPair();
    map.fit();
    controls.showShade();
  } else if (follow !== before.follow) {
    controls.showFollow();
    wall?.moved();
  }
  // A dragged point may leave the view.
  const revealed = gestures.mode !== "point" && map.revealPoint();
  // The drawing below the point depends on the view, and on hidden dimensions that do not follow the data.
  const beside = !map.follows() && point.some((x, q) => Math.abs(x - before.point[q]) > UNSEEN && !dims.includes(q));
  // A drag refreshes the shading at its end.
  if (revealed || (beside && !explorer.busy) || follow !== before.follow) map.refresh();
  explorer.paint();
}

/**
 * Show the switches that have changed.
 * @param {Explorer<any>} explorer
 * @param {Readonly<Chosen>} before
 */
export function showSwitches(explorer, before) {
  const { state: { chosen }, map, controls, selecting, table, shades, wall, paths, inspector } = explorer;
  const differs = (/** @type {(keyof Chosen)[]} */ ...names) => names.some((name) => chosen[name] !== before[name]);
  if (differs("show")) controls.showLayers();
  if (differs("by") && (chosen.by === OWN || before.by === OWN)) explorer.ownLabels?.show();
  else if (differs("by")) {
    controls.colours.show();
    selecting?.show();
  }
  if (differs("labels")) controls.colours.mark();
  if (differs("rows", "labels")) selecting?.show();
  if (differs("show", "rows")) table?.show();
  if (differs("show", "by", "labels", "rows")) map.drawLower();
  if (differs("by")) explorer.paint();
  if (differs("shade")) {
    shades?.show();
    controls.colours.markShade();
  }
  if (differs("level")) explorer.levels?.show();
  if (differs("wall")) wall?.begin();
  if (differs("unsure")) inspector?.showUnsure();
  if (differs("noise")) wall?.showNoise();
  if (differs("path")) paths?.search();
  if (differs("way")) paths?.sayLength();
  if (differs("path")) paths?.strip.show();
  if (differs("path", "way", "seconds")) paths?.show();
}
