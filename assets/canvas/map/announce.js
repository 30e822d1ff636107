// Words for those who do not see the pictures.

import { formatCoordinate } from "../kit/format.js";

/** @import { Explorer } from "./explorer.js" */

/** Tell where the chosen point is, how sure the outputs are, and what is near. @param {Explorer<any>} explorer */
export function announce({ model, state, parts, pictures }) {
  const near = model.name(model.nearest(state.point));
  const at = [state.a, state.b].map((q) => `dimension ${q + 1} at ${formatCoordinate(state.point[q])}`).join(", ");
  const spread = pictures.map((picture) => picture.sureness(state.point)).join(" ");
  parts.announce.textContent = `Point kept: ${at}. ${spread} Nearest training item: ${near}.`;
  for (const picture of pictures) picture.describe(`${at}; nearest training item ${near}`);
  parts.upper.setAttribute("aria-label",
    `Latent map of ${model.nPoints} training points, ${at}. Arrow keys move the point, Enter keeps it, plus and minus zoom, 0 resets.`);
}
