// Tests of the SVG output of drawing functions, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

import { drawSkeleton } from "../../assets/canvas/kit/skeleton.js";
import { svgOf } from "../../assets/canvas/kit/svg_context.js";
import { drawVector } from "../../assets/canvas/kit/vector.js";

const theme = {
  dark: false, background: [255, 255, 255], text: [0, 0, 0], accent: [0, 114, 178], muted: [90, 90, 90],
  faint: [220, 220, 220], known: [255, 255, 255], unknown: [200, 200, 200], font: "sans-serif",
};
/** All values of an attribute of an element, in order. */
const values = (svg, element, attribute) =>
  [...svg.matchAll(new RegExp(`<${element}\\b[^>]* ${attribute}="([^"]*)"`, "g"))].map((match) => match[1]);

test("the stick figure has its bones where the joints are on the screen", () => {
  const drawing = {
    kind: "skeleton", shape: [3, 3], range: [0, 1],
    skeleton: { names: ["root", "left_knee", "left_foot"], parents: [-1, 0, 1] },
    extent: { centre: [0, 1, 0], reach: 1, floor: 0 },
  };
  const turn = { yaw: 0, pitch: 0 };
  const svg = svgOf(200, 200, (context) => drawSkeleton(context, drawing, [0, 2, 0, 0, 1, 0, 0, 0, 0], 200, 200, { theme, turn, small: true }));
  const bones = values(svg, "path", "d").map((path) => path.match(/-?[\d.]+/g).map(Number));
  assert.equal(bones.length, 2);
  const [upper, lower] = bones.sort((p, q) => p[1] - q[1]);
  assert.equal(upper[0], 100); // the joints are below each other, in the middle
  assert.deepEqual(upper.slice(2), [100, 100]); // this is the knee, at the centre
  assert.deepEqual(lower.slice(0, 2), [100, 100]);
  assert.equal(upper[3] - upper[1], lower[3] - lower[1]);
});

test("bars start at the axis, as high as their values, and names are text", () => {
  const drawing = { kind: "bars", shape: [2], range: [0, 4], columns: ["<b>&\"tall\"", "short"] };
  const svg = svgOf(300, 200, (context) => drawVector(context, drawing, [4, 1], 300, 200, { theme, turn: { yaw: 0, pitch: 0 } }));
  const [tall, low] = values(svg, "rect", "height").map(Number);
  assert.ok(Math.abs(tall / low - 4) < 0.01);
  const feet = values(svg, "rect", "y").map((y, i) => Number(y) + [tall, low][i]);
  assert.ok(Math.abs(feet[0] - feet[1]) < 0.01);
  assert.ok(svg.includes("&#60;b&#62;&#38;&#34;tall&#34;"));
  assert.ok(!svg.includes("<b>"));
});

test("clips and rotations end at restore", () => {
  const svg = svgOf(100, 100, (context) => {
    context.fillStyle = "rgba(1,2,3,0.5)";
    context.save();
    context.beginPath();
    context.rect(0, 0, 10, 10);
    context.clip();
    context.translate(20, 30);
    context.rotate(Math.PI / 2);
    context.fillStyle = "rgba(9,9,9,1)";
    context.fillRect(0, 0, 5, 5);
    context.restore();
    context.fillRect(1, 1, 2, 2);
  });
  const [inside, outside] = svg.match(/.*<rect.*/g);
  assert.match(inside, /clip-path="url\(#clip1\)".*fill="rgb\(9,9,9\)".*matrix\(0 1 -1 0 20 30\)/);
  assert.ok(!/clip|matrix/.test(outside));
  assert.match(outside, /fill="rgb\(1,2,3\)" fill-opacity="0.5"/);
});

test("an arc ends at its last angle, and a whole turn closes", () => {
  const svg = svgOf(100, 100, (context) => {
    context.beginPath();
    context.arc(50, 50, 10, 0, Math.PI / 2);
    context.stroke();
    context.beginPath();
    context.arc(50, 50, 10, 0, 2 * Math.PI);
    context.fill();
  });
  const [quarter, circle] = values(svg, "path", "d");
  assert.match(quarter, /^M60 50A10 10 0 0 1 .*50 60$/);
  assert.match(circle, /60 50Z$/);
});
