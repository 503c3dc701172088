import { readFile } from "node:fs/promises";
import { defineConfig } from "vitest/config";

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

const rooms = [
  "packages/core",
  "packages/engine",
  "packages/sqlite",
  "packages/local-redis",
  "packages/redis",
  "packages/http",
  "packages/express",
  "packages/conformance",
  "apps/demo",
  "examples",
];

/** Rooms whose tests talk to real servers, which they start and stop themselves. */
const withRedis = ["packages/local-redis", "packages/redis", "apps/demo", "examples"];

export default defineConfig({
  test: {
    // One worker a core: by default one core is left alone, which on two of them is half of the machine.
    maxWorkers: "100%",
    projects: rooms.map((room) => ({
      plugins: [asText],
      resolve: { conditions },
      ssr: { resolve: { conditions } },
      test: {
        name: room.slice(room.lastIndexOf("/") + 1),
        root: room,
        globalSetup: withRedis.includes(room)
          ? [new URL("packages/local-redis/src/ensureRedisServer.ts", import.meta.url).pathname]
          : [],
        // No test measures time; a busy machine is not a failure.
        testTimeout: 30_000,
        hookTimeout: 30_000,
        include: ["test/**/*.test.ts", "e2e/**/*.test.ts"],
      },
    })),
  },
});
