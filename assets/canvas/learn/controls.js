// The controls beside a figure: sliders, choices, switches, and buttons for another draw.

import { element, pushButton } from "../kit/dom.js";
import { formatNumber } from "../kit/format.js";

/** @typedef {{ kind: "slider" | "choice" | "switch" | "draw", name: string, label: string, low?: number, high?: number, step?: number, unit?: string, options?: [string, string][], help?: string }} LessonControl */
/** @typedef {Record<string, any>} LessonState values and lists of points, by the controls' names */

/**
 * Make a control's element, and the function that sets its value.
 * @param {LessonControl} control
 * @param {(value: any) => void} choose called with the visitor's choice
 * @returns {{ node: HTMLElement, show: (value: any) => void }}
 */
export function lessonControl(control, choose) {
  const { kind, label, help = "" } = control;
  if (kind === "slider") return slider(control, choose);
  if (kind === "choice") return choice(control, choose);
  let shown = /** @type {any} */ (undefined);
  const node = pushButton(() => choose(kind === "switch" ? !shown : shown + 1), { title: help }, label);
  const show = (/** @type {any} */ value) => {
    shown = value;
    if (kind === "switch") node.setAttribute("aria-pressed", String(value));
  };
  return { node, show };
}

/** @param {LessonControl} control @param {(value: any) => void} choose */
function slider({ label, low = 0, high = 1, step = 0.1, unit = "", help = "" }, choose) {
  const input = element("input", { type: "range", min: low, max: high, step, "aria-label": label });
  const output = element("output");
  const node = element("label", { class: "lesson-slider", title: help }, element("span", {}, label), input, output);
  const showNumber = () => {
    output.textContent = `${formatNumber(Number(input.value))}${unit}`;
    input.setAttribute("aria-valuetext", output.textContent);
  };
  input.addEventListener("input", () => {
    showNumber();
    choose(Number(input.value));
  });
  const show = (/** @type {number} */ value) => {
    input.value = String(value);
    showNumber();
  };
  return { node, show };
}

/** @param {LessonControl} control @param {(value: any) => void} choose */
function choice({ label, options = [], help = "" }, choose) {
  const select = element("select", { "aria-label": label }, ...options.map(([value, words]) => element("option", { value }, words)));
  const node = element("label", { class: "field", title: help }, element("span", {}, label), select);
  select.addEventListener("change", () => choose(select.value));
  return { node, show: (/** @type {string} */ value) => { select.value = value; } };
}
