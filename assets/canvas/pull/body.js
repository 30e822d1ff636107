// The body that an explorer shows; visitors can drag it. This class shows the pose that follows the drag, and keeps
// it as one step of undo. drag.js finds the pose; body_pointer.js and body_keys.js move the joints.

import { element, pushButton } from "../kit/dom.js";
import { jointFrame, jointPlaces } from "../kit/geometry.js";
import { BODY_KEYS, BodyKeys } from "./body_keys.js";
import { BodyPointer } from "./body_pointer.js";
import { BodyDrag } from "./drag.js";
import { Grasp } from "./grasp.js";
import { drawHandles, jointName, limbEnds } from "./handles.js";
import { finish } from "./near.js";
import { Possible } from "./possible.js";

/** @import { OutputPicture } from "../kit/output_picture.js" */
/** @import { LatentModel } from "../geometry/model.js" */
/** @import { Explorer } from "../map/explorer.js" */
/** @import { Explanation, Held } from "./drag.js" */

const HALO_EVERY = 4; // frames between two updates of the circles around joints
const BODY_HINT = "Drag a joint. Press it to pin it. Drag beside to turn.";

/** @extends {Grasp<BodyDrag>} */
export class Body extends Grasp {
  /** @param {Explorer<any>} explorer @param {OutputPicture} picture of a skeleton @param {LatentModel} model */
  constructor(explorer, picture, model) {
    super(explorer, picture, model, "Another body for these handles (A)", (own, points) => new BodyDrag(own, points));
    this.ends = limbEnds(this.drawing.skeleton.parents);
    /** @type {Float64Array | null} */
    this.halo = null;
    this.frames = 0;
    this.last = 0;
    /** What a pin was announced with; the place that is kept after it does not replace this. */
    this.pinWords = "";
    for (const arrival of ["pointerenter", "focus"]) this.on(arrival, () => this.wake());
    this.pointer = new BodyPointer(this);
    this.keys = new BodyKeys(this);
    this.words = element("p", { class: "body-hint" }, BODY_HINT);
    this.possible = new Possible(this);
    const draw = pushButton(() => this.possible.search(), { title: "Eight random bodies with these joints" }, "Possible poses");
    this.draws = element("div", { class: "possible-poses", hidden: "" }, draw, this.possible.small);
    this.canvas.after(this.explanations.small, this.words);
    explorer.putTools(picture, this.draws);
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "body");
    this.host.dataset.body = "true";
    picture.held = () => this.pointer.press !== null || this.pointer.hovered >= 0 || this.keys.chosen >= 0;
    picture.posed = (point) => this.posedAt(point);
    picture.around = () => this.spread();
    picture.over = (context) => this.drawOver(context);
    picture.keys = BODY_KEYS;
  }

  /** Whether a joint is being moved. @override */
  get busy() {
    return this.pointer.press !== null || (this.drag !== null && !this.drag.still);
  }

  // --- joints on the screen -------------------------------------------------------------------

  /** Return the places of the joints in CSS pixels. @returns {[number, number][]} */
  places() {
    const [width, height] = this.picture.size ?? [1, 1];
    return jointPlaces(this.drawing, this.picture.values, width, height, this.explorer.state.turn);
  }

  /** Return the CSS pixels of one unit of the data. */
  scale() {
    const [width, height] = this.picture.size ?? [1, 1];
    return jointFrame(this.drawing, this.picture.values, width, height).scale;
  }

  // --- a drag ---------------------------------------------------------------------------------

  /** Start at the latent point that is shown, unless it is still that of the last drag. */
  begin() {
    const { explorer } = this;
    const drag = this.wake();
    this.pinWords = "";
    finish(drag.near.prepare());
    const point = explorer.shownPoint();
    const here = this.at !== null && String(point) === this.at;
    explorer.state.leave();
    this.possible.forget();
    drag.pull.fixed = explorer.fixedFor(this.model);
    if (here) return;
    this.forget();
    drag.begin(point, this.picture.values);
    explorer.paths?.leave();
    this.goTo(point);
  }

  /** Let the body follow the handles for one frame of the animation. @override @param {number} now in milliseconds */
  step(now) {
    const { drag, explorer, explorer: { state } } = this;
    if (!drag) return;
    if (this.at !== null && String(state.point) !== this.at) this.left();
    const frames = Math.min((now - this.last) / (1000 / 60), 3);
    this.last = now;
    if (!drag.step(frames)) return;
    this.goTo(drag.point);
    this.trace(now);
    if (this.frames++ % HALO_EVERY === 0) this.halo = drag.freedom();
    this.showReach();
    explorer.paint();
    if (drag.still && !this.pointer.press) this.end();
  }

  /** Keep the latent point as one step of undo, then look for other explanations. */
  end() {
    const { drag, explorer } = this;
    this.keys.stop();
    if (!drag || this.at === null) return;
    drag.release();
    this.keepHere(drag.pose);
    if (this.pinWords) this.say(this.pinWords);
    this.halo = drag.holds ? drag.freedom() : null;
    this.words.hidden = true;
    this.cease();
    this.draws.hidden = !drag.holds;
    this.explanations.search();
    explorer.paint();
  }

  /** Show a possible pose unchanged, and keep its latent point. @param {Explanation} explanation */
  takePose({ point, pose }) {
    const { drag } = this;
    if (!drag) return;
    drag.point.set(point);
    drag.pose.set(pose);
    this.goTo(drag.point);
    this.end();
  }

  /** Pin a joint at its present place, or release it. @param {number} joint */
  pin(joint) {
    this.begin();
    const drag = this.wake();
    if (drag.hand?.joint === joint) drag.hand = null;
    this.pointer.drop();
    const pinned = drag.pin(joint);
    this.say((this.pinWords = `${this.nameOf(joint)} ${pinned ? "pinned" : "free"}`));
    this.explorer.paint();
  }

  /** Release all joints; the body does not move. */
  letGo() {
    this.pointer.drop();
    this.keys.leave();
    this.forget();
    this.say("All joints free");
    this.explorer.paint();
  }

  /** Remove the handles, because the visitor went to another latent point. @override */
  left() {
    this.at = null;
    this.pointer.drop();
    this.forget();
  }

  forget() {
    this.drag?.free();
    this.cease();
    this.keys.stop();
    this.halo = null;
    this.draws.hidden = true;
    this.possible.forget();
    this.explanations.forget();
  }

  /** Return the pose at a place that a drag has reached, or on a movement through such places; null at other places. @param {ArrayLike<number>} point */
  posedAt(point) {
    const key = String(point);
    if (key === this.at && this.drag) return this.drag.pose;
    return this.kept.get(key) ?? this.explorer.paths?.posedAt(point) ?? null;
  }

  // --- words and drawing ----------------------------------------------------------------------

  /** Return a joint's name as words. @param {number} joint */
  nameOf(joint) {
    return jointName(this.drawing.skeleton.names[joint]);
  }

  /** The held joint that is farthest from its handle, if it cannot reach it. @returns {Held | null} */
  farthest() {
    const { drag } = this;
    if (!drag) return null;
    const far = drag.held().filter((/** @type {Held} */ held) => drag.outOfReach(held));
    return far.sort((/** @type {Held} */ p, /** @type {Held} */ q) => drag.missing(q) - drag.missing(p))[0] ?? null;
  }

  /** Describe how far the drawn body is from the one that was asked for; "" if it has followed. */
  missed() {
    const far = this.shown ? this.farthest() : null;
    if (!far || !this.drag) return "";
    return `${Math.max(1, Math.round(100 * this.drag.missing(far) / this.drag.limbs.size))} % of the body's size from where you pulled ${this.nameOf(far.joint).toLowerCase()}`;
  }

  /** Show a message if a joint cannot follow its handle, or the point cannot move. */
  showReach() {
    const { drag } = this;
    const far = this.farthest();
    const stuck = far && drag?.limbs.fixed(far.joint);
    const still = this.explorer.whyStill(this.model);
    this.canvas.dataset.reach = far ? (stuck ? "never" : "far") : "near";
    this.words.hidden = !far && !still;
    if (still) this.words.textContent = still;
    else if (far) this.words.textContent = stuck ? `${this.nameOf(far.joint)} never moves in the data.` : `${this.nameOf(far.joint)} cannot reach this place.`;
  }

  /** Draw the handles over the figure. @param {CanvasRenderingContext2D} context */
  drawOver(context) {
    const { drag, explorer: { state }, picture, pointer: { hovered, press }, keys: { chosen } } = this;
    drawHandles(context, {
      places: this.places(), ends: this.ends, theme: state.theme, hovered: press ? -1 : hovered, chosen,
      all: hovered >= 0 || chosen >= 0, held: this.shown && drag ? drag.held() : [], pins: this.shown && drag ? drag.pins : new Map(),
      far: (held) => Boolean(drag?.outOfReach(held)), grabbed: press?.joint ?? -1,
      toScreen: (place) => jointPlaces(this.drawing, place, ...(picture.size ?? [1, 1]), state.turn)[0], nameOf: (joint) => this.nameOf(joint),
      width: picture.size?.[0] ?? 1,
    });
  }

  /** Return how freely each joint can still move, for the circles around joints; null without handles. */
  spread() {
    return this.drag?.holds && this.at !== null && String(this.explorer.shownPoint()) === this.at ? this.halo : null;
  }

  /** @override */
  redraw() {
    super.redraw();
    this.possible.show();
  }

  /** @override */
  stop() {
    this.keys.stop();
    this.possible.cease();
    super.stop();
  }
}
