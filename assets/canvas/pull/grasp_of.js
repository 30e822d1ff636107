// What the visitor can change by hand in a model's output, if anything.

import { element } from "../kit/dom.js";
import { Body } from "./body.js";
import { MOST_KINDS } from "./painted.js";
import { Painting } from "./painting.js";
import { canPull } from "./solver.js";
import { WhatIf } from "./what_if.js";

/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Explorer } from "../map/explorer.js" */

/** Why the page cannot find the latent point for given outputs of a model; "" if it can. @param {LatentModel} model */
export function cannotPull(model) {
  const { drawing: { kind }, outputs } = model;
  const what = kind === "image" ? "paint on the picture" : kind === "skeleton" ? "drag the body" : "hold a column";
  if (!canPull(model)) return `You cannot ${what}: the page cannot differentiate this model's kernel.`;
  if (kind === "image" && outputs.groups > MOST_KINDS) return `You cannot ${what}: the pixels have ${outputs.groups} noise levels, and the page handles up to ${MOST_KINDS}.`;
  return "";
}

/** The body to grab, the picture to paint on, or the columns to hold. @param {Explorer<LatentModel>} explorer @returns {Body | Painting | WhatIf | null} */
export function graspOf(explorer) {
  const { pictures: [picture], model, parts, inspector } = explorer;
  const { kind } = model.drawing;
  const values = inspector?.values;
  if (!values && kind !== "skeleton" && kind !== "image") return null;
  const problem = cannotPull(model);
  if (!problem) return values ? new WhatIf(explorer, values) : kind === "image" ? new Painting(explorer, picture) : new Body(explorer, picture);
  parts.inspector.querySelector(".facts")?.after(element("p", { class: "cannot-pull" }, problem));
  return null;
}
