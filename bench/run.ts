/**
 * `pnpm bench [name…]` runs every `*.bench.ts` beside this file, or the named ones, one after another: each in a
 * process of its own, so that none warms or litters another's heap, and against the built packages, as they ship.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";

const here = import.meta.dirname;
const suffix = ".bench.ts";
const known = readdirSync(here)
  .filter((file) => file.endsWith(suffix))
  .map((file) => file.slice(0, -suffix.length))
  .sort();
const wanted = process.argv.slice(2).filter((argument) => argument !== "--");
const unknown = wanted.filter((name) => !known.includes(name));

if (unknown.length > 0 || known.length === 0) {
  console.error(
    `No bench named ${unknown.join(", ") || "anything"}. There are: ${known.join(", ") || "none"}.`,
  );
  process.exitCode = 1;
} else {
  const failed = (wanted.length > 0 ? wanted : known).filter((name) => !runBench(name));
  if (failed.length > 0) {
    console.error(`Failed: ${failed.join(", ")}.`);
    process.exitCode = 1;
  }
}

function runBench(name: string): boolean {
  console.log(`\n── ${name}`);
  const options = ["--expose-gc", "--import", "tsx", `${name}${suffix}`];
  return spawnSync(process.execPath, options, { cwd: here, stdio: "inherit" }).status === 0;
}
