/**
 * `pnpm replay [traffic.csv.gz]` replays a traffic (our own, without an argument) through the engine, against the provider simulator's
 * account of a Codex seat, and compares what the engine says every key used of each window with the account's own books. Results are kept in
 * `results.json` beside this file.
 */
import { fork } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus } from "node:os";
import { join, resolve } from "node:path";
import { RUNS, type RunName, type RunResult } from "./runs.js";
import { tableOfRuns } from "./tableOfRuns.js";

const RESULTS = join(import.meta.dirname, "results.json");

const [argument] = process.argv.slice(2).filter((each) => each !== "--");
// The root's script runs this in the demo's folder.
const path = argument === undefined ? undefined : resolve(process.env["INIT_CWD"] ?? ".", argument);

const began = performance.now();
const results = await allRuns();
const seconds = Math.round((performance.now() - began) / 1000);
console.log(`${tableOfRuns(results)}\n\n${seconds} s`);
await save(path === undefined ? "shaped" : "trace", results);
// Who used it when both did, nobody can know: what the owner does besides is shown, and no target.
const missed = results.filter(
  ({ run, fiveHours }) => fiveHours.largestError > 0 || (!("owner" in RUNS[run]) && fiveHours.near < 0.99),
);
if (missed.length > 0) {
  console.error(`Missed: ${missed.map(({ run }) => run).join(", ")}.`);
  process.exitCode = 1;
}

/** As many at once as there are processors. */
async function allRuns(): Promise<readonly RunResult[]> {
  const waiting = Object.keys(RUNS) as RunName[];
  const order = [...waiting];
  const done = new Map<RunName, RunResult>();
  const work = async (): Promise<void> => {
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift())
      done.set(run, await oneRun(run));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return order.map((run) => done.get(run)!);
}

function oneRun(run: RunName): Promise<RunResult> {
  const child = fork(join(import.meta.dirname, "replayOne.ts"), path === undefined ? [run] : [run, path]);
  return new Promise((found, failed) => {
    child.once("message", (message) => found(message as RunResult));
    child.once("exit", (code) => failed(new Error(`The run "${run}" ended with ${code} and no result.`)));
    child.once("error", failed);
  });
}

/** Results of the other traffic stay. */
async function save(traffic: string, runs: readonly RunResult[]): Promise<void> {
  let others: Readonly<Record<string, unknown>> = {};
  try {
    others = JSON.parse(await readFile(RESULTS, "utf8")) as typeof others;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const result = {
    measuredAt: new Date().toISOString(),
    machine: { node: process.version, processor: cpus()[0]?.model ?? "unknown", cores: cpus().length },
    seconds,
    runs,
  };
  await writeFile(RESULTS, `${JSON.stringify({ ...others, [traffic]: result }, null, 2)}\n`);
}
