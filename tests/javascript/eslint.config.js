import js from "@eslint/js";
import globals from "globals";

const ours = { window: "readonly", dpvizReadings: "readonly" };
const rules = {
  ...js.configs.recommended.rules,
  eqeqeq: "error",
  "no-shadow": "error",
  "no-shadow-restricted-names": "error",
  "no-unused-vars": ["error", { argsIgnorePattern: "^_", caughtErrors: "all" }],
  "no-use-before-define": ["error", { functions: false, variables: false }],
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-const": ["error", { destructuring: "all" }],
};

const scripts = (files, names, sourceType) => ({
  files,
  rules,
  languageOptions: { ecmaVersion: 2025, sourceType, globals: names },
  linterOptions: { reportUnusedDisableDirectives: "error" },
});

export default [
  scripts(["dpviz/**/*.js", "tests/browser/*.js"], { ...globals.browser, ...ours }, "script"),
  scripts(["lite-kernel/lite_kernel/lab.js"], globals.browser, "script"),
  scripts(["lite-kernel/lite_kernel/reader.js"], globals.browser, "module"),
  scripts(["lite-kernel/lite_kernel/{wasi,worker}.js"], globals.worker, "module"),
  scripts(
    ["lite-kernel/lite_kernel/offline.js"],
    { ...globals.serviceworker, EDITION: "readonly" },
    "script",
  ),
  scripts(["tests/javascript/*.{js,mjs}", "lite-kernel/tests/*.mjs"], globals.node, "module"),
];
