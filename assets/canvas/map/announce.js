// Words for those who do not see the pictures.

import { formatCoordinate } from "../kit/format.js";
import { FAR } from "./inspector.js";

/** @import { Explorer } from "./explorer.js" */

/** Tell where the chosen point is, how sure the outputs are, and what is near. @param {Explorer<any>} explorer */
export function announce({ model, state, parts, pictures, inspector }) {
  const far = inspector?.typicality.share(state.point) === 0;
  const near = far ? FAR : `Nearest row: ${model.name(model.nearest(state.point))}`;
  const at = [state.a, state.b].map((q) => `${model.header.axes[q].replace(/^Dimension (?=\d+$)/, "dimension ")} at ${formatCoordinate(state.point[q])}`).join(", ");
  const spread = pictures.map((picture) => picture.sureness(state.point)).join(" ");
  parts.announce.textContent = `Point kept: ${at}. ${spread} ${near}.`;
  for (const picture of pictures) picture.describe(`${at}; ${near}`);
  parts.upper.setAttribute("aria-label",
    `Latent map of ${model.nRows} training points, ${at}. Arrow keys move the point, Enter keeps it, plus and minus zoom, 0 resets.`);
}

/**
 * What of very many rows is drawn, and what knows a sample of them alone.
 * @param {Explorer<any>} explorer
 */
export function showCrowd({ model, map, parts: { crowd: host } }) {
  if (!host) return;
  host.hidden = !model.crowd;
  if (!model.crowd) return;
  const [sample, all] = [model.nPoints, model.nRows].map((count) => count.toLocaleString("en"));
  const drawn = !model.crowd.fetched ? `${sample} of ${all} rows, evenly from the whole table, are drawn.`
    : model.crowd.problem ? `${sample} of ${all} rows are drawn: the others could not be fetched (${model.crowd.problem.trim()}).`
      : map.crowd?.found ? `All ${all} rows: shading where they are many, dots once you have zoomed in.`
        : `${sample} of ${all} rows; the others are on their way.`;
  const known = model.crowd.fetched ? `Thumbnails, nearest rows and following the data know ${sample} of them, evenly from the whole table.` : "";
  host.textContent = `${drawn} ${known}`.trim();
}
