import { StoreError, type SpendQueue } from "@quota/engine";
import { startFaultProxy, startRedisServer, type Fate } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import type { Redis } from "ioredis";
import { expect, test, vi } from "vitest";
import { createRedisAffinity, createRedisLiveState, createRedisSpendQueue, openRedis } from "../src/index.js";
import { digestOf, spendKeys } from "../src/spendKeys.js";
import { places } from "./places.js";
import { alice, drained, spent, team, waitingIn } from "./spending.js";

const keys = spendKeys("quota:", "main");
const MOST = Number.MAX_SAFE_INTEGER;

describeWithRedis("when something goes wrong with Redis, spend", () => {
  const place = places();
  const open = async (options?: Parameters<typeof place>[0]) => {
    const { server, proxy, open: connect } = await place(options);
    const { redis } = await connect();
    const queue = await createRedisSpendQueue(redis, { timeoutMs: 500 });
    return { server, proxy, redis, queue };
  };

  test.each(["drop", "cut"] as const)(
    "whose reply is lost (%s) may have been handed in; handed in again it counts once",
    async (fate) => {
      const { proxy, queue } = await open();
      await queue.enqueueSpend(spent("a"), 0);
      proxy.onReply = (_reply, words) => (isScript(words) ? fate : "pass");
      await expect(queue.enqueueSpend(spent("b"), 0)).rejects.toMatchObject({
        name: "StoreError",
        applied: "unknown",
      });
      proxy.onReply = undefined;
      expect(await untilAnswered(() => queue.enqueueSpend(spent("b", { cost: 99 }), 0))).toBe("known");
      expect(await waitingIn(queue)).toEqual([14n, 14n, 2]);
    },
  );

  test("is taken out once where the reply to that is lost", async () => {
    const { proxy, queue } = await open();
    // Until both scripts are known to the server.
    await queue.enqueueSpend(spent("first"), 0);
    await drained(queue);
    for (const id of ["a", "b", "c"]) await queue.enqueueSpend(spent(id), 0);
    const { items } = await queue.peekSpend(2);
    proxy.onReply = (_reply, words) => (isScript(words) ? "cut" : "pass");
    await expect(queue.ackSpend(items[0]!.position, 2)).rejects.toMatchObject({ applied: "unknown" });
    proxy.onReply = undefined;
    expect(await untilAnswered(() => queue.ackSpend(items[0]!.position, 2))).toBe(false);
    expect(await waitingIn(queue)).toEqual([7n, 7n, 1]);
    expect(await queue.enqueueSpend(spent("a"), 0)).toBe("known");
  });

  test("goes on where scripts are flushed between any two commands", async () => {
    const { server, proxy, queue } = await open();
    proxy.onCommand = async (words): Promise<Fate> => {
      if (isScript(words)) await server.ask("SCRIPT", "FLUSH");
      return "pass";
    };
    for (let i = 0; i < 5; i += 1) expect(await queue.enqueueSpend(spent(String(i)), 0)).toBe("queued");
    expect(await drained(queue)).toEqual(["0", "1", "2", "3", "4"]);
  });

  test("takes no reply that comes twice for the answer to what was asked next", async () => {
    const { proxy, queue } = await open();
    await queue.enqueueSpend(spent("known"), 0);
    let replies = 0;
    proxy.onReply = (_reply, words) => (isScript(words) && (replies += 1) === 1 ? "twice" : "pass");
    // The second answer to a repeat would say of a new event that it is known.
    const repeat = queue.enqueueSpend(spent("known"), 0);
    await turn();
    const fresh = queue.enqueueSpend(spent("new"), 0);
    expect(await repeat).toBe("known");
    await expect(fresh).rejects.toMatchObject({ applied: "unknown" });
    await untilAnswered(() => queue.enqueueSpend(spent("new"), 0));
    expect(await drained(queue)).toEqual(["known", "new"]);
  });

  test("is refused by a server without memory, which may still be relieved of what waits", async () => {
    const { server, queue } = await open();
    for (let i = 0; i < 3; i += 1) await queue.enqueueSpend(spent(String(i)), 0);
    await server.ask("CONFIG", "SET", "maxmemory", "1");
    const answers = await Promise.allSettled(["x", "y"].map((id) => queue.enqueueSpend(spent(id), 0)));
    for (const answer of answers)
      expect(answer).toMatchObject({ reason: { applied: "no", message: expect.stringContaining("OOM") } });
    expect(await waitingIn(queue)).toEqual([21n, 21n, 3]);
    expect(await drained(queue)).toEqual(["0", "1", "2"]);
    expect(await waitingIn(queue)).toEqual([0n, 0n, 0]);
    await server.ask("CONFIG", "SET", "maxmemory", "0");
    expect(await queue.enqueueSpend(spent("1"), 0)).toBe("known");
    expect(await queue.enqueueSpend(spent("x"), 0)).toBe("queued");
  });

  test("is refused by a replica, which is an error that makes the client look again", async () => {
    const { server, queue, redis } = await open();
    await server.ask("REPLICAOF", "127.0.0.1", "1");
    let closed = 0;
    redis.on("close", () => (closed += 1));
    await expect(queue.enqueueSpend(spent("a"), 0)).rejects.toMatchObject({ applied: "no" });
    await vi.waitFor(() => expect(closed).toBe(1));
  });

  test.each([
    ["the stream", keys.stream],
    ["the set of ids", keys.waiting],
    ["what a subject has waiting", keys.hotOf("team:red")],
    ["a hash of known ids", keys.shardOf(digestOf("new"))[1]],
  ])("changes nothing where another program has made something else of %s", async (_what, key) => {
    const { server, redis, queue } = await open();
    await server.ask("SET", key, "theirs");
    await expect(queue.enqueueSpend(spent("new"), 0)).rejects.toMatchObject({
      applied: "no",
      message: expect.stringContaining("WRONGTYPE"),
    });
    expect(await redis.keys("*")).toEqual([key]);
    expect(await server.ask("GET", key)).toBe("theirs");
    await server.ask("DEL", key);
    expect(await queue.enqueueSpend(spent("new"), 0)).toBe("queued");
    expect(await waitingIn(queue)).toEqual([7n, 7n, 1]);
  });

  test("stays in the queue, unchanged, where a key that taking it out needs has become something else", async () => {
    const { server, queue } = await open();
    await queue.enqueueSpend(spent("a"), 0);
    const { items } = await queue.peekSpend(1);
    for (const key of keys.shardOf(digestOf("a"))) await server.ask("SET", key, "theirs");
    await expect(queue.ackSpend(items[0]!.position, 1)).rejects.toMatchObject({ applied: "no" });
    expect(await waitingIn(queue)).toEqual([7n, 7n, 1]);
    await server.ask("DEL", ...keys.shardOf(digestOf("a")));
    expect(await queue.ackSpend(items[0]!.position, 1)).toBe(true);
  });

  test("that one neighbour in a call cannot be added keeps no other from it", async () => {
    const { server, queue } = await open();
    await server.ask("HSET", keys.hotOf("key:full"), "1", "9223372036854775800");
    const full = { kind: "key", id: "full" } as const;
    const [one, two, three] = await Promise.allSettled([
      queue.enqueueSpend(spent("a"), 0),
      queue.enqueueSpend(spent("b", { subjects: [team, full], cost: 8 }), 0),
      queue.enqueueSpend(spent("c"), 0),
    ]);
    expect([one, three]).toMatchObject([{ value: "queued" }, { value: "queued" }]);
    expect(two).toMatchObject({ reason: { applied: "no", message: expect.stringContaining("overflow") } });
    expect(await waitingIn(queue)).toEqual([14n, 14n, 2]);
    expect(await queue.hotSpend(full)).toBe(9223372036854775800n);
    expect(await drained(queue)).toEqual(["a", "c"]);
  });

  test("of an index that is damaged is not guessed at, and taken out only once that is mended", async () => {
    const { server, queue } = await open();
    await queue.enqueueSpend(spent("a"), 0);
    const { items } = await queue.peekSpend(1);
    await server.ask("HSET", keys.hotOf("key:alice"), "1", "much");
    await expect(queue.hotSpend(alice)).rejects.toThrow(StoreError);
    await expect(queue.hotSpendSince(alice, 0)).rejects.toThrow("key:alice");
    await expect(queue.ackSpend(items[0]!.position, 1)).rejects.toMatchObject({
      applied: "no",
      message: expect.stringContaining("damaged"),
    });
    expect(await queue.hotSpend(team)).toBe(7n);
    await server.ask("DEL", keys.hotOf("key:alice"));
    expect(await queue.ackSpend(items[0]!.position, 1)).toBe(true);
    expect(await waitingIn(queue)).toEqual([0n, 0n, 0]);
  });

  test("stops at what somebody else has put into the stream, which can be set aside", async () => {
    const { server, queue } = await open();
    await queue.enqueueSpend(spent("a"), 0);
    await server.ask("XADD", keys.stream, "*", "theirs", "1");
    await queue.enqueueSpend(spent("b"), 0);
    const { items, damaged } = await queue.peekSpend(9);
    expect(items).toHaveLength(1);
    expect(damaged).toMatchObject({ raw: '["theirs","1"]', why: expect.stringContaining("no request id") });
    expect(await queue.ackSpend(items[0]!.position, 1)).toBe(true);
    expect(await queue.ackSpend(damaged!.position, 1)).toBe(true);
    expect(await waitingIn(queue)).toEqual([7n, 7n, 1]);
  });

  test("that a failover has put at the place of what was seen is not taken out for it", async () => {
    const { server, queue } = await open();
    for (const id of ["a", "b"]) await queue.enqueueSpend(spent(id), 0);
    const { items } = await queue.peekSpend(2);
    const place = items[1]!.position.split(":")[0]!;
    // The replica had not heard of b, and has something else at its place since.
    const kept = items[0]!.position.split(":")[0]!;
    const { event, raw } = items[0]!;
    await server.ask("DEL", keys.stream);
    await server.ask("XADD", keys.stream, kept, "id", event.requestId, "event", raw);
    await server.ask("XADD", keys.stream, place, "id", "other", "event", raw);
    expect(await queue.ackSpend(items[0]!.position, 2)).toBe(false);
    expect((await queue.backlog()).waiting).toBe(2);
  });
});

describeWithRedis("spend in Redis", () => {
  const place = places();
  const open = async (options?: Parameters<typeof createRedisSpendQueue>[1]) => {
    const { server, open: connect } = await place();
    const { redis } = await connect();
    return { server, redis, queue: await createRedisSpendQueue(redis, options) };
  };

  test("adds up exactly beyond what a number of Lua or JavaScript can hold", async () => {
    const { queue } = await open();
    for (const [i, cost] of [MOST, MOST, 3].entries())
      await queue.enqueueSpend(spent(String(i), { cost }), 0);
    expect(await queue.hotSpend(alice)).toBe(2n * BigInt(MOST) + 3n);
    const { items } = await queue.peekSpend(2);
    await queue.ackSpend(items[0]!.position, 2);
    expect(await waitingIn(queue)).toEqual([3n, 3n, 1]);
  });

  test("never ends by itself while it waits; ids that are acknowledged do, after the time that was said and before twice of it", async () => {
    const { redis, queue } = await open({ rememberMs: 600_000 });
    for (let i = 0; i < 20; i += 1) await queue.enqueueSpend(spent(String(i)), 0);
    const { items } = await queue.peekSpend(10);
    await queue.ackSpend(items[0]!.position, 10);
    for (const key of await redis.keys("*")) {
      const left = await redis.pttl(key);
      if (!key.includes(":known:")) expect([key, left]).toEqual([key, -1]);
      else {
        expect(left).toBeGreaterThan(600_000 - 30_000);
        expect(left).toBeLessThanOrEqual(1_200_000);
      }
    }
    await drained(queue);
    // Nothing stays of what waited but the stream's memory of its last place.
    expect((await redis.keys("*")).filter((key) => !key.includes(":known:"))).toEqual([keys.stream]);
  });

  test("is queued anew when the queue has forgotten its id", async () => {
    const { queue } = await open({ rememberMs: 1 });
    await queue.enqueueSpend(spent("a"), 0);
    await drained(queue);
    await vi.waitFor(async () => expect(await queue.enqueueSpend(spent("a"), 0)).toBe("queued"));
  });

  test("that is handed in at once goes together, and that of others is not mixed up with it", async () => {
    const { server, queue } = await open();
    await server.ask("CONFIG", "RESETSTAT");
    const ids = Array.from({ length: 200 }, (_, i) => String(i % 150));
    const said = await Promise.all(ids.map((id) => queue.enqueueSpend(spent(id), 0)));
    expect(said.map((one) => one === "known")).toEqual(ids.map((_, i) => i >= 150));
    const [, calls = ""] = /cmdstat_evalsha:calls=(\d+)/.exec(await server.ask("INFO", "commandstats")) ?? [];
    expect(Number(calls)).toBeLessThanOrEqual(4);
    expect(await drained(queue)).toEqual(ids.slice(0, 150));
  });

  test("warns of a server that evicts, and is refused a prefix with braces and a time that is none", async () => {
    const server = await startRedisServer({
      settings: ["--maxmemory", "1gb", "--maxmemory-policy", "allkeys-lru"],
    });
    const redis = await openRedis(server.url);
    const warnings: string[] = [];
    await createRedisSpendQueue(redis, { onWarning: (warning) => warnings.push(warning) });
    expect(warnings).toEqual([expect.stringMatching(/allkeys-lru.*money lost.*noeviction/)]);
    await expect(createRedisSpendQueue(redis, { prefix: "{" })).rejects.toMatchObject({ field: "prefix" });
    await expect(createRedisSpendQueue(redis, { rememberMs: 0 })).rejects.toMatchObject({
      field: "rememberMs",
    });
    redis.disconnect();
    await server.stop();
  });

  test(
    "survives kill -9 at any point where every command is appended before its answer",
    { timeout: 60_000 },
    async () => {
      const server = await startRedisServer({ settings: ["--appendonly", "yes", "--appendfsync", "always"] });
      const proxy = await startFaultProxy(server.port);
      const redis = (await openRedis(proxy.url, { timeoutMs: 500 })) as Redis;
      const queue = await createRedisSpendQueue(redis, { timeoutMs: 500 });
      const ledger = new Map<string, number>();
      const promised = new Set<string>();
      let next = 0;
      for (let round = 0; round < 4; round += 1) {
        const over = { value: false };
        const writers = Array.from({ length: 4 }, async () => {
          while (!over.value) {
            const id = String((next += 1));
            await untilAnswered(() => queue.enqueueSpend(spent(id, { cost: Number(id) }), 0));
            promised.add(id);
          }
        });
        const flusher = (async () => {
          while (!over.value) await flush(queue, ledger);
        })();
        const enough = promised.size + 20 + 17 * round;
        await vi.waitFor(() => expect(promised.size).toBeGreaterThan(enough), {
          timeout: 20_000,
          interval: 1,
        });
        await server.kill();
        await server.start();
        over.value = true;
        await Promise.all([...writers, flusher]);
      }
      while ((await queue.backlog()).waiting > 0) await flush(queue, ledger);
      expect([...promised].filter((id) => ledger.get(id) !== Number(id))).toEqual([]);
      expect(ledger.size).toBe(promised.size);
      expect(await waitingIn(queue)).toEqual([0n, 0n, 0]);
      redis.disconnect();
      await proxy.stop();
      await server.stop();
    },
  );
});

describeWithRedis("while Redis is away", () => {
  const place = places();

  test("nothing is known of deployments, nothing is kept, and the logger alone is told; texts that must be right are errors", async () => {
    const { server, open } = await place();
    const { redis } = await open();
    const warnings: unknown[] = [];
    const logger = { warn: (entry: unknown) => void warnings.push(entry) };
    const live = createRedisLiveState(redis, { logger });
    const affinity = createRedisAffinity(redis, { timeoutMs: 500, logger });
    await server.kill();
    await live.recordFailure("a", { allowed: 1, cooldownMs: 1_000 }, 0);
    await live.addLatency("a", 1, 0);
    await live.addUsage("a", 1, 0);
    expect(await live.cooled(["a"], 0)).toEqual(new Map());
    expect(await live.latencies(["a"], 0)).toEqual(new Map());
    expect(await live.usages(["a"], 0)).toEqual(new Map());
    expect([await live.hitRpm("a", 0), await live.hitTpm("a", 1, 0)]).toEqual([undefined, undefined]);
    await affinity.setString({ key: "k", value: "v", ttlMs: 1_000 }, 0);
    expect(await affinity.getString("k", 0)).toBeUndefined();
    await expect(affinity.readAffinity("k", 0)).rejects.toThrow(StoreError);
    expect(warnings).toContainEqual({ scope: "quota:live", err: expect.any(Error) as unknown });
    expect(warnings).toContainEqual({ scope: "quota:affinity", err: expect.any(Error) as unknown });
    const change = { key: "k", expected: undefined, value: "v", ttlMs: 1_000 };
    await expect(affinity.compareAffinity(change, 0)).rejects.toThrow(StoreError);
  });

  test("one deployment whose key has become something else hides no other", async () => {
    const { server, open } = await place();
    const { redis } = await open();
    const live = createRedisLiveState(redis);
    for (const id of ["a", "b"]) await live.addLatency(id, 10, 0);
    await server.ask("SET", "quota:live{a}:latency", "theirs");
    expect(await live.latencies(["a", "b"], 0)).toEqual(new Map([["b", 10]]));
  });
});

/** One turn of a flusher whose ledger knows each id once; a failure changes nothing that matters. */
async function flush(queue: SpendQueue, ledger: Map<string, number>): Promise<void> {
  try {
    const { items } = await queue.peekSpend(50);
    for (const { event } of items)
      if (!ledger.has(event.requestId)) ledger.set(event.requestId, event.cost as number);
    if (items.length > 0) await queue.ackSpend(items[0]!.position, items.length);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
  // A server that is away says so at once: others want their turn.
  await turn();
}

/** Asks again while the connection is made anew. */
async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  let answer: { readonly value: Answer } | undefined;
  await vi.waitFor(
    async () => {
      answer = { value: await ask() };
    },
    { timeout: 20_000, interval: 10 },
  );
  return answer!.value;
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function isScript([name = ""]: readonly string[]): boolean {
  return /^eval/i.test(name);
}
