// The keyboard on a body: Tab chooses a joint, arrow keys move it.

/** @import { Body } from "./body.js" */

const ARROW = 2; // step of an arrow key, in hundredths of the body's size
const SHIFTED = 4; // factor of the step with Shift
const RESTS_MS = 450; // pause after the last arrow key before the place is kept

export const BODY_KEYS = "Tab chooses a joint, arrow keys move it, P pins it, A shows another body, Escape releases all joints.";

export class BodyKeys {
  /** @param {Body} body */
  constructor(body) {
    this.body = body;
    const { ends } = body;
    /** The joints in the order of Tab, with the ends of the limbs first. */
    this.order = [...ends, ...body.drawing.skeleton.parents.map((_, j) => j).filter((j) => !ends.includes(j))];
    /** The joint that the keyboard has chosen; −1: no joint. */
    this.chosen = -1;
    /** Whether the next Tab leaves the body. */
    this.leaving = false;
    /** The view in which the joint was grabbed. */
    this.turnedSince = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    body.on("blur", () => this.choose(-1));
    body.on("keydown", (event) => this.key(event));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Tab") {
      this.tab(event);
      return;
    }
    const way = ARROW * (event.shiftKey ? SHIFTED : 1);
    const step = { ArrowLeft: [-way, 0], ArrowRight: [way, 0], ArrowUp: [0, way], ArrowDown: [0, -way] }[event.key];
    const { body } = this;
    const joint = this.chosen >= 0 ? this.chosen : body.pointer.hovered;
    const key = event.key.toLowerCase();
    if (step && this.chosen >= 0) this.nudge(step[0], step[1]);
    else if (key === "p" && joint >= 0) body.pin(joint);
    else if (key === "a" && body.drag?.holds) body.explanations.another();
    else if (event.key === "Escape" && (body.drag?.holds || this.chosen >= 0)) body.letGo();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Choose the next joint; after the last joint, and after Escape, Tab leaves the body. @param {KeyboardEvent} event */
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
    const { body } = this;
    this.chosen = joint;
    if (joint < 0) this.leaving = false;
    else body.say(`${body.nameOf(joint)}${body.drag?.pins.has(joint) ? ", pinned" : ""}`);
    body.explorer.paint();
  }

  /** @param {number} right @param {number} up in hundredths of the body */
  nudge(right, up) {
    const { body } = this;
    body.begin();
    const drag = body.wake();
    const { turn } = body.explorer.state;
    if (drag.hand?.joint !== this.chosen || this.turnedSince !== String([turn.yaw, turn.pitch])) drag.grab(this.chosen, turn);
    this.turnedSince = String([turn.yaw, turn.pitch]);
    drag.moveBy(right * drag.unit, up * drag.unit);
    body.explorer.paint();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => body.end(), RESTS_MS);
  }

  /** Choose no joint; the next Tab leaves the body. */
  leave() {
    this.chosen = -1;
    this.leaving = true;
  }

  stop() {
    clearTimeout(this.timer);
  }
}
