/**
 * The arrows of ARCHITECTURE.md. Packages are read from their sources (the condition `@quota/source`), so an import
 * by name and an import by path both end at a file below `packages/`.
 *
 * @type {import("dependency-cruiser").IConfiguration}
 */
export default {
  forbidden: [
    {
      name: "core-imports-nothing",
      comment:
        "Core is pure: it imports nothing but itself, so that every rule can be read and tested alone.",
      severity: "error",
      from: { path: "^packages/core/src/" },
      to: { pathNot: "^packages/core/src/" },
    },
    {
      name: "engine-imports-core",
      comment: "The engine depends on core alone: stores, frameworks and Node reach it as ports.",
      severity: "error",
      from: { path: "^packages/engine/src/" },
      to: { pathNot: "^packages/(engine|core)/src/" },
    },
    {
      name: "http-imports-core",
      comment: "@quota/http knows no framework and no engine: it turns core's values into HTTP's and back.",
      severity: "error",
      from: { path: "^packages/http/src/" },
      to: { pathNot: "^packages/(http|core)/src/" },
    },
    {
      name: "adapters-import-engine-and-core",
      comment: "An adapter implements the engine's ports in core's words; adapters never know each other.",
      severity: "error",
      from: { path: "^packages/(sqlite|redis|postgres)/src/" },
      to: { path: "^packages/", pathNot: "^packages/($1|engine|core)/src/" },
    },
    {
      name: "express-imports-http-engine-and-core",
      comment:
        "The middleware is thin: it hands requests to the engine and answers from @quota/http, whatever the store.",
      severity: "error",
      from: { path: "^packages/express/src/" },
      to: { path: "^packages/", pathNot: "^packages/(express|http|engine|core)/src/" },
    },
    {
      name: "simulator-imports-engine-and-core",
      comment:
        "The simulator asks the engine as anybody does; what a rule says is written nowhere but in core.",
      severity: "error",
      from: { path: "^packages/simulator/src/" },
      to: { path: "^packages/", pathNot: "^packages/(simulator|engine|core)/src/" },
    },
    {
      name: "conformance-imports-engine-and-core",
      comment: "The suites know the ports and nothing that implements them.",
      severity: "error",
      from: { path: "^packages/conformance/src/" },
      to: { path: "^packages/", pathNot: "^packages/(conformance|engine|core)/src/" },
    },
    {
      name: "conformance-is-for-tests",
      comment: "What ships never imports the conformance suites: they bring a test runner with them.",
      severity: "error",
      from: { path: "^(packages/[^/]+/src|apps/[^/]+/server)/", pathNot: "^packages/conformance/" },
      to: { path: "^packages/conformance/" },
    },
    {
      name: "local-is-for-this-workspace",
      comment:
        "What is published never looks for programs nor starts servers: local-* is for tests, benches and the demo.",
      severity: "error",
      from: { path: "^packages/[^/]+/src/", pathNot: "^packages/local-" },
      to: { path: "^packages/local-" },
    },
    {
      name: "local-programs-imports-nothing",
      comment: "It looks for programs of the machine and knows none by name.",
      severity: "error",
      from: { path: "^packages/local-programs/src/" },
      to: { path: "^packages/", pathNot: "^packages/local-programs/src/" },
    },
    {
      name: "local-servers-import-local-programs",
      comment: "They start servers and stand in between; what is said to them is nothing to them.",
      severity: "error",
      from: { path: "^packages/local-(redis|postgres)/src/" },
      to: { path: "^packages/", pathNot: "^packages/local-($1|programs)/src/" },
    },
    {
      name: "nothing-imports-apps",
      comment: "Apps are the end of every arrow: what two of them need belongs in a package.",
      severity: "error",
      from: { pathNot: "^apps/" },
      to: { path: "^apps/" },
    },
    {
      name: "web-imports-core-and-shapes-of-http",
      comment:
        "What a browser loads is small and decides nothing: of ours it has core, to read and write units, and of @quota/http the shapes of the answers.",
      severity: "error",
      from: { path: "^apps/demo/web/" },
      to: { path: "^packages/", pathNot: "^packages/(core|http)/src/" },
    },
    {
      name: "web-imports-types-of-http",
      comment: "Of @quota/http pages take types alone: what it does, it does on the server.",
      severity: "error",
      from: { path: "^apps/demo/web/" },
      to: { path: "^packages/http/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "web-and-server-meet-over-http",
      comment:
        "Pages and gateway share a REST API and no code: either could be written anew without the other.",
      severity: "error",
      from: { path: "^apps/demo/(web|server)/" },
      to: { path: "^apps/demo/", pathNot: "^apps/demo/$1/" },
    },
    {
      name: "only-main-reads-the-environment-and-picks-adapters",
      comment:
        "Inside the demo nothing imports main.ts: it alone reads the environment and picks the adapters.",
      severity: "error",
      from: { path: "^apps/demo/" },
      to: { path: "^apps/demo/server/main\\.ts$" },
    },
    {
      name: "packages-by-name",
      comment:
        "Another package is imported by its name, which is what its `exports` promise, never by a path into it.",
      severity: "error",
      from: { path: "^(packages/[^/]+|apps/[^/]+|examples|bench)/" },
      to: { path: "^packages/", pathNot: "^$1/", dependencyTypes: ["local"] },
    },
    {
      name: "no-cycles",
      comment: "Two files that import each other are one file, or three.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "resolvable",
      comment: "Every import leads somewhere.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "declared",
      comment: "What ships imports only what its own package.json declares for whoever installs it.",
      severity: "error",
      from: { path: "^(packages/[^/]+/src|apps/[^/]+/server)/" },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"],
        dependencyTypesNot: ["type-only", "npm-peer"],
      },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(packages|apps)/[^/]+/(dist|\\.turbo)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    combinedDependencies: false,
    enhancedResolveOptions: {
      conditionNames: ["@quota/source", "types", "import", "node", "default"],
      exportsFields: ["exports"],
      extensions: [".ts", ".tsx", ".js", ".d.ts"],
    },
  },
};
