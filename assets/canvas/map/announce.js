// Texts for screen readers, and the note about the rows that a large map draws.

import { FAR } from "./inspector.js";

/** @import { Explorer } from "./explorer.js" */

/** Announce the chosen point, the uncertainty of the outputs, and the nearest row. @param {Explorer<any>} explorer */
export function announce({ model, state, parts, pictures, inspector }) {
  const far = inspector?.typicality.share(state.point) === 0;
  const near = far ? FAR : `Nearest row: ${model.name(model.nearest(state.point))}`;
  const at = [state.a, state.b].map((q) => `${model.header.axes[q].replace(/^Dimension (?=\d+$)/, "dimension ")} at ${model.coordinate(q, state.point[q])}`).join(", ");
  const spread = pictures.map((picture) => picture.sureness(state.point)).join(" ");
  parts.announce.textContent = `Point kept: ${at}. ${spread} ${near}.`;
  for (const picture of pictures) picture.describe(`${at}; ${near}`);
  parts.upper.setAttribute("aria-label",
    `Latent map of ${model.nRows} training points, ${at}. Arrow keys move the point, Enter keeps it, plus and minus zoom, 0 resets.`);
}

/**
 * Show how many of very many rows are drawn, and which functions use only a sample.
 * @param {Explorer<any>} explorer
 */
export function showCrowd({ model, map, parts: { crowd: host } }) {
  if (!host) return;
  host.hidden = !model.crowd;
  if (!model.crowd) return;
  const [sample, all] = [model.nPoints, model.nRows].map((count) => count.toLocaleString("en"));
  const drawn = !model.crowd.fetched ? `The map shows ${sample} of ${all} rows, spread evenly over the table.`
    : model.crowd.problem ? `The map shows ${sample} of ${all} rows; the others could not be loaded (${model.crowd.problem.trim()}).`
      : map.crowd?.found ? `The map shows all ${all} rows, as shading where rows are dense. Zoom in to see dots.`
        : `The map shows ${sample} of ${all} rows while the others are loading.`;
  const known = model.crowd.fetched ? `Thumbnails, nearest rows and “Follow the data” use a sample of ${sample} rows.` : "";
  host.textContent = `${drawn} ${known}`.trim();
}
