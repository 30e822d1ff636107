// Tests of the shelf, through which Streamlit's components are found.

import assert from "node:assert/strict";
import test from "node:test";

Object.assign(globalThis, { window: globalThis });
const { component, shelf } = await import("../../assets/canvas/streamlit/shelf.js");

test("a view that ends after its successor was built leaves the successor", () => {
  const mount = component(() => {
    const drawn = {};
    return { name: "painter", shown: () => drawn, look() {}, update() {}, stop() {} };
  });
  const message = () => /** @type {any} */ ({ data: {}, parentElement: {}, setTriggerValue() {}, setStateValue() {} });
  const first = mount(message());
  const second = mount(message());
  const drawn = shelf.views.get("painter");
  first();
  assert.equal(shelf.views.get("painter"), drawn);
  second();
  assert.equal(shelf.views.has("painter"), false);
});

test("bytes that come last meet the newest message", () => {
  /** @type {string[]} */
  const drawn = [];
  const mount = component((root, /** @type {{ store: string, own: string }} */ first) => ({
    name: first.store,
    shown: () => (drawn.length ? drawn : null),
    look: ({ store, own }) => shelf.stores.has(store) && drawn.push(own),
    update() {},
    stop() {},
  }));
  const place = {};
  const message = (/** @type {string} */ own) => /** @type {any} */ ({ data: { store: "map", own }, parentElement: place, setTriggerValue() {}, setStateValue() {} });
  mount(message("none"));
  const stop = mount(message("mine"));
  assert.deepEqual(drawn, []);
  shelf.stores.set("map", new Uint8Array());
  shelf.listeners.forEach((look) => look());
  stop();
  assert.deepEqual(drawn, ["mine"]);
});
