/**
 * `pnpm torture [--seed N] [--rounds N] [--mode M]`: gateways as processes, killed at random points under load; then the books are audited.
 * `pnpm torture month [--seed N] [--events N]`: a month of traffic through the queue.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { usdText } from "@quota/core";
import { startRedisServer } from "@quota/local-redis";
import { spendMonth } from "./spendMonth.js";
import { torture } from "./torture.js";
import { TORTURE_MODES } from "./tortureWorld.js";

const { values, positionals } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  allowPositionals: true,
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    rounds: { type: "string", default: "300" },
    events: { type: "string", default: "1000000" },
    mode: { type: "string" },
    /** Another build of the gateway. */
    main: { type: "string", default: fileURLToPath(new URL("../../dist/main.js", import.meta.url)) },
  },
});

if (positionals[0] === "month") await month(Number(values.events));
else await rounds(Number(values.rounds));

async function rounds(count: number): Promise<void> {
  const { seed, main, mode } = values;
  console.log(`pnpm torture --seed ${seed} --rounds ${count}${mode === undefined ? "" : ` --mode ${mode}`}`);
  const modes = TORTURE_MODES.filter((each) => mode === undefined || each === mode);
  const began = performance.now();
  const { asked, whole, kills, faults } = await torture({
    seed,
    rounds: count,
    modes,
    main,
    say: console.log,
  });
  const killed = [...kills].map(([what, times]) => `${what} ${times}`).join(", ");
  console.log(
    `\n${count} rounds in ${((performance.now() - began) / 1000).toFixed(0)} s. Killed: ${killed}.`,
  );
  console.log(`${asked} requests, ${whole} whole answers. ${faults.length} faults.`);
  for (const fault of faults) console.log(fault);
  if (faults.length > 0) process.exitCode = 1;
}

async function month(events: number): Promise<void> {
  const { seed } = values;
  console.log(`pnpm torture month --seed ${seed} --events ${events}`);
  const folder = await mkdtemp(join(tmpdir(), "quota-month-"));
  const server = await startRedisServer();
  try {
    const told = await spendMonth({
      events,
      seed,
      redisUrl: server.url,
      file: join(folder, "ledger.sqlite"),
    });
    console.log(
      `${events} events and ${told.repeats} repeats of them in ${told.seconds.toFixed(0)} s: ${usdText(told.total)} USD.`,
    );
    console.log(`Redis has grown by ${told.bytesPerId.toFixed(1)} bytes for each id that it remembers.`);
    console.log(`Drift: ${told.faults.length === 0 ? "0" : told.faults.join("\n")}`);
    if (told.faults.length > 0) process.exitCode = 1;
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
