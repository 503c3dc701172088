import { createHash } from "node:crypto";
import { startRedisServer } from "@quota/local-redis";
import { createRedisStore, openRedis } from "@quota/redis";
import type { Lease } from "@quota/engine";
import type { Redis } from "ioredis";
import { RateLimiterRedis } from "rate-limiter-flexible";
import { atOnce, throughput } from "./clocks.js";
import { inTurns, percentile } from "./inTurns.js";
import type { Measurement } from "./measurement.js";
import { saveResult } from "./saveResult.js";
import { createTeam, keyId, requestBy } from "./team.js";

const CALLS = 1_024;
const guarantee =
  "2 dimensions, key and pool, holds included, atomic across processes, committed before the answer";

const server = await startRedisServer();
const redis = await openRedis(server.url);
const store = await createRedisStore(redis);
const { engine, requests } = await createTeam({ store, keys: 64 });

const peer = (await openRedis(server.url)) as Redis;
const limiter = new RateLimiterRedis({ storeClient: peer, points: 1_000_000_000, duration: 3600 });
const script = "return 1";
const sha = createHash("sha1").update(script).digest("hex");
await peer.script("LOAD", script);

const commits = await scriptCalls();
const asked = { admissions: 0 };
const singly = await inTurns(
  {
    script: () => median(300, () => peer.evalsha(sha, 0)),
    admit: () => admitting(1, 300, { keys: 64, of: "median" }),
  },
  { rounds: 30, warmUps: 10 },
);
const trips = ((await scriptCalls()) - commits - 40 * 300) / asked.admissions;

const together = await inTurns(
  {
    consume: () => throughput(CALLS, (calls) => atOnce(64, calls, () => limiter.consume("everybody", 1))),
    one: () => admitting(64, CALLS, { keys: 1, of: "throughput" }),
    eight: () => admitting(64, CALLS, { keys: 8, of: "throughput" }),
    sixtyFour: () => admitting(64, CALLS, { keys: 64, of: "throughput" }),
  },
  { rounds: 30, warmUps: 10 },
);
const bytes = await bytesPerKeyAndDimension();
await engine.close();
await store.close();
redis.disconnect();
peer.disconnect();
await server.stop();

await saveResult(
  "redis",
  [
    {
      work: "Redis admit, one at a time, p50",
      unit: "ms",
      ours: { name: "admit", value: singly.admit, guarantee },
      peer: { name: 'EVALSHA "return 1"', value: singly.script, guarantee: "one round trip, nothing done" },
      target: { of: "ratio", atMost: 1.6 },
    },
    row("1 key", together.one, 2),
    row("8 keys", together.eight, 1.5),
    row("64 keys", together.sixtyFour, 1),
    {
      work: "memory in Redis per key and dimension, two buckets",
      unit: "bytes",
      ours: { name: "used_memory", value: bytes, guarantee: "ids included; keys of 26 characters" },
      target: { of: "value", atMost: 300 },
    },
  ],
  [`${trips.toFixed(2)} round trips for an admission and for its release, on average`],
);

/** Admits so many at once; gives the holds back without looking at the clock. Milliseconds, or admissions a second. */
async function admitting(
  width: number,
  calls: number,
  { keys, of }: { readonly keys: number; readonly of: "median" | "throughput" },
): Promise<number> {
  const leases: Lease[] = [];
  const admit = async (index: number): Promise<void> => {
    const { decision, lease } = await engine.admit(requests[index % keys]!);
    if (decision.status !== "allowed" || lease === undefined)
      throw new Error(`The request was ${decision.status}.`);
    leases.push(lease);
  };
  let call = 0;
  const measured =
    of === "median"
      ? await median(calls, () => admit(call++))
      : await throughput(calls, (all) => atOnce(width, all, admit));
  asked.admissions += leases.length + 1;
  await Promise.all(leases.map((lease) => engine.release(lease)));
  return measured;
}

async function median(calls: number, call: () => Promise<unknown>): Promise<number> {
  const waits: number[] = [];
  for (let i = 0; i < calls; i += 1) {
    const asked = performance.now();
    await call();
    waits.push(performance.now() - asked);
  }
  return percentile(waits, 0.5);
}

async function scriptCalls(): Promise<number> {
  const said = await peer.info("commandstats");
  return [...said.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0);
}

/** What a server grows by when many keys settle in one bucket, and then in the next one. */
async function bytesPerKeyAndDimension(): Promise<number> {
  const KEYS = 20_000;
  await peer.flushall();
  const clock = { at: Date.now(), now: () => clock.at };
  const team = await createTeam({ store, keys: 1, clock });
  const before = await usedMemory();
  for (let bucket = 0; bucket < 2; bucket += 1) {
    await atOnce(64, KEYS, (i) => {
      const { apiKeyId, connectionId, provider } = requestBy(keyId(i));
      return team.engine.consume({
        apiKeyId,
        connectionId,
        provider,
        amounts: { requests: 1, tokens: 1200 },
      });
    });
    clock.at += 5 * 3_600_000;
  }
  await team.engine.close();
  return ((await usedMemory()) - before) / KEYS / 2;
}

async function usedMemory(): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await peer.info("memory"))?.[1]);
}

function row(keys: string, value: number, atLeast: number): Measurement {
  return {
    work: `Redis admit, one hot pool, one process, 64 in flight, ${keys}`,
    unit: "per second",
    ours: { name: "admit", value, guarantee },
    peer: {
      name: "RateLimiterRedis.consume",
      value: together.consume,
      guarantee: "checks and counts one counter, holds nothing",
    },
    target: { of: "ratio", atLeast },
  };
}
