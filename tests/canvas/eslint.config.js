// The linter's rules for assets/canvas and its tests. TypeScript finds undefined names and types.
import js from "@eslint/js";

// These names belong to the browser, its clock and its network. Geometry must not use them, because it only computes, so that node can run it
// unchanged.
const BROWSER = [
  "window", "document", "navigator", "location", "history", "localStorage", "sessionStorage", "matchMedia", "getComputedStyle",
  "requestAnimationFrame", "cancelAnimationFrame", "setTimeout", "setInterval", "clearTimeout", "clearInterval", "performance",
  "fetch", "XMLHttpRequest", "WebSocket", "Worker", "Image", "ImageData", "OffscreenCanvas", "Path2D", "ResizeObserver",
  "HTMLElement", "HTMLCanvasElement", "CanvasRenderingContext2D", "Element", "Node", "Event", "PointerEvent", "addEventListener", "globalThis", "self",
];

export default [
  js.configs.recommended,
  {
    rules: {
      "no-undef": "off",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      eqeqeq: "error",
      "no-shadow": "error",
      "no-implicit-globals": "error",
      "no-restricted-imports": "off",
    },
  },
  {
    files: ["**/assets/canvas/geometry/**"],
    rules: {
      "no-restricted-globals": ["error", ...BROWSER],
      // From other folders, geometry may import only the parts of the kit that compute or read bytes.
      "no-restricted-imports": ["error", { patterns: [{ regex: "^\\.\\./(?!kit/(algebra|format|frame|table)\\.js$)", message: "geometry imports its own modules, and algebra, format, frame and table of the kit." }] }],
      "no-restricted-properties": ["error", ...["getContext", "addEventListener", "dispatchEvent", "appendChild", "querySelector"].map((property) => ({ property }))],
    },
  },
  {
    files: ["**/assets/canvas/kit/{algebra,format,frame,table}.js"],
    rules: { "no-restricted-globals": ["error", ...BROWSER] },
  },
];
