// The search for a setting with a picture, in a file that has pictures of some settings only.

/** @import { LessonControl, LessonState } from "./controls.js" */

/**
 * Return the number of the state that suits the visitor's choice best.
 *
 * The changed control counts most. A changed slider leaves its value in the direction of the change, so that an
 * arrow key always moves it. Unless all combinations have pictures, the other controls return to their first values.
 * @param {LessonState[]} states
 * @param {LessonControl[]} controls
 * @param {LessonState} wanted
 * @param {LessonState} now
 * @param {boolean} together whether all combinations have pictures
 */
export function nearestState(states, controls, wanted, now, together) {
  const costs = states.map((state) => controls.reduce((sum, control) => {
    const { name } = control;
    if (wanted[name] === now[name]) return sum + apart(control, state[name], together ? wanted[name] : states[0][name]);
    const stays = control.kind === "slider" && (state[name] - now[name]) * (wanted[name] - now[name]) <= 0;
    return sum + 1e3 * apart(control, state[name], wanted[name]) + (stays ? 1e6 : 0);
  }, 0));
  return costs.indexOf(Math.min(...costs));
}

/** Return the distance of two values, as a share of a slider's range. @param {LessonControl} control @param {any} a @param {any} b */
function apart({ kind, low = 0, high = 1 }, a, b) {
  return kind === "slider" ? Math.abs(a - b) / (high - low) : Number(a !== b);
}
