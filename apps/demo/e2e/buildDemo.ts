import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const room = fileURLToPath(new URL("..", import.meta.url));

/** The demo as `pnpm demo` builds it, in a folder of its own, so that no build has to come before the tests. */
export async function buildDemo(): Promise<{ readonly main: string; readonly remove: () => Promise<void> }> {
  // Below node_modules, so that what stays outside of the bundle is found from there.
  const folder = await mkdtemp(join(room, "node_modules", ".e2e-"));
  const tsup = join(
    dirname(createRequire(import.meta.url).resolve("tsup/package.json")),
    "dist/cli-default.js",
  );
  await promisify(execFile)(process.execPath, [tsup, "--out-dir", folder, "--silent"], { cwd: room });
  return { main: join(folder, "main.js"), remove: () => rm(folder, { recursive: true, force: true }) };
}
