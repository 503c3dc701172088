import { setTimeout as sleep } from "node:timers/promises";
import { createMemoryUsageStore } from "@quota/engine";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { saveResult } from "./saveResult.js";
import { createTeam, keyId, requestBy } from "./team.js";

const KEYS = 40_000;

const store = createMemoryUsageStore();
const ours = await growth(async () => {
  // The engine keeps counter ids at hand; it is gone when the heap is looked at, and the store is not.
  const { engine } = await createTeam({ store, keys: 1 });
  for (let i = 0; i < KEYS; i += 1) {
    const { lease } = await engine.admit({ ...requestBy(keyId(i)) });
    if (lease === undefined) throw new Error("The request was refused.");
    await engine.settle(lease, { tokens: 900 });
  }
  await engine.close();
});
const counters = await store.forget(Infinity);

const limiter = new RateLimiterMemory({ points: 1_000_000, duration: 3600 });
const peer = await growth(async () => {
  for (let i = 0; i < KEYS; i += 1) await limiter.consume(keyId(i));
});
const peerCounters = limiter.dump().storage.length;

await saveResult(
  "memory",
  [
    {
      work: "memory per live counter, memory store",
      unit: "bytes",
      ours: {
        name: "memory store",
        value: ours / counters,
        guarantee: "a bucket of a window or of holds; ids included; no timer",
      },
      peer: {
        name: "RateLimiterMemory",
        value: peer / peerCounters,
        guarantee: "a fixed window; ids and its timer included",
      },
      target: { of: "value", atMost: 350 },
    },
  ],
  [`${counters} counters of ${KEYS} keys in 2 dimensions; ids such as ${keyId(1)}`],
);
// Its timers would keep this process for an hour.
process.exit();

async function growth(fill: () => Promise<void>): Promise<number> {
  const before = await settledHeap();
  await fill();
  return (await settledHeap()) - before;
}

async function settledHeap(): Promise<number> {
  for (let i = 0; i < 3; i += 1) {
    await sleep(5);
    globalThis.gc!();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
