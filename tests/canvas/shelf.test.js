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
