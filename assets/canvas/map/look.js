// What a visitor chose to see of a map, in words of a link: toggles, colours, shading, the wall, a path.

import { linkNumber } from "../kit/format.js";

/** @import { Explorer } from "./explorer.js" */

/** By short names; what is not there is as the page begins. @typedef {Record<string, string>} Look */

/** @param {Explorer<any>} explorer */
function controlsOf({ parts, root }) {
  const all = (/** @type {string} */ selector) => /** @type {HTMLButtonElement[]} */ ([...root.querySelectorAll(selector)]);
  return {
    toggles: all("[data-show]").filter((button) => !button.hidden),
    shade: /** @type {HTMLSelectElement | null} */ (parts.shade.querySelector("select")),
    colour: /** @type {HTMLSelectElement} */ (parts.colour),
    walls: all("[data-wall]"),
    noisy: all("[data-part=noisy]"),
  };
}

/** @param {HTMLElement} button */
const isPressed = (button) => button.getAttribute("aria-pressed") === "true";

/** What is chosen now. @param {Explorer<any>} explorer @returns {Look} */
function lookOf(explorer) {
  const { paths } = explorer;
  const { toggles, shade, colour, walls, noisy } = controlsOf(explorer);
  return {
    show: toggles.filter(isPressed).map(({ dataset }) => dataset.show).join(",") || "none",
    shade: shade?.value ?? "",
    by: String(Number(colour.value) + 1),
    wall: walls.find(isPressed)?.dataset.wall ?? "",
    noise: String(Number(noisy.some(isPressed))),
    path: (paths?.ends ?? []).flatMap((end) => Array.from(end, linkNumber)).join(","),
    way: paths?.kind ?? "",
  };
}

/**
 * Choose what a link says; what it cannot mean here changes nothing.
 * @param {Explorer<any>} explorer
 * @param {Look} look
 */
function takeLook(explorer, { show, shade, by, wall, noise, path, way }) {
  const controls = controlsOf(explorer);
  const shown = show?.split(",") ?? [];
  const known = controls.toggles.map(({ dataset }) => dataset.show ?? "");
  if (show === "none" || shown.some((name) => known.includes(name))) {
    for (const button of controls.toggles) if (isPressed(button) !== shown.includes(button.dataset.show ?? "")) button.click();
  }
  choose(controls.shade, shade);
  choose(controls.colour, by && String(Number(by) - 1));
  controls.walls.find((button) => button.dataset.wall === wall && !isPressed(button))?.click();
  if (noise === "1") for (const button of controls.noisy) if (!isPressed(button)) button.click();
  takePath(explorer, path, way);
}

/** The coordinates of both ends, and the kind. @param {Explorer<any>} explorer @param {string | undefined} path @param {string | undefined} way */
function takePath({ paths, model }, path, way) {
  if (!paths) return;
  if (way === "straight") paths.choose(way);
  const numbers = Float64Array.from(path?.split(",") ?? [], Number);
  if (numbers.length !== 2 * model.nLatent || !numbers.every(Number.isFinite)) return;
  paths.find(numbers.slice(0, model.nLatent), numbers.slice(model.nLatent));
}

/** @param {HTMLSelectElement | null} menu @param {string | undefined} value */
function choose(menu, value) {
  const option = [...(menu?.options ?? [])].find((each) => each.value === value && !each.disabled);
  if (!menu || !option || menu.value === value) return;
  menu.value = option.value;
  menu.dispatchEvent(new Event("change", { bubbles: true }));
}

/**
 * Take a look, and tell of every other one: what differs from how the page begins, else null.
 * @param {Explorer<any>} explorer
 * @param {Look} look
 * @param {(look: Record<string, string | null>) => void} tell
 */
export function keepLook(explorer, look, tell) {
  const first = lookOf(explorer);
  takeLook(explorer, look);
  const changed = () => tell(Object.fromEntries(Object.entries(lookOf(explorer)).map(([name, value]) => [name, value === first[name] ? null : value])));
  // Whatever is chosen is pressed or changed, with a pointer or by keys, and has done its work by then.
  for (const event of ["click", "change", "keyup"]) explorer.root.addEventListener(event, changed);
}
