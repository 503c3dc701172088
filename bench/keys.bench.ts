import { join } from "node:path";
import { createMemoryUsageStore, type Lease, type UsageStore } from "@quota/engine";
import { createSqliteUsageStore, openQuotaDatabase } from "@quota/sqlite";
import { processorTime } from "./clocks.js";
import { inTurns } from "./inTurns.js";
import type { Measurement } from "./measurement.js";
import { saveResult } from "./saveResult.js";
import { scratchFolder } from "./scratchFolder.js";
import { createTeam, type Team } from "./team.js";

const MANY = 10_000;
const FEW = 10;
const CALLS = 512;
const folder = scratchFolder();

const memory = await compare("memory store", () => Promise.resolve(createMemoryUsageStore()));
const sqlite = await compare("SQLite store", async (name) =>
  createSqliteUsageStore(await openQuotaDatabase({ file: join(folder, `${name}.sqlite`) })),
);
await saveResult("keys", [...memory, ...sqlite]);

async function compare(
  where: string,
  open: (name: string) => Promise<UsageStore>,
): Promise<readonly Measurement[]> {
  const small = await createTeam({ store: await open("small"), keys: FEW });
  const large = await createTeam({ store: await open("large"), keys: MANY });
  const all = await createTeam({ store: await open("all"), keys: MANY });
  // Every key has been seen before: what is measured is the rule, not the first time.
  await admitting(all, MANY, MANY)();
  const medians = await inTurns(
    {
      small: admitting(small, FEW),
      large: admitting(large, FEW),
      all: admitting(all, MANY),
    },
    { rounds: 40, warmUps: 12 },
  );
  const guarantee = "2 dimensions, key and pool, holds included, atomic";
  const peer = { name: `pool of ${FEW}, all active`, value: medians.small, guarantee };
  return [
    {
      work: `admit in a pool of 10 000 keys, ten of them active, ${where}`,
      unit: "µs",
      ours: { name: "the same ten active", value: medians.large, guarantee },
      peer,
      target: { of: "ratio", atMost: 1.2 },
    },
    {
      work: `admit over all 10 000 keys in turn, ${where}`,
      unit: "µs",
      ours: { name: "all active", value: medians.all, guarantee },
      peer,
    },
  ];
}

/** Admissions, 16 in flight, by the first so many keys in turn; holds are given back between the rounds. */
function admitting({ engine, requests }: Team, keys: number, calls = CALLS): () => Promise<number> {
  let turn = 0;
  return async () => {
    const leases: Lease[] = [];
    const cost = await processorTime(calls, async () => {
      const worker = async (): Promise<void> => {
        for (let i = 0; i < calls / 16; i += 1) {
          const { decision, lease } = await engine.admit(requests[(turn += 1) % keys]!);
          if (decision.status !== "allowed" || lease === undefined)
            throw new Error(`The request was ${decision.status}.`);
          leases.push(lease);
        }
      };
      await Promise.all(Array.from({ length: 16 }, worker));
    });
    for (const lease of leases) await engine.release(lease);
    return cost;
  };
}
