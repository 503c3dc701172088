import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import jsxA11y from "eslint-plugin-jsx-a11y-x";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

const ban = (selector, message) => ({ selector, message });

const everywhere = [
  ban("TSEnumDeclaration", "Use a union of words: an enum is a second spelling of the same thing."),
  ban(
    ":matches(ClassDeclaration, ClassExpression):not([superClass.name=/Error$/])",
    "Write a factory (`createX`); the only classes are errors.",
  ),
  ban(
    "Program > VariableDeclaration[kind='let'], Program > ExportNamedDeclaration > VariableDeclaration[kind='let']",
    "No state at module level: two engines in one process must not meet.",
  ),
];

const inPackages = [
  ban(
    "ExportNamedDeclaration > FunctionDeclaration[params.length>3]",
    "More than two arguments (and `now`) become one readonly object, named for what it is.",
  ),
  ban(
    "CallExpression[callee.property.name='catch'] > ArrowFunctionExpression[params.length=0] > :matches(Literal, Identifier[name='undefined'], ArrayExpression)",
    "A failure is not a value. Let it reach the engine's policy, with its cause.",
  ),
];

const inCore = [
  ban(
    "MemberExpression[object.name='Date'][property.name='now']",
    "Core has no clock: take `now` as the last parameter.",
  ),
  ban(
    "NewExpression[callee.name='Date'][arguments.length=0]",
    "Core has no clock: take `now` as the last parameter.",
  ),
  ban("CallExpression[callee.name='Date']", "Core has no clock: take `now` as the last parameter."),
  ban(
    "MemberExpression[object.name='Math'][property.name='random']",
    "Core is deterministic: take what varies as a parameter.",
  ),
  ban(":function[async=true], AwaitExpression, ForOfStatement[await=true]", "Nothing in core waits."),
  ban("Identifier[name='Promise']", "Nothing in core waits."),
];

const inPages = [
  ban(
    "JSXAttribute[name.name='dangerouslySetInnerHTML'], AssignmentExpression[left.property.name=/^(inner|outer)HTML$/]",
    "What people wrote is shown as text.",
  ),
];

const inTests = [
  ban(
    "MemberExpression[property.name=/^(only|skip|todo)$/]:matches([object.name=/^(test|it|describe|suite|bench)$/], [object.object.name=/^(test|it|describe|suite|bench)$/])",
    "Every test runs, every time.",
  ),
];

const restrict = (...lists) => ({ "no-restricted-syntax": ["error", ...lists.flat()] });

export default defineConfig(
  globalIgnores(["**/dist/", "**/.turbo/", "**/coverage/", "**/.data/"]),
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  {
    files: ["**/*.{ts,tsx}"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ["tsconfig.lint.json", "apps/demo/web/tsconfig.json", "apps/demo/e2e/browser/tsconfig.json"],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-param-reassign": "error",
      "prefer-const": "error",
      "@typescript-eslint/consistent-type-exports": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      // `return refuse(response);` is an early exit, and closures made by factories have no `this` to lose.
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/unbound-method": "off",
      "@typescript-eslint/no-unnecessary-condition": [
        "error",
        { allowConstantLoopConditions: "only-allowed-literals" },
      ],
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      // Aligned arrays are read by index on the hot path; a needless `!` is still an error.
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
      // `async` without `await` turns a throw into a rejection, which is what a port promises.
      "@typescript-eslint/require-await": "off",
      ...restrict(everywhere),
    },
  },
  {
    files: ["packages/*/src/**/*.ts"],
    rules: {
      "no-console": "error",
      // A file past this is asked why: shorten it, or answer in a disabling comment.
      "max-lines": ["error", { max: 250, skipBlankLines: true, skipComments: true }],
      ...restrict(everywhere, inPackages),
    },
  },
  {
    files: ["packages/core/src/**/*.ts"],
    rules: {
      "no-restricted-globals": [
        "error",
        "performance",
        "process",
        "crypto",
        "setTimeout",
        "setInterval",
        "fetch",
      ],
      // A new member of a union must be looked at wherever core takes the union apart, `default` or not.
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: true },
      ],
      ...restrict(everywhere, inPackages, inCore),
    },
  },
  {
    files: ["apps/demo/web/src/**/*.{ts,tsx}"],
    extends: [jsxA11y.configs.strict, reactHooks.configs.flat["recommended-latest"]],
    rules: {
      "no-console": "error",
      "max-lines": ["error", { max: 250, skipBlankLines: true, skipComments: true }],
      ...restrict(everywhere, inPages),
    },
  },
  {
    files: ["**/*.test.ts", "**/test/**/*.ts", "**/e2e/**/*.ts"],
    rules: {
      // `expect.any(…)` and its siblings are `any`.
      "@typescript-eslint/no-unsafe-assignment": "off",
      ...restrict(everywhere, inTests),
    },
  },
  {
    files: ["**/*.js"],
    languageOptions: { globals: { process: "readonly", console: "readonly", URL: "readonly" } },
  },
);
