// Sixteen outputs together: around the chosen point, anywhere among the data, or over the visible map.

import { element, pushButton } from "../kit/dom.js";
import { drawSmall } from "../kit/output.js";
import { newPlace, normal, placeAround } from "../geometry/drawn.js";
import { TableOutput } from "../geometry/table.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { WallMode } from "./switches.js" */
/** @import { LatentModel } from "../geometry/model.js" */

const SIDE = 4;
const WALL_REST_MS = 150; // pause after a move of the map, before the pictures are drawn again
/** @type {[WallMode, string, string][]} */
const MODES = [
  ["around", "More like this", "Sixteen variations near this point"],
  ["anywhere", "Anywhere", "Sixteen new outputs that look like the data"],
  ["map", "Map", "Sixteen places over the visible map"],
  ["one", "Back to one", "The picture of this place"],
];

export class Wall {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.host = explorer.parts.wall;
    /** @type {Float64Array[]} */
    this.places = [];
    this.tiles = Array.from({ length: SIDE * SIDE }, (_, i) => {
      const canvas = element("canvas", { "aria-hidden": "true" });
      const tile = pushButton(() => this.take(i), { "aria-label": `Place ${i + 1}` }, canvas);
      for (const name of ["pointerenter", "focus"]) tile.addEventListener(name, () => this.point(i));
      for (const name of ["pointerleave", "blur"]) tile.addEventListener(name, () => this.point(-1));
      return { tile, canvas };
    });
    this.host.replaceChildren(...this.tiles.map(({ tile }) => tile));
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.buttons = MODES.map(([mode, name, words]) => pushButton(() => this.open(mode), { "data-wall": mode, title: words }, name));
    const noisy = pushButton(() => explorer.dispatch({ type: "set", name: "noise", value: !this.noisy }), { "data-part": "noisy", "aria-pressed": "false", title: "Add the random variation of real rows" }, "Noise");
    this.noisyButton = noisy;
    explorer.parts["wall-modes"].replaceChildren(...this.buttons, noisy);
    this.show();
  }

  get mode() {
    return this.explorer.state.chosen.wall;
  }

  get noisy() {
    return this.explorer.state.chosen.noise;
  }

  /** @param {WallMode} mode choosing the current mode again draws new places */
  open(mode) {
    if (mode === this.mode) this.begin();
    else this.explorer.dispatch({ type: "set", name: "wall", value: mode });
  }

  /** Show the outputs at new places of the mode. */
  begin() {
    this.show();
    this.draw(this.drawPlaces());
    this.explorer.resize();
    this.explorer.paint();
  }

  showNoise() {
    this.noisyButton.setAttribute("aria-pressed", String(this.noisy));
    this.draw();
  }

  show() {
    const one = this.mode === "one";
    for (const button of this.buttons) {
      button.setAttribute("aria-pressed", String(button.dataset.wall === this.mode));
      button.hidden = one && button.dataset.wall !== "around";
    }
    this.host.hidden = one;
    this.noisyButton.hidden = one;
    this.explorer.parts.output.hidden = !one;
  }

  /** Return new places of the mode; "around" depends on the point, "map" on the view. */
  drawPlaces() {
    const { model, state, map } = this.explorer;
    if (this.mode === "map") {
      return this.tiles.map((_, i) => {
        const share = (/** @type {number} */ step) => (step + 0.5) / SIDE;
        const [u, v] = map.toLatent(share(i % SIDE) * map.width, share(Math.floor(i / SIDE)) * map.height);
        return this.explorer.moved(state.point.slice(), u, v);
      });
    }
    return this.tiles.map(() => this.explorer.reachable(this.mode === "around" ? placeAround(model, state.point) : newPlace(model)));
  }

  /** Draw the outputs at the given places. @param {Float64Array[]} places */
  draw(places = this.places) {
    this.places = this.mode === "one" ? [] : places;
    this.explorer.state.marks = this.places;
    const { model, state } = this.explorer;
    const [output] = model.pictured;
    const width = this.tiles[0].canvas.clientWidth;
    if (!this.places.length || !width) return;
    const values = new Float64Array(output.nOutputs);
    this.tiles.forEach(({ canvas }, i) => {
      this.outputs(this.places[i], values);
      drawSmall(canvas, output.drawing, values, width, { theme: state.theme, turn: state.turn });
    });
  }

  /** Return the mean at a place; with noise, return a random row. @param {Float64Array} place @param {Float64Array} values */
  outputs(place, values) {
    const [shown] = this.explorer.model.pictured;
    if (!this.noisy) {
      shown.predict(place, values);
      return;
    }
    if (shown instanceof TableOutput) {
      shown.sample(place, values);
      return;
    }
    const output = /** @type {LatentModel} */ (shown);
    const { mean, variances } = output.moments(place, null);
    mean.forEach((value, d) => (values[d] = value + Math.sqrt(variances[d] + output.noise(d) ** 2) * normal()));
  }

  /** Update the outputs after a change of the chosen point. */
  follow() {
    if (this.mode === "around" || this.mode === "map") this.draw(this.drawPlaces());
  }

  /** Update the outputs after a change of the view, once the map rests. */
  moved() {
    clearTimeout(this.timer);
    if (this.mode !== "map") return;
    this.timer = setTimeout(() => {
      this.follow();
      this.explorer.paint();
    }, WALL_REST_MS);
  }

  stop() {
    clearTimeout(this.timer);
  }

  /** Mark a picture's place on the map; −1: no place. @param {number} i */
  point(i) {
    this.explorer.state.marked = i;
    this.explorer.paint();
  }

  /** Go to the place of a picture. @param {number} i */
  take(i) {
    const place = this.places[i];
    this.point(-1);
    this.open("one");
    this.explorer.arrive(place);
  }
}
