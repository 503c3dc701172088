// Runs one example from its TypeScript source, without a build of the packages: `node run.js 01-decide`.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";

const here = fileURLToPath(new URL(".", import.meta.url));
const name = process.argv[2] ?? "";
const examples = readdirSync(here).filter((file) => /^\d\d-.*\.ts$/.test(file));
const entry = examples.find((file) => name !== "" && file.startsWith(name));

if (entry === undefined) {
  console.error(`Name an example: ${examples.map((file) => file.slice(0, -3)).join(", ")}.`);
  process.exitCode = 1;
} else {
  // Below this directory, so that dependencies are found from there.
  const cache = join(here, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const outDir = mkdtempSync(join(cache, "example-"));
  process.on("exit", () => rmSync(outDir, { recursive: true }));
  await build({
    entry: [join(here, entry)],
    outDir,
    config: false,
    silent: true,
    format: "esm",
    target: "node20",
    splitting: false,
    outExtension: () => ({ js: ".mjs" }),
    external: ["better-sqlite3", "express", "ioredis", "vitest"],
    noExternal: [/^@quota\//],
    loader: { ".sql": "text", ".lua": "text" },
    esbuildOptions: (options) => void (options.conditions = ["@quota/source"]),
  });
  const child = spawn(process.execPath, [join(outDir, entry.replace(/\.ts$/, ".mjs"))], { stdio: "inherit" });
  child.on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}
