// What the visitor can change by hand in the outputs of a model.

import { element } from "../kit/dom.js";
import { LatentModel } from "../geometry/model.js";
import { Body } from "./body.js";
import { MOST_KINDS } from "./painted.js";
import { Painting } from "./painting.js";
import { canPull } from "./solver.js";
import { WhatIf } from "./what_if.js";

/** @import { Output } from "../geometry/model.js" */
/** @import { OutputPicture } from "../kit/output_picture.js" */
/** @import { Explorer } from "../map/explorer.js" */

/** Why the page cannot search a model for its outputs; "" if it can. @param {Output} model */
export function cannotPull(model) {
  const { drawing: { kind } } = model;
  const what = kind === "image" ? "paint on the picture" : kind === "skeleton" ? "drag the body" : "hold a column";
  if (!(model instanceof LatentModel)) return `You cannot ${what}: several views or layers predict it.`;
  if (!canPull(model)) return `You cannot ${what}: the page cannot differentiate this model's kernel.`;
  const { outputs } = model;
  if (kind === "image" && outputs.groups > MOST_KINDS) return `You cannot ${what}: the pixels have ${outputs.groups} noise levels, and the page handles up to ${MOST_KINDS}.`;
  return "";
}

/** The bodies to grab, the pictures to paint on, or the columns to hold. @param {Explorer<any>} explorer @returns {(Body | Painting | WhatIf)[]} */
export function graspsOf(explorer) {
  const { pictures, inspector, model } = explorer;
  const values = inspector?.values;
  if (values) {
    const problem = cannotPull(model);
    if (problem) explorer.putTools(pictures[0], element("p", { class: "cannot-pull" }, problem));
    return problem ? [] : [new WhatIf(explorer, values)];
  }
  return pictures.flatMap((picture) => graspOf(explorer, picture) ?? []);
}

/** @param {Explorer<any>} explorer @param {OutputPicture} picture */
function graspOf(explorer, picture) {
  const model = /** @type {LatentModel} */ (picture.model);
  const { kind } = model.drawing;
  if (kind !== "skeleton" && kind !== "image") return null;
  const problem = cannotPull(model);
  if (!problem) return kind === "image" ? new Painting(explorer, picture, model) : new Body(explorer, picture, model);
  explorer.putTools(picture, element("p", { class: "cannot-pull" }, problem));
  return null;
}
