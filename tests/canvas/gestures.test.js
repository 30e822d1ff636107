// Tests of gestures on the map and their meaning: events on an element that only listens.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Gestures, pageScroll } from "../../assets/canvas/map/gestures.js";

const CHOSEN = [100, 100];

/** An element of 400 × 200 at (10, 20), and the recorded calls in order. */
function bench() {
  const element = Object.assign(new EventTarget(), {
    style: {},
    getBoundingClientRect: () => ({ left: 10, top: 20, width: 400, height: 200 }),
    focus() { root.activeElement = element; },
    getRootNode: () => root,
    setPointerCapture() {},
  });
  const root = { activeElement: null };
  const understood = [];
  const names = ["hover", "leave", "drag", "commit", "pan", "zoom", "nudge", "keep", "reset"];
  const actions = Object.fromEntries(names.map((name) => [name, (...values) => understood.push([name, ...values])]));
  new Gestures(element, actions, () => CHOSEN);
  const send = (type, x, y, more = {}) => {
    const event = Object.assign(new Event(type, { cancelable: true }), {
      clientX: x + 10, clientY: y + 20, button: 0, pointerId: 1, pointerType: "mouse", ...more,
    });
    element.dispatchEvent(event);
    return event;
  };
  const key = (name, more = {}) => send("keydown", 0, 0, { key: name, ...more });
  return { send, key, understood };
}

test("a pointer without a button shows the output under it, and stops when it leaves", () => {
  const { send, understood } = bench();
  send("pointermove", 30, 40);
  send("pointerleave", 30, 40);
  assert.deepEqual(understood, [["hover", 30, 40, false], ["leave"]]);
});

test("a click keeps the point, even with a slight movement", () => {
  const { send, understood } = bench();
  send("pointerdown", 30, 40);
  send("pointermove", 32, 41);
  send("pointerup", 32, 41);
  assert.deepEqual(understood, [["commit", 32, 41, false]]);
});

test("dragging the background pans by the movement of the pointer", () => {
  const { send, understood } = bench();
  send("pointerdown", 30, 40);
  send("pointermove", 50, 40);
  send("pointermove", 55, 47);
  send("pointerup", 55, 47);
  assert.deepEqual(understood, [["leave"], ["pan", 20, 0], ["pan", 5, 7]]);
});

test("the chosen point is dragged and kept where the pointer releases it; with Shift the map moves", () => {
  const { send, understood } = bench();
  send("pointerdown", 104, 97);
  send("pointermove", 140, 90);
  send("pointerup", 140, 90);
  assert.deepEqual(understood, [["drag", 140, 90], ["keep"]]);
  understood.length = 0;
  send("pointerdown", 104, 97, { shiftKey: true });
  send("pointermove", 140, 90, { shiftKey: true });
  send("pointerup", 140, 90);
  assert.deepEqual(understood, [["pan", 36, -7]]);
});

test("another button does nothing", () => {
  const { send, understood } = bench();
  send("pointerdown", 30, 40, { button: 2 });
  send("pointerup", 30, 40, { button: 2 });
  assert.deepEqual(understood, []);
});

test("a finger shows the output while it moves, and keeps the point when it lifts", () => {
  const { send, understood } = bench();
  const finger = { pointerType: "touch" };
  send("pointerdown", 30, 40, finger);
  send("pointermove", 60, 50, finger);
  send("pointerup", 60, 50, finger);
  assert.deepEqual(understood, [["hover", 30, 40, true], ["hover", 60, 50, true], ["commit", 60, 50, true]]);
});

test("two fingers zoom about their middle, and a remaining finger does nothing", () => {
  const { send, understood } = bench();
  const finger = (pointerId) => ({ pointerType: "touch", pointerId });
  send("pointerdown", 100, 100, finger(1));
  send("pointerdown", 140, 100, finger(2));
  understood.length = 0;
  send("pointermove", 180, 100, finger(2));
  assert.deepEqual(understood, [["pan", 20, 0], ["zoom", 140, 100, 2]]);
  understood.length = 0;
  send("pointerup", 180, 100, finger(2));
  send("pointermove", 90, 90, finger(1));
  send("pointerup", 90, 90, finger(1));
  assert.deepEqual(understood, []);
});

test("the wheel scrolls the page; with Ctrl, or after a click on the map, it zooms about the pointer", () => {
  const { send, understood } = bench();
  const turn = (more = {}) => send("wheel", 30, 40, { deltaY: -100, deltaMode: 0, ...more });
  assert.equal(turn().defaultPrevented, false);
  assert.deepEqual(understood, []);
  assert.equal(turn({ ctrlKey: true }).defaultPrevented, true);
  send("pointerdown", 30, 40);
  send("pointerup", 30, 40);
  understood.length = 0;
  assert.equal(turn().defaultPrevented, true);
  const [[name, x, y, factor]] = understood;
  assert.deepEqual([name, x, y], ["zoom", 30, 40]);
  assert.ok(factor > 1);
});

test("a notch of the wheel zooms alike in browsers that report pixels and in those that report lines", () => {
  const { send, understood } = bench();
  send("pointerdown", 30, 40);
  send("pointerup", 30, 40);
  send("wheel", 30, 40, { deltaY: -120, deltaMode: 0 });
  send("wheel", 30, 40, { deltaY: -3, deltaMode: 1 });
  const [pixels, lines] = understood.filter(([name]) => name === "zoom").map((zoomed) => zoomed[3]);
  assert.ok(pixels > 1.2 && pixels === lines, `${pixels} ${lines}`);
});

test("a wheel that scrolled the page does not zoom the map that comes under the pointer", () => {
  const { send, understood } = bench();
  const turn = () => send("wheel", 30, 40, { deltaY: -100, deltaMode: 0 });
  send("pointerdown", 30, 40);
  send("pointerup", 30, 40);
  understood.length = 0;
  pageScroll.last = performance.now();
  assert.equal(turn().defaultPrevented, false);
  assert.deepEqual(understood, []);
  pageScroll.last = performance.now() - 600;
  assert.equal(turn().defaultPrevented, true);
});

test("arrow keys move the point, with Shift farther, and the page handles all other keys", () => {
  const { key, understood } = bench();
  key("ArrowLeft");
  key("ArrowUp", { shiftKey: true });
  key("Enter");
  key("0");
  assert.deepEqual(understood, [["nudge", -0.02, 0], ["nudge", 0, 0.1], ["keep"], ["reset"]]);
  assert.equal(key("+").defaultPrevented, true);
  assert.deepEqual(understood.at(-1), ["zoom", 200, 100, 1.25]);
  understood.length = 0;
  assert.equal(key("Tab").defaultPrevented, false);
  assert.equal(key("ArrowLeft", { ctrlKey: true }).defaultPrevented, false);
  assert.deepEqual(understood, []);
});
