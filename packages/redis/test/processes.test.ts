import { describeWithRedis } from "@quota/local-redis/vitest";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "tsup";
import { afterAll, beforeAll, expect, test } from "vitest";
import { places } from "./places.js";

const run = promisify(execFile);
const here = import.meta.dirname;

describeWithRedis("several gateways on one Redis", () => {
  const place = places();
  let folder: string;
  beforeAll(async () => {
    folder = await buildGateway();
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([0, 1])(
    "four of them, 32 requests at once in each, replies %s ms late: granted exactly the ceiling",
    { timeout: 60_000 },
    async (delayMs) => {
      const { proxy } = await place();
      proxy.delayMs = delayMs;
      const args = [join(folder, "gateway.mjs"), proxy.url, "3000", "32"];
      const said = await Promise.all([1, 2, 3, 4].map(() => run(process.execPath, args)));
      const seen = said.map(({ stdout }) => JSON.parse(stdout) as Record<string, number>);
      expect(seen.reduce((sum, { granted = NaN }) => sum + granted, 0)).toBe(3000);
      for (const each of seen) expect(each).toMatchObject({ refused: 32, other: 0, remembered: 0 });
    },
  );
});

/** Bundles the program, so that plain Node can run it. Below this package, so that ioredis is found from there. */
async function buildGateway(): Promise<string> {
  const cache = join(here, "../node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const outDir = mkdtempSync(join(cache, "gateway-"));
  await build({
    entry: [join(here, "programs/gateway.ts")],
    outDir,
    config: false,
    silent: true,
    format: "esm",
    target: "node20",
    splitting: false,
    outExtension: () => ({ js: ".mjs" }),
    external: ["ioredis"],
    noExternal: [/^@quota\//],
    loader: { ".lua": "text" },
    esbuildOptions: (options) => void (options.conditions = ["@quota/source"]),
  });
  return outDir;
}
