import { join } from "node:path";
import type { Lease } from "@quota/engine";
import { createSqliteUsageStore, openQuotaDatabase } from "@quota/sqlite";
import Database from "better-sqlite3";
import { RateLimiterSQLite } from "rate-limiter-flexible";
import { atOnce, throughput } from "./clocks.js";
import { inTurns } from "./inTurns.js";
import type { Figure, Measurement } from "./measurement.js";
import { saveResult } from "./saveResult.js";
import { scratchFolder } from "./scratchFolder.js";
import { createTeam } from "./team.js";

const KEYS = 100;
const CALLS = 256;
const folder = scratchFolder();

const db = await openQuotaDatabase({ file: join(folder, "ours.sqlite") });
const store = createSqliteUsageStore(db);
const { engine, requests } = await createTeam({ store, keys: KEYS });

const file = new Database(join(folder, "peer.sqlite"));
file.pragma("journal_mode = WAL");
file.pragma("synchronous = NORMAL");
const limiter = await openLimiter();

const medians = await inTurns(
  {
    consumeSingly: () => throughput(CALLS, (calls) => atOnce(1, calls, consume)),
    admitSingly: () => admitting(1),
    consumeTogether: () => throughput(CALLS, (calls) => atOnce(64, calls, consume)),
    admitTogether: () => admitting(64),
  },
  { rounds: 40, warmUps: 10 },
);
await engine.close();
await store.close();
db.close();
file.close();

await saveResult("sqlite", [
  row("one at a time", medians.admitSingly, { peer: medians.consumeSingly, atLeast: 0.9 }),
  row("64 in flight", medians.admitTogether, { peer: medians.consumeTogether, atLeast: 3 }),
]);

async function admitting(width: number): Promise<number> {
  const leases: Lease[] = [];
  const perSecond = await throughput(CALLS, (calls) =>
    atOnce(width, calls, async (index) => {
      const { decision, lease } = await engine.admit(requests[index % KEYS]!);
      if (decision.status !== "allowed" || lease === undefined)
        throw new Error(`The request was ${decision.status}.`);
      leases.push(lease);
    }),
  );
  await Promise.all(leases.map((lease) => engine.release(lease)));
  return perSecond;
}

async function consume(): Promise<void> {
  await limiter.consume("everybody", 1);
}

function openLimiter(): Promise<RateLimiterSQLite> {
  return new Promise((resolve, reject) => {
    const opened = new RateLimiterSQLite(
      {
        storeClient: file,
        storeType: "better-sqlite3",
        tableName: "limits",
        points: 1_000_000_000,
        duration: 3600,
      },
      // Called back before the constructor has returned, or after.
      (error?: Error) => queueMicrotask(() => (error === undefined ? resolve(opened) : reject(error))),
    );
  });
}

function row(
  how: string,
  value: number,
  { peer, atLeast }: { readonly peer: number; readonly atLeast: number },
): Measurement {
  const against: Figure = {
    name: "RateLimiterSQLite.consume",
    value: peer,
    guarantee: "checks and counts one counter, holds nothing; WAL, synchronous NORMAL",
  };
  return {
    work: `SQLite admit, 100 keys uniform, ${how}`,
    unit: "per second",
    ours: {
      name: "admit",
      value,
      guarantee:
        "2 dimensions, key and pool, holds included, atomic, committed before the answer; WAL, synchronous NORMAL",
    },
    peer: against,
    target: { of: "ratio", atLeast },
  };
}
