import { WINDOW_MS } from "@quota/core";
import { createMemoryUsageStore } from "@quota/engine";
import { processorTime } from "./clocks.js";
import { inTurns } from "./inTurns.js";
import type { Measurement } from "./measurement.js";
import { saveResult } from "./saveResult.js";
import { createTeam, TWO_DIMENSIONS, type Team } from "./team.js";

const CALLS = 512;
const MANY = 10_000;
const FEW = 10;
/** The same fixed windows under each rule, so that the rule is all that differs. */
const DIMENSIONS = TWO_DIMENSIONS.map((dimension) => ({ ...dimension, anchor: "epoch" as const }));
/** Half-way through the windows, where reserves have been given up in part; it goes on by a millisecond a request. */
const HALF_TIME = Math.ceil(Date.now() / WINDOW_MS["5h"]) * WINDOW_MS["5h"] + 1.5 * WINDOW_MS.hourly;

const guarantee = "2 dimensions, key and pool, holds included, atomic";

await saveResult("lending", [
  ...(await allowances()),
  await sweeps(DIMENSIONS.slice(1), "one dimension"),
  await sweeps(DIMENSIONS, "two dimensions"),
]);

async function allowances(): Promise<readonly Measurement[]> {
  const threshold = await team({ keys: FEW, lending: "threshold" });
  const reserve = await team({ keys: FEW, lending: "reserve" });
  const large = await team({ keys: MANY, lending: "reserve" });
  const medians = await inTurns(
    {
      threshold: admitting(threshold),
      reserve: admitting(reserve),
      large: admitting(large),
    },
    { rounds: 40, warmUps: 20 },
  );
  for (const { engine } of [threshold, reserve, large]) await engine.close();
  return [
    {
      work: "admit under reserve, memory store",
      unit: "µs",
      ours: {
        name: "reserve",
        value: medians.reserve,
        guarantee: `${guarantee}; what others hold is not lent`,
      },
      peer: { name: "threshold", value: medians.threshold, guarantee },
      target: { of: "ratio", atMost: 1.5 },
    },
    {
      work: "admit under reserve in a pool of 10 000 keys, ten of them active, memory store",
      unit: "µs",
      ours: { name: "10 000 keys", value: medians.large, guarantee },
      peer: { name: "10 keys", value: medians.reserve, guarantee },
      target: { of: "ratio", atMost: 1.2 },
    },
  ];
}

/** A request that is refused only after every reserve was looked at: it is larger than all that is held for nobody. */
async function sweeps(dimensions: typeof DIMENSIONS, label: string): Promise<Measurement> {
  const time = { now: HALF_TIME };
  const { engine, requests } = await createTeam({
    store: createMemoryUsageStore({ maxCounters: 4_000_000 }),
    keys: MANY,
    dimensions,
    clock: { now: () => time.now },
    lending: "reserve",
  });
  const { lease } = await engine.admit(requests[0]!);
  await engine.settle(lease!);
  let size = 0;
  const { swept } = await inTurns(
    {
      swept: () =>
        processorTime(1, async () => {
          // Another cost each time: a refusal that stands would need no look.
          time.now += 200;
          size += 1;
          const { decision } = await engine.admit({
            ...requests[0]!,
            estimate: { requests: 1, tokens: 1_900_000_000_000 + size },
          });
          if (decision.status !== "refused" || decision.reason !== "reserved")
            throw new Error(`The request was ${decision.status}.`);
        }),
    },
    { rounds: 60, warmUps: 20 },
  );
  await engine.close();
  return {
    work: `refusal after a look at 10 000 keys' reserves, ${label}, memory store`,
    unit: "ms",
    ours: { name: "sweep", value: swept / 1000, guarantee: "exact, with the moment at which it opens" },
    target: { of: "value", atMost: 10 },
  };
}

async function team({
  keys,
  lending,
}: {
  readonly keys: number;
  readonly lending: "threshold" | "reserve";
}): Promise<Team> {
  const time = { now: HALF_TIME };
  return createTeam({
    store: createMemoryUsageStore({ maxCounters: 4_000_000 }),
    keys,
    dimensions: DIMENSIONS,
    clock: { now: () => (time.now += 1) },
    lending,
  });
}

/** Admissions by the first ten keys in turn; holds are settled between the rounds, as estimated. */
function admitting({ engine, requests }: Team): () => Promise<number> {
  let turn = 0;
  return async () => {
    const leases: Awaited<ReturnType<Team["engine"]["admit"]>>["lease"][] = [];
    const cost = await processorTime(CALLS, async (calls) => {
      for (let i = 0; i < calls; i += 1) {
        const { decision, lease } = await engine.admit(requests[(turn += 1) % FEW]!);
        if (decision.status !== "allowed") throw new Error(`The request was ${decision.status}.`);
        leases.push(lease);
      }
    });
    for (const lease of leases) await engine.settle(lease!);
    return cost;
  };
}
