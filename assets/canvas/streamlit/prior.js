// Streamlit component of the draws from deep priors, which run in the browser; their state is in the link.

import { PriorFigure } from "../deep/prior.js";
import { replaceLink } from "./place_link.js";
import { component } from "./shelf.js";

/** @import { PriorPlace } from "../deep/prior.js" */

export default component((root, /** @type {PriorPlace} */ data) => {
  const figure = new PriorFigure(root, data, ({ depth, draw, sees }) =>
    replaceLink({ depth: String(depth), draw: String(draw), sees: sees ? "1" : null }));
  return {
    name: "prior",
    shown: () => figure,
    look: () => {},
    update: () => figure.retheme(),
    stop: () => figure.stop(),
  };
});
