import { createMemoryUsageStore } from "@quota/engine";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { processorTime } from "./clocks.js";
import { inTurns } from "./inTurns.js";
import type { Measurement } from "./measurement.js";
import { saveResult } from "./saveResult.js";
import { createTeam, keyId } from "./team.js";

const CALLS = 1_000;
const measurements = [
  await compare(1, "one hot key"),
  await compare(100, "100 keys"),
  await compare(5_000, "5000 keys"),
];
await saveResult("engine", measurements);

async function compare(keys: number, label: string): Promise<Measurement> {
  const team = await createTeam({ store: createMemoryUsageStore(), keys });
  const { engine, requests } = team;
  const limiter = new RateLimiterMemory({ points: 1e12, duration: 3600 });
  const ids = Array.from({ length: keys }, (_, i) => keyId(i));
  let turn = 0;
  const medians = await inTurns(
    {
      consume: () =>
        processorTime(CALLS, async (calls) => {
          for (let i = 0; i < calls; i += 1) await limiter.consume(ids[i % keys]!, 1);
        }),
      admit: () =>
        processorTime(CALLS, async (calls) => {
          for (let i = 0; i < calls; i += 1) {
            const { decision, lease } = await engine.admit(requests[(turn += 1) % keys]!);
            if (decision.status !== "allowed" || lease === undefined)
              throw new Error(`The request was ${decision.status}.`);
            await engine.settle(lease, { tokens: 900 });
          }
        }),
    },
    { rounds: 40, warmUps: 20 },
  );
  await engine.close();
  return {
    work: `engine admit + settle, memory store, ${label}`,
    unit: "µs",
    ours: {
      name: "admit + settle",
      value: medians.admit,
      guarantee: "2 dimensions, key and pool, holds included, atomic, settled once",
    },
    peer: {
      name: "RateLimiterMemory.consume",
      value: medians.consume,
      guarantee: "checks and counts one counter, holds nothing",
    },
    target: { of: "ratio", atMost: 10 },
  };
}
