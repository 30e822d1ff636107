// The mouse and fingers on a body: they find joints, press them and drag them.

/** @import { Body } from "./body.js" */

const NEAR_MOUSE = 15; // CSS pixels within which a joint is grabbed
const NEAR_FINGER = 28;
const SLOP = 3; // the most CSS pixels that the pointer may move during a press

export class BodyPointer {
  /** @param {Body} body */
  constructor(body) {
    this.body = body;
    /** The joint under the pointer; −1: no joint. */
    this.hovered = -1;
    /** The pointer that drags. @type {{ id: number, joint: number, x: number, y: number, moved: boolean } | null} */
    this.press = null;
    body.on("pointerdown", (event) => this.down(event));
    body.on("pointermove", (event) => this.move(event));
    body.on("pointerup", (event) => this.up(event));
    body.on("pointercancel", (event) => this.up(event));
    body.on("pointerleave", () => this.hover(-1));
    // A finger on a joint moves the joint; elsewhere it scrolls the page. This event follows pointerdown.
    body.canvas.addEventListener("touchstart", (event) => this.press && event.preventDefault(), { passive: false });
  }

  /** Return the joint at the pointer, or −1. @param {PointerEvent} event */
  jointAt(event) {
    const { body } = this;
    const box = body.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let [found, least] = [-1, event.pointerType === "touch" ? NEAR_FINGER : NEAR_MOUSE];
    body.places().forEach(([px, py], joint) => {
      // The end of a limb takes precedence over its neighbours at the same place.
      const far = Math.hypot(px - x, py - y) - (body.ends.includes(joint) ? 2 : 0);
      if (far < least) [found, least] = [joint, far];
    });
    return found;
  }

  /** @param {number} joint */
  hover(joint) {
    if (joint === this.hovered || this.press) return;
    this.hovered = joint;
    this.body.canvas.classList.toggle("on-joint", joint >= 0);
    this.body.explorer.paint();
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0 || this.press) return;
    this.hovered = -1;
    const joint = this.jointAt(event);
    if (joint < 0) return;
    const { body } = this;
    body.canvas.setPointerCapture(event.pointerId);
    this.press = { id: event.pointerId, joint, x: event.clientX, y: event.clientY, moved: false };
    body.keys.chosen = -1;
    body.canvas.classList.add("grabbing");
    body.begin();
    body.explorer.paint();
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { body, press } = this;
    if (!press) {
      if (event.pointerType !== "touch" && !event.buttons) this.hover(this.jointAt(event));
      return;
    }
    if (event.pointerId !== press.id) return;
    const [dx, dy] = [event.clientX - press.x, event.clientY - press.y];
    if (!press.moved) {
      if (Math.hypot(dx, dy) < SLOP) return;
      press.moved = true;
      body.wake().grab(press.joint, body.explorer.state.turn);
    }
    [press.x, press.y] = [event.clientX, event.clientY];
    body.wake().moveBy(dx / body.scale(), -dy / body.scale());
    body.explorer.paint();
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { press } = this;
    if (!press || event.pointerId !== press.id) return;
    this.drop();
    if (!press.moved && event.type === "pointerup") this.body.pin(press.joint);
    else if (this.body.drag?.still) this.body.end();
    else this.body.explorer.paint(); // the body still follows to where the joint was let go, then the change ends
  }

  /** End the drag. */
  drop() {
    this.press = null;
    this.body.canvas.classList.remove("grabbing");
  }
}
