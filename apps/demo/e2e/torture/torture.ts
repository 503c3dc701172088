import { seededNumbers } from "../../server/simulator/seededNumbers.js";
import { askAround, TORTURE_PRICES } from "./askAround.js";
import { auditSpend } from "./auditSpend.js";
import { startTortureWorld, TORTURE_MODES, type TortureMode, type TortureWorld } from "./tortureWorld.js";

/** What became of some rounds. */
export interface TortureReport {
  readonly rounds: number;
  readonly asked: number;
  /** Answers that a client had whole, each of which has its event. */
  readonly whole: number;
  /** By what was killed. */
  readonly kills: ReadonlyMap<string, number>;
  /** What was found, in sentences, each with its round. */
  readonly faults: readonly string[];
}

/**
 * Rounds of: clients ask, something is killed at some point and started again, the clients go on for a while, the queue is drained, and the books are audited. The
 * seed says what is killed and after how many answers; where exactly the processes are then, the machine says.
 */
export async function torture({
  seed,
  rounds,
  modes = TORTURE_MODES,
  main,
  postgresUrl,
  say = () => undefined,
}: {
  readonly seed: string;
  readonly rounds: number;
  readonly modes?: readonly TortureMode[] | undefined;
  /** The built gateway. */
  readonly main: string;
  /** A PostgreSQL that is there already; it is not killed. Undefined: one of our own, which is. */
  readonly postgresUrl?: string | undefined;
  readonly say?: ((line: string) => void) | undefined;
}): Promise<TortureReport> {
  const faults: string[] = [];
  const kills = new Map<string, number>();
  let asked = 0;
  let whole = 0;
  for (const [i, mode] of modes.entries()) {
    const world = await startTortureWorld({ mode, main, postgresUrl });
    try {
      await setUp(world);
      const orphans = new Set<string>();
      const first = Math.round((i / modes.length) * rounds);
      const last = Math.round(((i + 1) / modes.length) * rounds);
      for (let round = first; round < last; round += 1) {
        const began = performance.now();
        const done = await oneRound(world, {
          name: `r${round}`,
          random: seededNumbers(`${seed} ${round}`),
          orphans,
        });
        asked += done.asked;
        whole += done.whole;
        kills.set(done.killed, (kills.get(done.killed) ?? 0) + 1);
        for (const fault of done.faults) faults.push(`Round ${round} (${mode}, ${done.killed}): ${fault}`);
        const seconds = ((performance.now() - began) / 1000).toFixed(1);
        say(`round ${round} ${mode}: ${done.killed}; ${done.whole} of ${done.asked} whole; ${seconds} s`);
        for (const fault of done.faults) say(`  FAULT ${fault}`);
      }
    } finally {
      await world.stop();
    }
  }
  return { rounds, asked, whole, kills, faults };
}

const CONNECTION = "upstream";
/** A handful of requests: each holds up to two tenths of a cent, and takes a fifth of that. */
const CAROLS_LIMIT_USD = 0.006;

async function setUp({ gateways: [first], mode }: TortureWorld): Promise<void> {
  const admin = first!.admin;
  const perMillion = (nanos: bigint): number => Number(nanos) / 1000;
  const { input, cachedInput, cacheWrite, output } = TORTURE_PRICES;
  const prices = {
    model: "*",
    input: perMillion(input),
    cachedInput: perMillion(cachedInput),
    cacheWrite: perMillion(cacheWrite),
    output: perMillion(output),
  };
  await admin("PATCH", `/api/connections/${CONNECTION}`, { prices: [prices] });
  const limit = 1_000_000_000;
  await admin("PUT", `/api/quota/plans/${CONNECTION}`, {
    dimensions: [{ unit: "requests", window: "hourly", limit }],
  });
  await admin("POST", "/api/orgs", {
    id: "acme",
    budget: { limitUsd: 5_000, period: "month", timeZone: "Asia/Tokyo" },
  });
  await admin("POST", "/api/teams", { id: "red", orgId: "acme", budget: { limitUsd: 1_000, period: "day" } });
  // Bob has no budget and nobody above him.
  for (const key of ["alice", "carol"]) await admin("PATCH", `/api/keys/${key}`, { teamId: "red" });
  const { sharedBy } = await admin("GET", "/api/spend/queue");
  const expected = mode === "sqlite" ? "one-machine" : "many-machines";
  if (sharedBy !== expected)
    throw new Error(`The queue is shared by ${String(sharedBy)}, not by ${expected}.`);
}

async function oneRound(
  world: TortureWorld,
  {
    name,
    random,
    orphans,
  }: { readonly name: string; readonly random: () => number; readonly orphans: Set<string> },
): Promise<{
  readonly killed: string;
  readonly asked: number;
  readonly whole: number;
  readonly faults: readonly string[];
}> {
  const { gateways } = world;
  const since = Date.now();
  const budget = { limitUsd: CAROLS_LIMIT_USD, period: "once", since: new Date(since).toISOString() };
  await gateways[0]!.admin("PATCH", "/api/keys/carol", { budget });
  const around = askAround({ gateways, random, name });
  const answers = Math.floor(random() * 25);
  await until(() => around.whole() >= answers || around.isIdle());
  await pause(random() * 20);
  const killed = await killSomething(world, random);
  await around.stop(25);
  await drained(world);
  const faults = await auditSpend(world, {
    asked: around.asked,
    prefix: name,
    once: { subject: { kind: "key", id: "carol" }, since, limit: BigInt(Math.round(CAROLS_LIMIT_USD * 1e9)) },
    orphans,
  });
  return { killed, asked: around.asked.length, whole: around.whole(), faults };
}

/** Kills and starts again; says what. */
async function killSomething(
  { gateways, redis, postgres }: TortureWorld,
  random: () => number,
): Promise<string> {
  const servers = [
    ...(redis ? [["Redis", redis] as const] : []),
    ...(postgres ? [["PostgreSQL", postgres] as const] : []),
  ];
  const which = Math.floor(random() * (servers.length * 2 + 4));
  const server = servers[which >> 1];
  if (server !== undefined) {
    await server[1].kill();
    await pause(random() * 300);
    await server[1].start();
    return server[0];
  }
  const isOne = which - servers.length * 2 < 3;
  const first = Math.floor(random() * gateways.length);
  const gone = isOne
    ? [gateways[first]!]
    : gateways.filter((_gateway, i) => i !== first || gateways.length === 2);
  await Promise.all(gone.map((gateway) => gateway.kill()));
  await Promise.all(gone.map((gateway) => gateway.start()));
  return isOne ? "a gateway" : `${gone.length} gateways`;
}

const PATIENCE_MS = 90_000;

/** Until nothing waits, neither in the queue nor in a gateway's memory. */
async function drained({ gateways }: TortureWorld): Promise<void> {
  const isDrained = async (): Promise<boolean> => {
    const queues = [];
    for (const { admin } of gateways)
      queues.push(await admin("POST", "/api/spend/queue", { action: "retry" }));
    return queues.every(({ waiting, kept }) => waiting === 0 && kept === 0);
  };
  await until(async () => {
    try {
      return await isDrained();
    } catch (error) {
      // A server that has just been started may still refuse.
      if (/: 50[0-9] /u.test(String(error))) return false;
      throw error;
    }
  });
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`Waited ${PATIENCE_MS} ms in vain: ${String(isSo)}`);
    await pause(5);
  }
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
