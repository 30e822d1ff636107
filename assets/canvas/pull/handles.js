// The drawing of a body's handles: joints that can be grabbed, held joints, and joints that cannot follow.

import { inkDisc, inkLine, inkPath } from "../kit/ink.js";
import { css } from "../kit/theme.js";

/** @import { Theme } from "../kit/theme.js" */
/** @import { Held } from "./drag.js" */

/**
 * @typedef {object} HandlesDrawn
 * @property {[number, number][]} places of the joints, in CSS pixels
 * @property {number[]} ends joints at the ends of limbs
 * @property {Theme} theme
 * @property {number} hovered
 * @property {number} chosen by the keyboard
 * @property {number} grabbed
 * @property {boolean} all whether to show all joints
 * @property {Held[]} held
 * @property {ReadonlyMap<number, Held>} pins
 * @property {(held: Held) => boolean} far
 * @property {(place: number[]) => [number, number]} toScreen
 * @property {(joint: number) => string} nameOf
 * @property {number} width of the drawing
 */

const CROWDED = 7; // CSS pixels; if joints are closer to each other, only one of them is shown

/** Return the joints without children; a hand with several fingers counts once, by its last finger. @param {readonly number[]} parents */
export function limbEnds(parents) {
  const inner = new Set(parents);
  return parents.map((_, joint) => joint).filter((joint) => !inner.has(joint) && parents[joint] >= 0);
}

/** Return a joint's name as words: "LeftForeArm" → "Left fore arm", "RFingers end" → "Right fingers". @param {string} name */
export function jointName(name) {
  const words = name.replace(/ end$/i, "").replace(/^L(?=[A-Z][a-z]|_)/, "Left").replace(/^R(?=[A-Z][a-z]|_)/, "Right").replace(/[_.]+/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").trim().toLowerCase();
  return words ? words[0].toUpperCase() + words.slice(1) : "Joint";
}

/** @param {CanvasRenderingContext2D} context @param {HandlesDrawn} drawn */
export function drawHandles(context, drawn) {
  const { places, ends, theme, hovered, chosen, grabbed, all, held, pins, far, toScreen } = drawn;
  context.setLineDash([]);
  /** @type {[number, number][]} */
  const shown = [];
  for (const joint of [...ends, ...(all ? places.keys() : [])]) {
    const [x, y] = places[joint];
    if (!Number.isFinite(x + y) || shown.some(([px, py]) => Math.hypot(px - x, py - y) < CROWDED)) continue;
    shown.push([x, y]);
    ringAt(context, x, y, ends.includes(joint) ? 4 : 2.6, theme, css(theme.accent, 0.9), 1.6);
  }
  for (const each of held) {
    const [x, y] = places[each.joint];
    const away = far(each);
    const pinned = pins.has(each.joint);
    const colour = css(pinned ? theme.accent : theme.point);
    if (away) {
      const [tx, ty] = toScreen(each.place);
      inkLine(context, [x, y], [tx, ty], { line: colour });
      inkDisc(context, tx, ty, 2.5, { fill: colour });
    }
    squareAt(context, x, y, each.joint === grabbed ? 7.5 : 6, away, theme, colour, pinned);
  }
  const named = grabbed >= 0 ? grabbed : chosen >= 0 ? chosen : hovered;
  if (named < 0) return;
  const [x, y] = places[named];
  if (named !== grabbed) ringAt(context, x, y, 8, theme, css(theme.accent), 2.2);
  nameAt(context, drawn, named, x, y);
}

/** @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} radius @param {Theme} theme @param {string} colour @param {number} width */
function ringAt(context, x, y, radius, theme, colour, width) {
  inkDisc(context, x, y, radius, { fill: css(theme.background, 0.85), line: colour, width });
}

/**
 * Draw a held joint as a square. The square stands on a corner if the joint cannot follow, and is filled if the joint
 * is pinned.
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} half
 * @param {boolean} turned
 * @param {Theme} theme
 * @param {string} colour
 * @param {boolean} filled
 */
function squareAt(context, x, y, half, turned, theme, colour, filled) {
  context.save();
  context.translate(x, y);
  if (turned) context.rotate(Math.PI / 4);
  context.beginPath();
  context.rect(-half, -half, 2 * half, 2 * half);
  inkPath(context, { fill: filled ? colour : css(theme.background, 0.7), line: filled ? css(theme.background) : colour, width: 2.2 });
  context.restore();
}

/** @param {CanvasRenderingContext2D} context @param {HandlesDrawn} drawn @param {number} joint @param {number} x @param {number} y */
function nameAt(context, { theme, nameOf, width }, joint, x, y) {
  const words = nameOf(joint);
  context.font = `600 12px ${theme.font}`;
  context.textBaseline = "middle";
  const wide = context.measureText(words).width;
  const right = x + 14 + wide < width;
  context.textAlign = right ? "left" : "right";
  const at = right ? x + 14 : Math.max(x - 14, wide);
  context.lineWidth = 4;
  context.lineJoin = "round";
  context.strokeStyle = css(theme.background, 0.9);
  context.strokeText(words, at, y - 12);
  context.fillStyle = css(theme.text);
  context.fillText(words, at, y - 12);
}
