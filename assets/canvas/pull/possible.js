// Random bodies that fit the held joints, drawn from Gaussians around all explanations and weighted by the objective.

import { normal } from "../geometry/drawn.js";
import { inSlices } from "../kit/slices.js";
import { Explanations } from "./explanations.js";

/** @import { BodyDrag, Explanation } from "./drag.js" */
/** @import { Body } from "./body.js" */

const DRAWS = 64;
export const POSSIBLE = 8;
const DRAWS_A_STEP = 8;

/**
 * Draw bodies for the held joints, in random order. Each draw from N(mode, A⁻¹) has the weight p(x) / q(x).
 * @param {BodyDrag} drag
 * @param {() => number} [random] returns numbers from 0 to 1
 * @returns {Generator<void, Explanation[]>}
 */
export function* possiblePoses(drag, random = Math.random) {
  const others = yield* drag.others();
  const search = drag.searcher();
  const modes = [drag.point, ...others.map(({ point }) => point)].map((point) => ({ point, top: search.value(point), ...search.factorAt(point) }));
  const most = Math.max(...modes.map(({ score }) => score));
  const shares = modes.map(({ score }) => Math.exp(score - most));
  /** @type {{ point: Float64Array, weight: number }[]} */
  const drawn = [];
  while (drawn.length < DRAWS) {
    const { point, top, factor } = modes[chosenOf(shares, random)];
    const noise = point.map(() => normal(random));
    const square = noise.reduce((sum, z) => sum + z * z, 0);
    const place = spreadBy(factor, noise).map((step, q) => point[q] + step);
    drawn.push({ point: place, weight: search.value(place) - top + 0.5 * square });
    if (drawn.length % DRAWS_A_STEP === 0) yield;
  }
  const best = Math.max(...drawn.map(({ weight }) => weight));
  const weights = drawn.map(({ weight }) => Math.exp(weight - best));
  /** @type {Explanation[]} */
  const found = [];
  while (found.length < POSSIBLE) {
    const i = chosenOf(weights, random);
    weights[i] = 0;
    const pose = new Float64Array(drag.pose.length);
    drag.poseAt(drawn[i].point, pose);
    found.push({ point: drawn[i].point, pose, score: search.value(drawn[i].point) });
  }
  return found;
}

/** Return a random index with these weights. @param {number[]} weights @param {() => number} random */
function chosenOf(weights, random) {
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  for (let i = 0; i < weights.length; i++) {
    left -= weights[i];
    if (left < 0) return i;
  }
  return weights.indexOf(Math.max(...weights));
}

/** Solve Lᵀ x = noise: a draw from N(0, (L Lᵀ)⁻¹). @param {Float64Array} lower @param {Float64Array} noise */
function spreadBy(lower, noise) {
  const Q = noise.length;
  const found = noise.slice();
  for (let i = Q - 1; i >= 0; i--) {
    for (let j = i + 1; j < Q; j++) found[i] -= lower[j * Q + i] * found[j];
    found[i] /= lower[i * Q + i];
  }
  return found;
}

/** The small pictures of possible poses; the button "Possible poses" draws them. */
export class Possible extends Explanations {
  /** @param {Body} body */
  constructor(body) {
    super(body, { one: "Possible pose", all: "Possible poses", title: "Show this pose" });
    this.small.classList.add("possible");
    this.body = body;
  }

  /** Draw possible poses, in slices of time. @override */
  search() {
    const { drag } = this.body;
    this.cease();
    if (!drag?.holds) return;
    this.cease = inSlices(possiblePoses(drag), (found) => this.put(found));
  }

  /** Show a pose unchanged, and keep its latent point. @override @param {number} i */
  take(i) {
    const { found, body } = this;
    if (!found[i]) return;
    body.takePose(found[i]);
    body.say(`Possible pose ${i + 1} of ${found.length}`);
  }
}
