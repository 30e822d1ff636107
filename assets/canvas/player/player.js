// The player: one sequence, one time, and the parts that show them. It does not depend on Streamlit.

import { element, showButtons, skipToMap } from "../kit/dom.js";
import { readFrame } from "../kit/frame.js";
import { PairMenus, usedGroups } from "../kit/pair.js";
import { Shell } from "../kit/shell.js";
import { START_TURN } from "../kit/turn.js";
import { PlayerPictures } from "./pictures.js";
import { Reel } from "./reel.js";
import { Timeline } from "./timeline.js";
import { Trajectory } from "./trajectory.js";

/** @import { PlayerState, Stage } from "./reel.js" */

const PLAY_SHAPE = "M7 4.5v15l12.5-7.5z";
const PAUSE_SHAPE = "M6 4.5h4v15H6zM14 4.5h4v15h-4z";
const LONG_STEP = 10; // frames of a step with Shift

export class Player extends Shell {
  /** The training points; undefined until they have arrived. @type {Stage} */
  stage;
  /** The sequence; undefined until it has arrived. @type {Reel} */
  reel;
  /** The animation frame that advances the time. @type {number | null} */
  tick = null;
  /** The time of the last animation frame. @type {number | null} */
  before = null;

  /**
   * root: the element with player.html; place: an earlier result of `place()`, from which the player continues.
   * @param {ParentNode} root
   * @param {any | null} [place]
   */
  constructor(root, place = null) {
    super(root, "player");
    skipToMap(this.parts);
    /** The shared state of a player's parts; axis −1 is time. @type {PlayerState} */
    this.state = {
      a: 0, b: 1, time: place?.time ?? null,
      theme: this.theme,
      turn: { ...START_TURN, ...place?.turn },
      show: { tube: true, points: true, ...place?.show },
      speed: place?.speed ?? 1,
      loop: place?.loop ?? false,
    };
    this.dims = place?.dims ?? null;
    this.id = place?.id ?? null;
    this.playing = false;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    const seek = (/** @type {number} */ time) => this.seek(time);
    this.trajectory = new Trajectory(this.parts.lower, this.parts.upper, this.state, seek);
    this.timeline = new Timeline(this.parts.timeline, this.state, seek);
    this.pictures = new PlayerPictures(this.parts.panels, this.state, () => this.paint());
    this.menus = new PairMenus(this.parts, this.state, (a, b) => this.setPair(a, b), (taken) => this.spare(taken));
    this.controls();
    this.observe(this.root);
  }

  /** Return the state from which a later player can continue. */
  place() {
    const { a, b, time, turn, show, speed, loop } = this.state;
    return { dims: [a, b], time, turn, show, speed, loop, id: this.id };
  }

  // --- data from Python -----------------------------------------------------------------------

  /**
   * Show the training points, and store how outputs are drawn; named: returns the visitor's names of the dimensions.
   * @param {Uint8Array} bytes framed
   * @param {(own: string[]) => string[]} [named]
   */
  loadStage(bytes, named = (own) => own) {
    const { header, arrays, shapes } = readFrame(bytes);
    header.axes = named(header.axes);
    this.stage = { header, arrays, nLatent: shapes.latent[1] };
    [this.state.a, this.state.b] = this.dims ?? header.dims;
    this.trajectory.setStage(this.stage);
    this.pictures.setStage(this.stage);
    this.axes();
  }

  /** Show a sequence (framed bytes). The time stays the same if the sequence contains it. @param {Uint8Array} bytes */
  loadReel(bytes) {
    const reel = new Reel(bytes);
    const { start, play, id } = reel.header;
    const known = this.id === id;
    this.pause();
    this.reel = reel;
    this.id = id;
    const { time } = this.state;
    const inside = time !== null && time >= reel.start && time <= reel.end;
    if (start !== null && !known) this.state.time = start;
    else if (!inside) this.state.time = reel.start;
    this.timeline.setReel(reel);
    this.pictures.setReel(reel);
    this.trajectory.setReel(reel);
    const tube = /** @type {HTMLButtonElement} */ (this.root.querySelector("[data-show=tube]"));
    tube.disabled = !reel.arrays.latent_variance;
    this.resize();
    this.root.dataset.reel = id;
    this.root.dataset.ready = "true";
    // A new result plays automatically, but the first sequence of a page does not.
    if (play && !known && !this.calm.matches) this.play();
  }

  // --- time -----------------------------------------------------------------------------------

  /** @param {number} time */
  seek(time) {
    if (!this.reel) return;
    this.pause();
    this.state.time = Math.min(Math.max(time, this.reel.start), this.reel.end);
    this.paint();
  }

  /** Move the time by whole frames. @param {number} count */
  step(count) {
    const { frame, share } = this.reel.place(this.state.time);
    const from = count < 0 && share ? frame + 1 : frame;
    this.seek(this.reel.times[Math.min(Math.max(from + count, 0), this.reel.count - 1)]);
    this.say();
  }

  play() {
    if (!this.reel || this.reel.count < 2) return;
    if (this.state.time >= this.reel.end) this.state.time = this.reel.start;
    this.playing = true;
    this.before = null;
    this.button();
    this.tick ??= requestAnimationFrame((now) => this.advance(now));
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  pause() {
    if (this.tick !== null) cancelAnimationFrame(this.tick);
    this.tick = null;
    if (!this.playing) return;
    this.playing = false;
    this.button();
  }

  /** @param {number} now */
  advance(now) {
    const { reel, state } = this;
    this.tick = null;
    // A tab that was inactive continues at its last time.
    const seconds = this.before === null ? 0 : Math.min((now - this.before) / 1000, 0.25);
    this.before = now;
    state.time += seconds * state.speed * reel.header.rate;
    if (state.time >= reel.end) {
      if (state.loop) state.time = reel.start + ((state.time - reel.start) % Math.max(reel.end - reel.start, 1e-12));
      else {
        state.time = reel.end;
        this.pause();
      }
    }
    this.draw();
    if (this.playing) this.tick = requestAnimationFrame((later) => this.advance(later));
  }

  // --- controls -------------------------------------------------------------------------------

  controls() {
    const { parts, state } = this;
    parts.play.addEventListener("click", () => this.toggle());
    parts.back.addEventListener("click", () => this.step(-1));
    parts.forward.addEventListener("click", () => this.step(1));
    parts.speed.value = String(state.speed);
    parts.speed.addEventListener("change", () => (state.speed = Number(parts.speed.value)));
    parts.loop.setAttribute("aria-pressed", state.loop);
    parts.loop.addEventListener("click", () => {
      state.loop = !state.loop;
      parts.loop.setAttribute("aria-pressed", state.loop);
    });
    showButtons(this.root, state.show, () => {
      this.trajectory.drawLower();
      this.paint();
    });
    parts.hint.textContent = matchMedia("(pointer: coarse)").matches
      ? "Slide along the time track or the path."
      : "Space plays; ← and → go step by step. Drag along the time track or the path, or drag a figure to turn it.";
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.button();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.reel || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const on = /** @type {HTMLElement} */ (event.target).tagName;
    if (on === "SELECT" || (on === "BUTTON" && [" ", "Enter"].includes(event.key))) return;
    const far = event.shiftKey ? LONG_STEP : 1;
    const steps = { ArrowLeft: -far, ArrowDown: -far, ArrowRight: far, ArrowUp: far, PageUp: LONG_STEP, PageDown: -LONG_STEP }[event.key];
    if (event.key === " ") this.toggle();
    else if (steps) this.step(steps);
    else if (event.key === "Home") this.seek(this.reel.start);
    else if (event.key === "End") this.seek(this.reel.end);
    else return;
    event.preventDefault();
  }

  axes() {
    const { header, nLatent } = this.stage;
    this.menus.fill(usedGroups(header.on, nLatent).filter(({ dims }) => dims.length), header.axes, true);
    this.showPair();
  }

  /** Return the most relevant dimension other than `taken`. @param {number} taken */
  spare(taken) {
    const { header, nLatent } = this.stage;
    /** @type {number[]} */
    const order = [...header.on, 0, 1];
    return order.find((q) => q !== taken && q < nLatent) ?? -1;
  }

  /** @param {number} a @param {number} b */
  setPair(a, b) {
    [this.state.a, this.state.b] = [a, b];
    this.showPair();
    this.trajectory.fit();
    this.paint();
  }

  showPair() {
    this.menus.show();
    // Time can only be the horizontal axis.
    this.parts.swap.disabled = this.state.a < 0;
    const [across, up] = ["across", "up"].map((name) => this.parts[name].selectedOptions[0]?.textContent);
    this.parts.upper.setAttribute("aria-label", `The latent path among the training points: ${across} across, ${up} up. The arrow keys move the time.`);
  }

  button() {
    this.parts["play-shape"].setAttribute("d", this.playing ? PAUSE_SHAPE : PLAY_SHAPE);
    this.parts.play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    this.parts.play.title = `${this.playing ? "Pause" : "Play"} (Space)`;
    this.root.dataset.playing = String(this.playing);
  }

  // --- drawing --------------------------------------------------------------------------------

  /** @override */
  resize() {
    const { map, timeline } = this.parts;
    if (!this.reel || !this.root.clientWidth) return;
    this.timeline.resize(timeline.clientWidth);
    this.trajectory.resize(map.clientWidth, map.clientHeight);
    this.pictures.resize();
    this.draw();
  }

  /** @override */
  draw() {
    if (!this.reel) return;
    this.trajectory.drawUpper();
    this.timeline.draw();
    this.pictures.draw();
    this.clock();
  }

  clock() {
    const { reel, state, parts } = this;
    const time = reel.written(state.time);
    const frame = `${reel.header.each} ${reel.nearest(state.time) + 1} of ${reel.count}`;
    const where = reel.isForecast(state.time) ? "forecast" : reel.isHidden(state.time) ? reel.header.hidden : "";
    const spread = reel.arrays.spread ? `uncertainty ${Math.round(100 * reel.number("spread", state.time))} % of the data's spread` : "";
    const small = [frame, where, spread].filter(Boolean).join(" · ");
    parts.clock.replaceChildren(time, element("small", {}, small));
    parts.timeline.setAttribute("aria-valuenow", state.time);
    parts.timeline.setAttribute("aria-valuetext", `${time}, ${small}`);
  }

  /** Update the texts for screen readers. */
  say() {
    this.parts.announce.textContent = this.parts.timeline.getAttribute("aria-valuetext");
  }

  /** @override */
  recolour() {
    if (!this.reel) return;
    this.timeline.drawPicture();
    this.trajectory.drawLower();
    this.draw();
  }

  /** @override */
  stop() {
    this.pause();
    super.stop();
  }
}
