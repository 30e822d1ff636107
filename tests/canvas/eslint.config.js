// What the linter says of assets/canvas and of its tests; undefined names and types are tsc's.
import js from "@eslint/js";

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
];
