// The drawn body of an explorer as something to grab: mouse, finger and keyboard, handles over the
// figure, and small pictures of other explanations. drag.js has the pose that follows.

import { element, fitCanvas } from "../kit/dom.js";
import { jointFrame, jointPlaces } from "../kit/geometry.js";
import { drawOutput } from "../kit/output.js";
import { inSlices } from "../kit/slices.js";
import { BodyDrag } from "./drag.js";
import { drawHandles, jointName, limbEnds } from "./handles.js";
import { finish } from "./near.js";

/** @import { Turn } from "../kit/geometry.js" */
/** @import { OutputPicture } from "../kit/output_picture.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Explorer } from "../map/explorer.js" */
/** @import { Explanation } from "./drag.js" */

const NEAR_MOUSE = 15; // CSS pixels within which a joint is grabbed
const NEAR_FINGER = 28;
const SLOP = 3; // CSS pixels that a press may move
const ARROW = 2; // an arrow key's way, in hundredths of the body
const SHIFTED = 4; // times farther with Shift
const RESTS_MS = 450; // after the last arrow key, the place is kept
const MOST_POSES = 60; // for undo and redo
const TRAIL_MS = 1600;
const OTHER_SIZE = 54; // CSS pixels of another explanation
const HALO_EVERY = 4; // frames
export const BODY_KEYS = "Tab chooses a joint, arrow keys move it, P pins it, A shows another explanation, Escape lets go.";
const BODY_HINT = "Drag a joint. Press it to pin it. Drag beside the body to turn it.";

export class Body {
  /** @param {Explorer<LatentModel>} explorer @param {OutputPicture} picture of a skeleton */
  constructor(explorer, picture) {
    this.explorer = explorer;
    this.picture = picture;
    this.canvas = picture.canvas;
    this.drawing = explorer.model.drawing;
    this.ends = limbEnds(this.drawing.skeleton.parents);
    /** Joints in the order of Tab: the ends of the limbs first. */
    this.order = [...this.ends, ...this.drawing.skeleton.parents.map((_, j) => j).filter((j) => !this.ends.includes(j))];
    /** @type {BodyDrag | null} */
    this.drag = null;
    /** The joint under the pointer, and the one that the keyboard chose; −1: none. */
    this.hovered = -1;
    this.chosen = -1;
    /** The pointer that drags. @type {{ id: number, joint: number, x: number, y: number, moved: boolean } | null} */
    this.press = null;
    /** The point that the drag has set last. @type {string | null} */
    this.at = null;
    /** Poses at kept places, for undo and redo. @type {Map<string, Float64Array>} */
    this.poses = new Map();
    /** @type {Explanation[]} */
    this.others = [];
    this.next = 0;
    /** @type {Float64Array | null} */
    this.halo = null;
    this.frames = 0;
    this.last = 0;
    this.leaving = false;
    /** The requested frame of the trail. */
    this.fading = 0;
    /** The view in which the keyboard's joint was grabbed. */
    this.turnedSince = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.cease = () => {};
    this.small = element("div", { class: "explanations", role: "group", "aria-label": "Other explanations", hidden: "" });
    this.words = element("p", { class: "body-hint" }, BODY_HINT);
    this.canvas.after(this.small, this.words);
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "body");
    explorer.root.dataset.body = "true";
    picture.held = () => this.press !== null || this.hovered >= 0 || this.chosen >= 0;
    picture.posed = (point) => this.posedAt(point);
    picture.around = () => this.spread();
    picture.over = (context) => this.drawOver(context);
    picture.keys = BODY_KEYS;
    // Before the listeners that turn the figure.
    const on = (/** @type {string} */ name, /** @type {(event: any) => void} */ heard) => this.canvas.addEventListener(name, heard.bind(this), { capture: true });
    on("pointerenter", () => this.wake());
    on("focus", () => this.wake());
    on("blur", () => this.choose(-1));
    on("pointerdown", this.down);
    on("pointermove", this.move);
    on("pointerup", this.up);
    on("pointercancel", this.up);
    on("pointerleave", () => this.hover(-1));
    on("keydown", this.key);
  }

  /** Whether a joint is being moved. */
  get busy() {
    return this.press !== null || (this.drag !== null && !this.drag.still);
  }

  /** Prepare the search, so that the first touch does not wait. */
  wake() {
    if (this.drag) return this.drag;
    this.drag = new BodyDrag(this.explorer.model);
    this.cease = inSlices(this.drag.pull.prepare(), () => {});
    return this.drag;
  }

  // --- joints on the screen -------------------------------------------------------------------

  /** Joints in CSS pixels. @returns {[number, number][]} */
  places() {
    const [width, height] = this.picture.size ?? [1, 1];
    return jointPlaces(this.drawing, this.picture.values, width, height, this.explorer.state.turn);
  }

  /** CSS pixels of one unit of the data. */
  scale() {
    const [width, height] = this.picture.size ?? [1, 1];
    return jointFrame(this.drawing, this.picture.values, width, height).scale;
  }

  /** The joint at a place, or −1. @param {PointerEvent} event */
  jointAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let [found, least] = [-1, event.pointerType === "touch" ? NEAR_FINGER : NEAR_MOUSE];
    this.places().forEach(([px, py], joint) => {
      // The end of a limb wins over its neighbours at the same place.
      const far = Math.hypot(px - x, py - y) - (this.ends.includes(joint) ? 2 : 0);
      if (far < least) [found, least] = [joint, far];
    });
    return found;
  }

  // --- pointer --------------------------------------------------------------------------------

  /** @param {number} joint */
  hover(joint) {
    if (joint === this.hovered || this.press) return;
    this.hovered = joint;
    this.canvas.classList.toggle("on-joint", joint >= 0);
    this.explorer.paint();
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0 || this.press) return;
    this.hovered = -1;
    const joint = this.jointAt(event);
    if (joint < 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.press = { id: event.pointerId, joint, x: event.clientX, y: event.clientY, moved: false };
    this.chosen = -1;
    this.canvas.classList.add("grabbing");
    this.begin();
    this.explorer.paint();
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { press } = this;
    if (!press) {
      if (event.pointerType !== "touch" && !event.buttons) this.hover(this.jointAt(event));
      return;
    }
    if (event.pointerId !== press.id) return;
    const [dx, dy] = [event.clientX - press.x, event.clientY - press.y];
    if (!press.moved) {
      if (Math.hypot(dx, dy) < SLOP) return;
      press.moved = true;
      this.wake().grab(press.joint, this.explorer.state.turn);
    }
    [press.x, press.y] = [event.clientX, event.clientY];
    this.wake().moveBy(dx / this.scale(), -dy / this.scale());
    this.explorer.paint();
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { press } = this;
    if (!press || event.pointerId !== press.id) return;
    this.press = null;
    this.canvas.classList.remove("grabbing");
    if (!press.moved && event.type === "pointerup") this.pin(press.joint);
    else this.end();
  }

  // --- keyboard -------------------------------------------------------------------------------

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Tab") {
      this.tab(event);
      return;
    }
    const way = ARROW * (event.shiftKey ? SHIFTED : 1);
    const step = { ArrowLeft: [-way, 0], ArrowRight: [way, 0], ArrowUp: [0, way], ArrowDown: [0, -way] }[event.key];
    const joint = this.chosen >= 0 ? this.chosen : this.hovered;
    const key = event.key.toLowerCase();
    if (step && this.chosen >= 0) this.nudge(step[0], step[1]);
    else if (key === "p" && joint >= 0) this.pin(joint);
    else if (key === "a" && this.drag?.holds) this.another();
    else if (event.key === "Escape" && (this.drag?.holds || this.chosen >= 0)) this.letGo();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Choose the next joint; after the last one, and after Escape, Tab leaves the body. @param {KeyboardEvent} event */
  tab(event) {
    const at = this.order.indexOf(this.chosen) + (event.shiftKey ? -1 : 1);
    if (this.leaving || at < 0 || at >= this.order.length || (event.shiftKey && this.chosen < 0)) {
      this.leaving = false;
      return;
    }
    event.preventDefault();
    this.choose(this.order[at]);
  }

  /** @param {number} joint */
  choose(joint) {
    if (joint === this.chosen) return;
    this.chosen = joint;
    if (joint < 0) this.leaving = false;
    else this.say(`${this.nameOf(joint)}${this.drag?.pins.has(joint) ? ", pinned" : ""}`);
    this.explorer.paint();
  }

  /** @param {number} right @param {number} up in hundredths of the body */
  nudge(right, up) {
    this.begin();
    const drag = this.wake();
    const { turn } = this.explorer.state;
    if (drag.hand?.joint !== this.chosen || this.turnedSince !== String([turn.yaw, turn.pitch])) drag.grab(this.chosen, turn);
    this.turnedSince = String([turn.yaw, turn.pitch]);
    drag.moveBy(right * drag.unit, up * drag.unit);
    this.explorer.paint();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), RESTS_MS);
  }

  // --- a drag ---------------------------------------------------------------------------------

  /** Begin at the shown place, if the body is not at the place of the last drag. */
  begin() {
    const { explorer } = this;
    const drag = this.wake();
    finish(drag.near.prepare());
    const point = explorer.shownPoint();
    const here = this.at !== null && String(point) === this.at;
    explorer.state.leave();
    if (here) return;
    drag.free();
    drag.begin(point, this.picture.values);
    this.forget();
    if (explorer.paths?.place()) explorer.paths.clear();
    this.goTo(point);
  }

  /** Show a place without keeping it. @param {Float64Array} point */
  goTo(point) {
    this.explorer.dispatch({ type: "move", point });
    this.at = String(this.explorer.state.point);
  }

  /** One frame; called before the explorer draws. @param {number} now in milliseconds */
  step(now) {
    const { drag, explorer, explorer: { state } } = this;
    if (!drag) return;
    if (this.at !== null && String(state.point) !== this.at) this.left();
    const frames = Math.min((now - this.last) / (1000 / 60), 3);
    this.last = now;
    if (!drag.step(frames)) return;
    this.goTo(drag.point);
    state.trail.push({ point: drag.point.slice(), time: now });
    if (!this.fading) this.fade();
    if (this.frames++ % HALO_EVERY === 0) this.halo = drag.freedom();
    this.showReach();
    explorer.paint();
    if (drag.still && !this.press) this.end();
  }

  /** The trail on the map fades; only the map's upper canvas is drawn for it. */
  fade() {
    const { state, map } = this.explorer;
    this.fading = requestAnimationFrame((now) => {
      while (state.trail.length && now - state.trail[0].time > TRAIL_MS) state.trail.shift();
      state.trailTime = now;
      if (!this.busy) map.drawUpper();
      this.fading = 0;
      if (state.trail.length) this.fade();
    });
  }

  /** Keep the place: one step of undo. Then look for other explanations. */
  end() {
    const { drag, explorer } = this;
    clearTimeout(this.timer);
    if (!drag || this.at === null) return;
    drag.release();
    explorer.keep();
    if (!explorer.map.follows()) explorer.map.refresh();
    this.at = String(explorer.state.point);
    this.poses.set(this.at, drag.pose.slice());
    if (this.poses.size > MOST_POSES) this.poses.delete(this.poses.keys().next().value ?? "");
    this.halo = drag.holds ? drag.freedom() : null;
    this.words.hidden = true;
    this.search();
    explorer.paint();
  }

  /** Hold a joint where it is, or let it go. @param {number} joint */
  pin(joint) {
    this.begin();
    const drag = this.wake();
    if (drag.hand?.joint === joint) drag.hand = null;
    this.press = null;
    this.canvas.classList.remove("grabbing");
    const pinned = drag.pin(joint);
    this.say(`${this.nameOf(joint)} ${pinned ? "pinned" : "free"}`);
    this.explorer.paint();
  }

  /** Let everything go; the body stays where it is. */
  letGo() {
    this.press = null;
    this.canvas.classList.remove("grabbing");
    this.chosen = -1;
    this.leaving = true;
    this.drag?.free();
    this.forget();
    this.say("All joints free");
    this.explorer.paint();
  }

  /** The visitor went to another place: the handles belong to the earlier one. */
  left() {
    this.at = null;
    this.press = null;
    this.canvas.classList.remove("grabbing");
    this.drag?.free();
    this.forget();
  }

  forget() {
    this.cease();
    clearTimeout(this.timer);
    this.halo = null;
    this.others = [];
    this.showOthers();
  }

  /** The pose at a place that a drag has reached. @param {ArrayLike<number>} point */
  posedAt(point) {
    if (this.at === null && !this.poses.size) return null;
    const key = String(point);
    return key === this.at && this.drag ? this.drag.pose : (this.poses.get(key) ?? null);
  }

  // --- other explanations ---------------------------------------------------------------------

  search() {
    const { drag } = this;
    this.cease();
    if (!drag?.holds) return;
    this.cease = inSlices(drag.others(), (others) => {
      this.others = others;
      this.next = 0;
      this.showOthers();
    });
  }

  /** Go to the next explanation. */
  another() {
    if (this.others.length) this.take(this.next++ % this.others.length);
    else this.say("No other explanation");
  }

  /** Go to an explanation; the present one takes its place. @param {number} i */
  take(i) {
    const { drag } = this;
    if (!drag || !this.others[i]) return;
    const own = { point: drag.point.slice(), pose: drag.pose.slice(), score: 0 };
    this.cease();
    drag.choose(this.others[i]);
    this.others[i] = own;
    this.say(`Explanation ${i + 1} of ${this.others.length}`);
    this.showOthers();
    this.explorer.paint();
  }

  showOthers() {
    const { small, others, drawing, explorer: { state } } = this;
    small.hidden = !others.length;
    small.replaceChildren(...others.map(({ pose }, i) => {
      const canvas = element("canvas", { style: `width:${OTHER_SIZE}px; height:${OTHER_SIZE}px`, "aria-hidden": "true" });
      drawOutput(fitCanvas(canvas, OTHER_SIZE, OTHER_SIZE), drawing, pose, OTHER_SIZE, OTHER_SIZE, { theme: state.theme, turn: state.turn, small: true });
      const button = element("button", { type: "button", title: "Another body for these handles (A)", "aria-label": `Other explanation ${i + 1}` }, canvas);
      button.addEventListener("click", () => this.take(i));
      return button;
    }));
  }

  // --- words and drawing ----------------------------------------------------------------------

  /** A joint's name as words. @param {number} joint */
  nameOf(joint) {
    return jointName(this.drawing.skeleton.names[joint]);
  }

  /** @param {string} words for screen readers */
  say(words) {
    if (this.explorer.parts.announce) this.explorer.parts.announce.textContent = words;
  }

  /** Report a joint that cannot follow. */
  showReach() {
    const { drag } = this;
    const far = drag?.held().find((held) => drag.outOfReach(held)) ?? null;
    const stuck = far && drag?.limbs.fixed(far.joint);
    this.canvas.dataset.reach = far ? (stuck ? "never" : "far") : "near";
    this.words.hidden = !far;
    if (far) this.words.textContent = stuck ? `${this.nameOf(far.joint)} never moves in the data.` : `${this.nameOf(far.joint)} cannot reach that.`;
  }

  /** Handles over the figure. @param {CanvasRenderingContext2D} context */
  drawOver(context) {
    const { drag, explorer: { state }, picture } = this;
    const shown = drag && this.at !== null && String(state.point) === this.at && state.hover === null && state.hovered < 0;
    drawHandles(context, {
      places: this.places(), ends: this.ends, theme: state.theme, hovered: this.press ? -1 : this.hovered, chosen: this.chosen,
      all: this.hovered >= 0 || this.chosen >= 0, held: shown ? drag.held() : [], pins: shown ? drag.pins : new Map(),
      far: (held) => Boolean(drag?.outOfReach(held)), grabbed: this.press?.joint ?? -1,
      toScreen: (place) => jointPlaces(this.drawing, place, ...(picture.size ?? [1, 1]), state.turn)[0], nameOf: (joint) => this.nameOf(joint),
      width: picture.size?.[0] ?? 1,
    });
  }

  /** How free joints are, to draw around them; null without handles. */
  spread() {
    return this.drag?.holds && this.at !== null && String(this.explorer.shownPoint()) === this.at ? this.halo : null;
  }

  stop() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.fading);
    this.cease();
  }
}
