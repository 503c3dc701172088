import { readFile } from "node:fs/promises";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

// Packages of this workspace are read from their sources, so that tests need no build.
// Not "import": Node hands these conditions to `require` as well, and CommonJS would get ES modules.
const conditions = ["@quota/source", "module", "node"];

const asText = {
  name: "sql-and-lua-as-text",
  async load(id: string) {
    return /\.(sql|lua)$/.test(id)
      ? `export default ${JSON.stringify(await readFile(id, "utf8"))};`
      : undefined;
  },
};

// What runs before the tests is in an environment of vitest's own, which inherits no conditions.
const fromSources = { name: "from-sources", configEnvironment: () => ({ resolve: { conditions } }) };

const rooms = [
  "packages/core",
  "packages/engine",
  "packages/sqlite",
  "packages/local-programs",
  "packages/local-redis",
  "packages/redis",
  "packages/local-postgres",
  "packages/postgres",
  "packages/http",
  "packages/express",
  "packages/simulator",
  "packages/conformance",
  "apps/demo",
  "examples",
];

/** Rooms whose tests talk to real servers, which they start and stop themselves. */
const withRedis = ["packages/local-redis", "packages/redis", "apps/demo", "examples"];

/** Rooms whose tests make databases of their own on a server that is started for the run. */
const withPostgres = ["packages/local-postgres", "packages/postgres", "apps/demo"];

const at = (path: string) => new URL(path, import.meta.url).pathname;
const redisServer = at("packages/local-redis/src/ensureRedisServer.ts");
const postgres = at("packages/local-postgres/src/ensurePostgres.ts");
const pages = "e2e/browser/**/*.test.ts";

/**
 * Each room is a project, for whoever asks for one: `--project core`. Whoever asks for all of them gets them as one: a project has workers of its
 * own, which read and translate everything anew, and the next project begins when the last file of this one is over.
 */
const isOneAskedFor = process.argv.some((word) => word.startsWith("--project"));

export default defineConfig({
  test: {
    // One worker a core: by default one core is left alone, which on two of them is half of the machine.
    maxWorkers: "100%",
    projects: [
      ...(isOneAskedFor ? rooms.map((room) => among([room], nameOf(room))) : [among(rooms, "all rooms")]),
      // The pages in a real browser: a project of its own, as only it builds them first.
      project({
        name: "browser",
        root: "apps/demo",
        globalSetup: [
          redisServer,
          at("apps/demo/e2e/browser/ensureChromium.ts"),
          at("apps/demo/e2e/browser/buildPages.ts"),
        ],
        include: [pages],
        // What a page shows is asked again until it is so. Two browsers on two cores take their time.
        expect: { poll: { interval: 20, timeout: 30_000 } },
        testTimeout: 90_000,
        hookTimeout: 90_000,
      }),
    ],
  },
});

function nameOf(room: string): string {
  return room.slice(room.lastIndexOf("/") + 1);
}

/** The tests of some rooms, but for those of the pages. */
function among(some: readonly string[], name: string): TestProjectInlineConfiguration {
  return project({
    name,
    globalSetup: [
      ...(some.some((room) => withRedis.includes(room)) ? [redisServer] : []),
      ...(some.some((room) => withPostgres.includes(room)) ? [postgres] : []),
    ],
    include: some.flatMap((room) => [`${room}/test/**/*.test.ts`, `${room}/e2e/**/*.test.ts`]),
    exclude: [`apps/demo/${pages}`],
  });
}

function project(test: TestProjectInlineConfiguration["test"]): TestProjectInlineConfiguration {
  return {
    plugins: [asText, fromSources],
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    // No test measures time; a busy machine is not a failure.
    // Nor has any module of ours a state (the linter sees to that), so files need not load everything anew, each for itself.
    test: { testTimeout: 30_000, hookTimeout: 30_000, isolate: false, ...test },
  };
}
