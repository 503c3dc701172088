import { StoreError, type UsageStore } from "@quota/engine";
import type { Fate } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { expect, test, vi } from "vitest";
import { openRedis } from "../src/index.js";
import { counted, counterOf, everyone, newTally, one, oneOf, tallied } from "./counting.js";
import { places } from "./places.js";

const READONLY =
  "-ERR Error running script (call to f_d1): @user_script:48: -READONLY You can't write against a read only replica.";

describeWithRedis("when something goes wrong with Redis", () => {
  const place = places();

  test("a restart fails what is asked meanwhile; then counting goes on where it was", async () => {
    const { server, open } = await place({ settings: ["--appendonly", "yes", "--appendfsync", "always"] });
    const { store } = await open();
    const tally = newTally();
    await traffic(store, 200, tally);
    const under = traffic(store, 2_000, tally);
    await server.kill();
    await under;
    expect(tally.failed).toBeGreaterThan(0);
    await server.start();
    await recovered(store, tally);
    await traffic(store, 100, tally);
    await expectAcknowledged(store, tally);
  });

  test("scripts that are flushed between any two commands are loaded again", async () => {
    const { server, proxy, open } = await place();
    const { store } = await open();
    proxy.onCommand = async (words): Promise<Fate> => {
      if (isScript(words)) await server.ask("SCRIPT", "FLUSH");
      return "pass";
    };
    for (let i = 0; i < 10; i += 1) await store.transact(one());
    const answers = await Promise.all(Array.from({ length: 20 }, () => store.transact(oneOf(15))));
    expect(answers.filter(Boolean)).toHaveLength(5);
    expect(await counted(store)).toBe(15);
  });

  test("after a FLUSHALL in mid-traffic everything is counted from 0, and nothing is written back", async () => {
    const { server, open } = await place();
    const { store } = await open();
    const { store: neighbour } = await open();
    const tally = newTally();
    const under = traffic(store, 500, tally);
    await server.ask("FLUSHALL");
    await under;
    await traffic(store, 50, tally);
    expect(tally).toEqual({ counted: 550, failed: 0, unknown: 0 });

    await server.ask("FLUSHALL");
    await Promise.all([traffic(store, 40, newTally()), traffic(neighbour, 40, newTally())]);
    expect(await counted(store)).toBe(80);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? store : neighbour).transact(oneOf(100))),
    );
    expect(answers.filter(Boolean)).toHaveLength(20);
  });

  test("a paused server, which accepts and never answers, is given up, and nothing queues", async () => {
    const { server, open } = await place();
    const { store, redis } = await open();
    const tally = newTally();
    await traffic(store, 100, tally);
    server.pause();
    // They end while the server is still paused.
    for (let round = 0; round < 4; round += 1) {
      await traffic(store, 50, tally);
      expect(stepsIn(redis).length).toBeLessThanOrEqual(1);
    }
    expect(tally.counted).toBe(100);
    expect(tally.failed + tally.unknown).toBe(200);
    expect(tally.unknown).toBeLessThanOrEqual(50);
    server.resume();
    await recovered(store, tally);
    await expectAcknowledged(store, tally);
  });

  test("a server that is gone fails every step at once", async () => {
    const { server, open } = await place();
    const { store, redis } = await open({ timeoutMs: 20_000 });
    await server.kill();
    await vi.waitFor(() => expect(redis.status).not.toBe("ready"), 10_000);
    const tally = newTally();
    // Long before the time-out, or this test would not end in time.
    await traffic(store, 200, tally);
    expect(tally).toEqual({ counted: 0, failed: 200, unknown: 0 });
    expect(stepsIn(redis)).toEqual([]);
  });

  test.each(["drop", "cut"] as const)(
    "a reply that is lost after the commit (%s) leaves the step unknown, counted once, and never sent again",
    async (fate) => {
      const { server, proxy, open } = await place();
      const { store } = await open();
      // Until both scripts are known to the server.
      for (let i = 0; i < 3; i += 1) await store.transact(one());
      await server.ask("CONFIG", "RESETSTAT");
      proxy.onReply = (_reply, words) => (isScript(words) ? fate : "pass");
      const error: unknown = await store.transact(one()).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StoreError);
      expect(error).toMatchObject({ applied: "unknown" });
      proxy.onReply = undefined;
      const tally = newTally();
      await recovered(store, tally);
      expect(await counted(store)).toBe(4 + tally.counted);
      expect(await server.ask("INFO", "commandstats")).toContain(
        `cmdstat_evalsha:calls=${String(1 + tally.counted)},`,
      );
    },
  );

  test("a step that only asks, and whose reply is lost, was not applied", async () => {
    const { proxy, open } = await place();
    const { store } = await open();
    proxy.onReply = (_reply, words) => (isScript(words) ? "cut" : "pass");
    await expect(store.transact(oneOf(0))).rejects.toMatchObject({ applied: "no" });
  });

  test("replies that come twice are not taken for the answers to what was asked next", async () => {
    const { proxy, open } = await place();
    const { store } = await open();
    const tally = newTally();
    await traffic(store, 20, tally);
    let replies = 0;
    proxy.onReply = (_reply, words) => (isScript(words) && (replies += 1) % 7 === 3 ? "twice" : "pass");
    for (let i = 0; i < 40; i += 1) await traffic(store, 5, tally);
    expect(replies).toBeGreaterThan(7);
    proxy.onReply = undefined;
    await recovered(store, tally);
    await expectAcknowledged(store, tally);
  });

  test("a replica that is promoted takes over; what it had not heard of is lost, nothing else", async () => {
    const { server: first, proxy, open } = await place();
    const { server: second } = await place();
    await second.ask("REPLICAOF", "127.0.0.1", String(first.port));
    await vi.waitFor(
      async () => expect(await second.ask("INFO", "replication")).toContain("link_status:up"),
      {
        timeout: 20_000,
        interval: 50,
      },
    );
    const { store } = await open();
    const tally = newTally();
    await traffic(store, 100, tally);
    expect(await first.ask("WAIT", "1", "5000")).toBe("1");
    await second.ask("REPLICAOF", "NO", "ONE");
    await first.ask("REPLICAOF", "127.0.0.1", String(second.port));
    proxy.target = second.port;
    // Whoever still talks to the first is told that it is READONLY, and looks again where the address leads.
    await recovered(store, tally);
    expect(tally.failed).toBeGreaterThan(0);
    expect(tally.unknown).toBe(0);
    await expectAcknowledged(store, tally);
  });

  test("READONLY in the middle of a message means that nothing was done, and that it is time to connect anew", async () => {
    const { proxy, open } = await place();
    const { store, redis } = await open();
    await store.transact(one());
    let closed = 0;
    redis.on("close", () => (closed += 1));
    proxy.onCommand = (words) => (isScript(words) ? { answer: READONLY } : "pass");
    await expect(store.transact(one())).rejects.toMatchObject({ applied: "no" });
    proxy.onCommand = undefined;
    await recovered(store, newTally());
    expect(closed).toBe(1);
  });

  test.each(["noeviction", "allkeys-lru"])(
    "out of memory under %s nothing is half written, and room is used as soon as there is some",
    async (policy) => {
      const { server, open } = await place({ settings: ["--maxmemory-policy", policy] });
      const { store } = await open();
      const counters = Array.from({ length: 8 }, (_, i) => counterOf(`key ${String(i)}`, i));
      await store.transact(one(counters));
      await server.ask("CONFIG", "SET", "maxmemory", "1");
      const error: unknown = await store.transact(one(counters)).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ applied: "no" });
      expect(String(error)).toContain("OOM");
      await server.ask("CONFIG", "SET", "maxmemory", "0");
      const whole = await store.read("ledger", counters);
      expect(new Set(whole).size).toBe(1);
      await store.transact(one(counters));
      expect(await store.read("ledger", counters)).toEqual(whole.map((amount) => amount + 1));
    },
  );

  test("a wrong password is said at once, by a sentence, and nothing stays open", async () => {
    const { server, proxy } = await place({ settings: ["--requirepass", "right"] });
    const wrong = proxy.url.replace("://", "://:wrong@");
    const error: unknown = await openRedis(wrong).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreError);
    expect(String(error)).toContain("WRONGPASS");
    expect(String(error)).not.toContain("wrong@");
    await vi.waitFor(() => expect(proxy.connections).toBe(0));
    const redis = await openRedis(server.url.replace("://", "://:right@"));
    expect(await redis.call("ping")).toBe("PONG");
    redis.disconnect();
    redis.disconnect();
  });

  test("other programs' keys in the same database stay what they are", async () => {
    const { server, open } = await place();
    await server.ask("SET", "{ledger}:1", "theirs");
    await server.ask("HSET", "other:{ledger}:1", "everyone", "7");
    const { store } = await open({ prefix: "ours:" });
    const { store: neighbour } = await open({ prefix: "theirs:" });
    await store.transact(one());
    await neighbour.transact(one());
    await neighbour.transact(one());
    expect([await counted(store), await counted(neighbour)]).toEqual([1, 2]);
    expect(await server.ask("GET", "{ledger}:1")).toBe("theirs");
    expect(await server.ask("HGET", "other:{ledger}:1", "everyone")).toBe("7");
  });

  test("a key of ours that another program has made something else of fails the step, which changes nothing", async () => {
    const { server, open } = await place();
    const { store } = await open();
    await server.ask("SET", "quota:{ledger}:1", "theirs");
    await expect(store.transact(one())).rejects.toMatchObject({ applied: "no" });
    expect(await server.ask("GET", "quota:{ledger}:1")).toBe("theirs");
  });

  test("a key that has become something else after another was written leaves the step unknown", async () => {
    const { server, open } = await place();
    const { store } = await open();
    const counters = [everyone, counterOf("a", 2)];
    await store.transact(one(counters));
    await server.ask("DEL", "quota:{ledger}:2");
    await server.ask("SET", "quota:{ledger}:2", "theirs");
    await expect(store.transact(one(counters))).rejects.toMatchObject({ applied: "unknown" });
    expect(await counted(store)).toBe(2);
    // Read anew, it is seen before anything is written.
    await expect(store.transact(one(counters))).rejects.toMatchObject({ applied: "no" });
    expect(await counted(store)).toBe(2);
  });

  test("every key has an end after every path, and one that has lost it is given one", async () => {
    const { open } = await place();
    const { store, redis } = await open();
    const { store: neighbour } = await open();
    const counters = [everyone, counterOf("a", 2), counterOf("b", 3)];
    const endless = async (): Promise<readonly string[]> => {
      const keys = await redis.keys("*");
      const left = await Promise.all(keys.map((key) => redis.pttl(key)));
      expect(keys.length).toBeGreaterThan(0);
      return keys.filter((_, i) => left[i]! <= 0 || left[i]! > 3_600_000);
    };
    await store.transact(one(counters));
    expect(await endless()).toEqual([]);
    await neighbour.transact(one([counterOf("c"), ...counters]));
    await Promise.all([
      store.transact(one(counters)),
      neighbour.transact(oneOf(9)),
      store.transact(oneOf(0)),
    ]);
    expect(await endless()).toEqual([]);

    await Promise.all((await redis.keys("*:*:*")).map((key) => redis.persist(key)));
    expect(await endless()).not.toEqual([]);
    const { store: third } = await open();
    await third.transact(one(counters));
    expect(await endless()).toEqual([]);
  });
});

describeWithRedis("a hash that has lost its end", () => {
  const place = places();
  const KEY = "quota:{ledger}:1";

  test("is given one by a process that only reads it, and remembers it", async () => {
    const { server, open } = await place();
    const { store } = await open();
    await store.transact(one());
    await server.ask("PERSIST", KEY);
    // Nobody else has changed the ledger, so one look at its head is all that is needed.
    await vi.waitFor(
      async () => {
        await store.transact(oneOf(0));
        expect(Number(await server.ask("PTTL", KEY))).toBeGreaterThan(0);
      },
      { timeout: 5_000, interval: 50 },
    );
  });

  test("is looked at again soon where the script came to nothing", async () => {
    const { server, proxy, open } = await place();
    const { store } = await open();
    await store.transact(one());
    await server.ask("PERSIST", KEY);
    const { store: second } = await open();
    proxy.onCommand = (words) => (isScript(words) ? { answer: "-ERR not now" } : "pass");
    await expect(second.transact(oneOf(0))).rejects.toMatchObject({ applied: "no" });
    proxy.onCommand = undefined;
    await second.transact(oneOf(0));
    expect(Number(await server.ask("PTTL", KEY))).toBeGreaterThan(0);
  });
});

/** Counts so many times, a few at once. */
async function traffic(store: UsageStore, times: number, tally: ReturnType<typeof newTally>): Promise<void> {
  let begun = 0;
  await Promise.all(
    Array.from({ length: Math.min(times, 50) }, async () => {
      while (begun < times) {
        begun += 1;
        await tallied(tally, store.transact(one()));
      }
    }),
  );
}

/** Asks until a step is counted: nobody does anything else about it. */
async function recovered(store: UsageStore, tally: ReturnType<typeof newTally>): Promise<void> {
  const before = tally.counted;
  await vi.waitFor(
    async () => {
      await tallied(tally, store.transact(one()));
      expect(tally.counted).toBeGreaterThan(before);
    },
    { timeout: 20_000, interval: 20 },
  );
}

/** What callers were told was counted is; what they were told was not is not. */
async function expectAcknowledged(store: UsageStore, tally: ReturnType<typeof newTally>): Promise<void> {
  const amount = await counted(store);
  expect(amount).toBeGreaterThanOrEqual(tally.counted);
  expect(amount).toBeLessThanOrEqual(tally.counted + tally.unknown);
}

function isScript([name = ""]: readonly string[]): boolean {
  return /^eval/i.test(name);
}

/** The steps that a client holds. A connection that is being made has commands of its own. */
function stepsIn(redis: unknown): readonly string[] {
  const { commandQueue, offlineQueue } = redis as Record<
    "commandQueue" | "offlineQueue",
    { toArray(): readonly { readonly command: { readonly name: string } }[] }
  >;
  return [...commandQueue.toArray(), ...offlineQueue.toArray()]
    .map(({ command }) => command.name)
    .filter((name) => name.startsWith("eval"));
}
