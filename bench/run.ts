/**
 * `pnpm bench [name…]` runs every `*.bench.ts` beside this file, or the named ones, one after another: each in a
 * process of its own, so that none warms or litters another's heap, and against the built packages, as they ship.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RESULTS, type Result } from "./saveResult.js";
import { tableOf } from "./tableOf.js";

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
  const names = wanted.length > 0 ? wanted : known;
  const failed = names.filter((name) => !runBench(name));
  const done = names.filter((name) => !failed.includes(name));
  console.log(`\n${tableOf(done.map(resultOf))}\n`);
  if (failed.length > 0) {
    console.error(`Failed: ${failed.join(", ")}.`);
    process.exitCode = 1;
  }
}

function runBench(name: string): boolean {
  const began = performance.now();
  process.stdout.write(`${name} … `);
  const options = ["--expose-gc", "--import", "tsx", `${name}${suffix}`];
  const { status } = spawnSync(process.execPath, options, { cwd: here, stdio: "inherit" });
  console.log(`${((performance.now() - began) / 1000).toFixed(1)} s`);
  return status === 0;
}

function resultOf(name: string): Result {
  return JSON.parse(readFileSync(join(RESULTS, `${name}.json`), "utf8")) as Result;
}
