import {
  createMemoryUsageStore,
  ContendedError,
  quotaHooks,
  StoreError,
  type Logger,
  type UsageStore,
} from "@quota/engine";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, test, vi } from "vitest";
import { engineOver, HOURLY_100, START, switchable } from "./engineOver.js";

const HOUR = 3_600_000;
const LEASE = 600_000;

describe("sharing", () => {
  it("lets bob borrow past his share while the pool is generous, then holds everybody to theirs", async () => {
    const { spend } = await engineOver();
    for (let i = 0; i < 50; i += 1) expect((await spend("bob")).status).toBe("allowed");
    expect(await spend("bob")).toMatchObject({
      status: "refused",
      reason: "fair-share",
      decidedBy: "requests/hourly",
    });
    expect((await spend("alice")).status).toBe("allowed");
    expect((await spend("carol")).status).toBe("allowed");
  });

  it("never admits past the ceiling, however many ask at once", async () => {
    const { engine, admit, dimension } = await engineOver({ pool: { saturationThreshold: 1 } });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => admit(["alice", "bob", "carol"][i % 3]!)),
    );
    const leases = answers.flatMap(({ lease }) => lease ?? []);
    expect(leases).toHaveLength(100);
    expect(await dimension()).toMatchObject({ consumedTotal: 0, held: 100 });
    await Promise.all(leases.map((lease) => engine.settle(lease)));
    expect(await dimension()).toMatchObject({ consumedTotal: 100, held: 0 });
  });

  it("admits one of eight requests that would all fit alone (cap 2 USD, 1.50 used, 0.50 each)", async () => {
    const pool = { allocations: [{ apiKeyId: "a", weight: 100, capValue: 2, capUnit: "usd" as const }] };
    const { engine, admit, spend, key } = await engineOver({
      pool,
      dimensions: [{ unit: "usd", window: "daily", limit: "unknown" }],
    });
    await spend("a", { usd: 1.5 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => admit("a", { usd: 0.5 })));
    const admitted = answers.filter(({ decision }) => decision.allowed);
    expect(admitted).toHaveLength(1);
    await engine.settle(admitted[0]!.lease!, { usd: 0.5 });
    expect(await key("a")).toMatchObject({ consumed: 2_000_000_000, held: 0 });
  });

  test.each([
    ["0.1 then 0.7 under a cap of 0.8", [0.1, 0.7], 0.8],
    ["0.3 then 0.6 under a cap of 0.9", [0.3, 0.6], 0.9],
    ["0.7 three times under a cap of 2.1", [0.7, 0.7, 0.7], 2.1],
  ])("meets a cap exactly: %s", async (_sentence, spends, capValue) => {
    const pool = { allocations: [{ apiKeyId: "a", weight: 100, capValue, capUnit: "usd" as const }] };
    const { spend } = await engineOver({ pool, dimensions: [{ unit: "usd", window: "daily", limit: 100 }] });
    for (const usd of spends) expect((await spend("a", { usd })).status).toBe("allowed");
    expect(await spend("a", { usd: 0.000000001 })).toMatchObject({ reason: "cap-absolute" });
  });

  test.each([
    ["borrow", 49, { status: "allowed" }],
    ["borrow", 50, { reason: "fair-share" }],
    ["deny", 0, { status: "refused", reason: "not-allocated", dimensions: [] }],
    ["allow", 99, { status: "allowed" }],
    ["allow", 100, { reason: "global-saturated" }],
  ] as const)(
    "a key without an allocation, unallocated %s, %i used: %o",
    async (unallocated, used, expected) => {
      const { admit, engine, caller } = await engineOver({ pool: { unallocated } });
      await engine.consume({ ...caller("alice"), amounts: { requests: used } });
      expect((await admit("mallory")).decision).toMatchObject(expected);
    },
  );

  it("a cost above the limit can never pass, and says so without a time", async () => {
    const { admit } = await engineOver({ dimensions: [{ unit: "tokens", window: "5h", limit: 1000 }] });
    const { decision } = await admit("alice", { tokens: 1001 });
    expect(decision).toMatchObject({ reason: "too-large" });
    expect(decision).not.toHaveProperty("retryAt");
  });

  it("a key with a small share can send one large prompt, even in strict mode", async () => {
    const { spend } = await engineOver({ dimensions: [{ unit: "tokens", window: "5h", limit: 1000 }] });
    await spend("alice", { tokens: 500 });
    expect((await spend("carol", { tokens: 400 })).status).toBe("allowed");
    expect(await spend("carol", { tokens: 1 })).toMatchObject({ reason: "fair-share" });
  });

  it("opens at retryAt, and not a millisecond before", async () => {
    const { spend, admit, time } = await engineOver();
    for (let i = 0; i < 50; i += 1) await spend("bob");
    const { decision } = await admit("bob");
    const retryAt = decision.status === "refused" ? decision.retryAt! : NaN;
    time.now = retryAt - 1;
    expect((await admit("bob")).decision).toMatchObject({ reason: "fair-share", retryAt });
    time.now = retryAt;
    expect((await admit("bob")).decision.status).toBe("allowed");
  });
});

describe("a connection that nobody shares", () => {
  it("is passed through, and the decision says so", async () => {
    const { engine } = await engineOver();
    const { decision, lease } = await engine.admit({
      apiKeyId: "a",
      connectionId: "other",
      provider: "kimi",
    });
    expect(decision).toMatchObject({ status: "ungoverned", why: "no-pool" });
    await engine.settle(lease!, { tokens: 1 });
    expect(engine.status().openLeases).toBe(0);
  });
  it("with a pool but an empty plan, too", async () => {
    const { admit, setPlan } = await engineOver({ pool: { unallocated: "deny" } });
    await setPlan([]);
    expect((await admit("mallory")).decision).toMatchObject({ status: "ungoverned", why: "empty-plan" });
  });
});

describe("a lease", () => {
  it("is settled once: later settlements and releases change nothing", async () => {
    const { engine, admit, key } = await engineOver();
    const { lease } = await admit("alice");
    await Promise.all([
      engine.settle(lease!),
      engine.settle(lease!, { requests: 9 }),
      engine.release(lease!),
    ]);
    await engine.settle(lease!);
    expect(await key("alice")).toMatchObject({ consumed: 1, held: 0 });
    expect(lease!.state).toBe("settled");
  });

  it("that is released costs nothing, also after two thirds of it were other failures", async () => {
    const pool = { allocations: [{ apiKeyId: "a", weight: 100 }] };
    const { engine, admit, key } = await engineOver({
      pool,
      dimensions: [{ unit: "usd", window: "daily", limit: 10 }],
    });
    const leases = (await Promise.all(Array.from({ length: 8 }, () => admit("a", { usd: 0.17 })))).map(
      ({ lease }) => lease!,
    );
    expect(await key("a")).toMatchObject({ held: 8 * 170_000_000 });
    for (const lease of leases.slice(0, 2)) await engine.settle(lease, { usd: 0.05 });
    for (const lease of leases.slice(2)) await engine.release(lease);
    expect(await key("a")).toMatchObject({ consumed: 100_000_000, held: 0 });
  });

  it("records an overdraft in full, and shows that nothing is left", async () => {
    const { engine, admit, key } = await engineOver({
      dimensions: [{ unit: "tokens", window: "5h", limit: 1000 }],
    });
    const { lease } = await admit("alice", { tokens: 10 });
    await engine.settle(lease!, { tokens: 5000 });
    expect(await key("alice")).toMatchObject({ consumed: 5000, remaining: 0, available: 0, deficit: 4500 });
  });

  it("costs its estimate in a unit that the settlement leaves out, and 0 where it says 0", async () => {
    const dimensions = [...HOURLY_100, { unit: "tokens", window: "5h", limit: 1000 } as const];
    const { engine, admit, key } = await engineOver({ dimensions });
    await engine.settle((await admit("alice", { tokens: 40 })).lease!);
    await engine.settle((await admit("alice", { tokens: 40 })).lease!, { tokens: 0 });
    expect([(await key("alice", 0)).consumed, (await key("alice", 1)).consumed]).toEqual([2, 40]);
  });

  test.each([NaN, Infinity, -1, 0.5, true, "0.1", null, 1e308])(
    "stays open when the actual amount is %s",
    async (tokens) => {
      const { engine, admit, key } = await engineOver({
        dimensions: [{ unit: "tokens", window: "5h", limit: 1000 }],
      });
      const { lease } = await admit("alice", { tokens: 10 });
      await expect(engine.settle(lease!, { tokens: tokens as number })).rejects.toMatchObject({
        code: "invalid-amount",
        field: "actual.tokens",
      });
      expect(lease!.state).toBe("open");
      expect(await key("alice")).toMatchObject({ consumed: 0, held: 10 });
      await engine.settle(lease!, { tokens: 12 });
      expect(await key("alice")).toMatchObject({ consumed: 12, held: 0 });
    },
  );

  test.each([NaN, Infinity, -0.847665, -58035, true, "0.1", null, 1e308])(
    "is not given for an estimate of %s",
    async (tokens) => {
      const { admit, key } = await engineOver({
        dimensions: [{ unit: "tokens", window: "5h", limit: 1000 }],
      });
      await expect(admit("alice", { tokens: tokens as number })).rejects.toMatchObject({
        field: "estimate.tokens",
      });
      expect(await key("alice")).toMatchObject({ consumed: 0, held: 0 });
    },
  );

  it("of another engine is refused", async () => {
    const { admit, another } = await engineOver();
    const { lease } = await admit("alice");
    await expect(another().settle(lease!)).rejects.toThrow("not opened by this engine");
  });

  test.each(["", "x".repeat(1_000_000), "\ud800", 7, undefined])(
    "is not given to an id that is none: %#",
    async (id) => {
      const { admit } = await engineOver();
      await expect(admit(id as string)).rejects.toMatchObject({
        name: "QuotaConfigError",
        field: "apiKeyId",
      });
    },
  );
});

describe("odd ids", () => {
  const ids = [
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "a|b",
    "a",
    "b",
    "a:b",
    "{x}",
    "x",
    "::1",
    "%7c",
    "a%7cb",
    "ключ",
    "🔑",
  ];
  it("each have counters of their own, stand in the usage and leave Object alone", async () => {
    const { spend, dimension } = await engineOver({
      pool: { saturationThreshold: 1, allocations: ids.map((apiKeyId) => ({ apiKeyId, weight: 5 })) },
    });
    for (const [i, id] of ids.entries()) for (let n = 0; n <= i % 4; n += 1) await spend(id);
    expect(({} as Record<string, unknown>)["held"]).toBeUndefined();
    expect((await dimension()).perKey.map(({ apiKeyId, consumed }) => [apiKeyId, consumed])).toEqual(
      ids.map((id, i) => [id, (i % 4) + 1]),
    );
  });
});

describe("holds", () => {
  it("of a process that died are gone within two generations, in a weekly window too", async () => {
    const { admit, dimension, time } = await engineOver({
      dimensions: [{ unit: "requests", window: "weekly", limit: 100 }],
    });
    await admit("alice");
    time.now += LEASE;
    expect(await dimension()).toMatchObject({ held: 1 });
    time.now += LEASE;
    expect(await dimension()).toMatchObject({ held: 0, consumedTotal: 0 });
  });

  it("that have evaporated are not given back: a late settlement only adds", async () => {
    const { admit, engine, dimension, time, key } = await engineOver({
      dimensions: [{ unit: "requests", window: "weekly", limit: 100 }],
    });
    const { lease } = await admit("alice");
    time.now += 5 * LEASE;
    await engine.settle(lease!);
    expect(await dimension()).toMatchObject({ held: 0, consumedTotal: 1 });
    expect(await key("alice")).toMatchObject({ held: 0, consumed: 1 });
  });

  it("of long requests are renewed by one timer, and given back when they end", async () => {
    vi.useFakeTimers({ now: START });
    try {
      const { admit, engine, dimension } = await engineOver({
        clock: { now: () => Date.now() },
        dimensions: [{ unit: "requests", window: "weekly", limit: 100 }],
      });
      const leases = await Promise.all(["alice", "bob"].map(async (id) => (await admit(id)).lease!));
      expect(vi.getTimerCount()).toBe(1);
      await vi.advanceTimersByTimeAsync(7 * LEASE);
      expect(await dimension()).toMatchObject({ held: 2, consumedTotal: 0 });
      await Promise.all(leases.map((lease) => engine.settle(lease)));
      expect(await dimension()).toMatchObject({ held: 0, consumedTotal: 2 });
      await vi.advanceTimersByTimeAsync(2 * LEASE);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("lie in the generation of their request's own time, also when a later request overtakes it", async () => {
    const { engine, admit, key, time } = await engineOver();
    const { lease: open } = await admit("alice");
    time.now = START + LEASE - 1;
    const overtaken = admit("bob");
    time.now = START + LEASE;
    await engine.settle(open!);
    await engine.release((await overtaken).lease!);
    expect(await key("bob")).toMatchObject({ consumed: 0, held: 0 });
  });

  it("whose renewal got no answer are left to evaporate: settling only adds", async () => {
    vi.useFakeTimers({ now: START });
    try {
      const store = switchable(
        createMemoryUsageStore(),
        () => new StoreError("no answer", { applied: "unknown" }),
      );
      const { admit, engine, dimension } = await engineOver({ store, clock: { now: () => Date.now() } });
      const { lease } = await admit("alice");
      store.on = false;
      await vi.advanceTimersByTimeAsync(LEASE);
      store.on = true;
      await engine.settle(lease!);
      expect(await dimension()).toMatchObject({ consumedTotal: 1, held: 1 });
      await vi.advanceTimersByTimeAsync(LEASE);
      expect(await dimension()).toMatchObject({ held: 0 });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("time", () => {
  it("that steps back opens no bucket again", async () => {
    const { spend, time } = await engineOver({ pool: { saturationThreshold: 1 } });
    time.now = START + HOUR + 5;
    for (let i = 0; i < 100; i += 1) await spend("alice");
    time.now = START - HOUR;
    expect(await spend("alice")).toMatchObject({ reason: "global-saturated" });
  });

  it("that two engines tell differently lets no more through (limit 4, 10 s apart, around an edge)", async () => {
    const { another, caller, time } = await engineOver({
      dimensions: [{ unit: "requests", window: "hourly", limit: 4 }],
      pool: { saturationThreshold: 1 },
    });
    const engines = [another(), another({ clock: { now: () => time.now - 10_000 } })];
    let admitted = 0;
    for (let i = 0; i < 40; i += 1) {
      time.now = START + HOUR - 5_000 + i * 250;
      const engine = engines[i % 2]!;
      const { lease } = await engine.admit(caller("alice"));
      if (lease === undefined) continue;
      admitted += 1;
      await engine.settle(lease);
    }
    expect(admitted).toBe(4);
  });
});

describe("changes in mid-window", () => {
  it("a lower limit blocks at once with nothing left, a higher one opens at once", async () => {
    const { spend, setPlan, admit } = await engineOver();
    for (let i = 0; i < 40; i += 1) await spend("alice");
    await setPlan([{ unit: "requests", window: "hourly", limit: 10 }]);
    const { decision } = await admit("alice");
    expect(decision).toMatchObject({
      reason: "global-saturated",
      dimensions: [{ remaining: 0, available: 0 }],
    });
    await setPlan(HOURLY_100);
    expect((await admit("alice")).decision.status).toBe("allowed");
  });

  it("a fixed window that becomes a rolling one hands out nothing twice", async () => {
    const { engine, admit, caller, setPlan, time } = await engineOver({
      dimensions: [{ unit: "requests", window: "hourly", limit: 100, anchor: "epoch" }],
    });
    await engine.consume({ ...caller("alice"), amounts: { requests: 100 } });
    time.now = START + 1.25 * HOUR;
    await setPlan(HOURLY_100);
    expect((await admit("alice")).decision.dimensions[0]).toMatchObject({ total: 75, mode: "strict" });
  });

  it("a new dimension starts from its own window", async () => {
    const { spend, setPlan, dimension } = await engineOver();
    for (let i = 0; i < 40; i += 1) await spend("alice");
    await setPlan([...HOURLY_100, { unit: "requests", window: "weekly", limit: 10 }]);
    expect((await spend("alice")).status).toBe("allowed");
    expect(await dimension(1)).toMatchObject({ consumedTotal: 1 });
  });

  it("a pool deleted with requests in flight neither fails their settlement nor comes back with it", async () => {
    const { admit, engine, pools, pool } = await engineOver();
    const leases = (await Promise.all(Array.from({ length: 5 }, () => admit("alice")))).map(
      ({ lease }) => lease!,
    );
    await pools.delete(pool.id);
    for (const lease of leases) await engine.settle(lease);
    expect(await engine.usage(pool.id)).toBeUndefined();
    const { id, connectionId, name } = pool;
    await pools.create({ id, connectionId, name, allocations: [{ apiKeyId: "alice", weight: 50 }] }, START);
    expect((await engine.usage(id))!.dimensions[0]).toMatchObject({ consumedTotal: 0, held: 0 });
  });
});

describe("looking", () => {
  it("changes nothing: preview tells what admit would answer, peek what stands", async () => {
    const { engine, caller, dimension, admit } = await engineOver();
    await admit("bob");
    const before = await dimension();
    expect((await engine.preview({ ...caller("bob"), estimate: { requests: 101 } })).status).toBe("refused");
    expect((await engine.preview(caller("bob"))).status).toBe("allowed");
    expect((await engine.peek(caller("bob"))).dimensions[0]).toMatchObject({ used: 1, held: 1, cost: 0 });
    expect(await dimension()).toEqual(before);
  });

  it("a refused request changes no use and no hold", async () => {
    const { engine, caller, dimension, admit } = await engineOver();
    await engine.consume({ ...caller("bob"), amounts: { requests: 60 } });
    const before = await dimension();
    for (let i = 0; i < 20; i += 1) expect((await admit("bob")).decision.allowed).toBe(false);
    expect(await dimension()).toEqual(before);
  });

  it("usage agrees with what enforces: two keys of weight 0 have half each, and 30 of 50 is not borrowing", async () => {
    const pool = { allocations: ["a", "b"].map((apiKeyId) => ({ apiKeyId, weight: 0 })) };
    const { engine, caller, key, admit } = await engineOver({ pool });
    await engine.consume({ ...caller("a"), amounts: { requests: 30 } });
    expect(await key("a")).toMatchObject({ fairShare: 50, deficit: -20, borrowing: false, remaining: 20 });
    expect((await admit("a")).decision.dimensions[0]).toMatchObject({ share: 50 });
  });

  it("one weight of 0 beside others has no share of its own", async () => {
    const pool = {
      allocations: [
        { apiKeyId: "a", weight: 0 },
        { apiKeyId: "b", weight: 100 },
      ],
    };
    const { spend, key } = await engineOver({ pool });
    await spend("a");
    expect(await key("a")).toMatchObject({ fairShare: 0, borrowing: true });
  });

  it("usage of thousands of keys lets others have their turn, and leaves no key out", async () => {
    const allocations = Array.from({ length: 2000 }, (_, i) => ({ apiKeyId: `key ${i}`, weight: 0.05 }));
    const { engine, pool, caller } = await engineOver({ pool: { allocations } });
    await engine.consume({ ...caller("key 1999"), amounts: { requests: 7 } });
    const usage = engine.usage(pool.id);
    const first = await Promise.race([usage.then(() => "usage"), nextTurn("others")]);
    expect(first).toBe("others");
    const { perKey } = (await usage)!.dimensions[0]!;
    expect(perKey.map(({ apiKeyId }) => apiKeyId)).toEqual(allocations.map(({ apiKeyId }) => apiKeyId));
    expect(perKey[1999]).toMatchObject({ consumed: 7 });
  });

  it("counts keys without an allocation in the total, and tells the burn rate", async () => {
    const { spend, dimension, time } = await engineOver({
      dimensions: [{ unit: "tokens", window: "5h", limit: 10_000 }],
      pool: { saturationThreshold: 1 },
    });
    for (let i = 0; i < 4; i += 1) {
      time.now += 10_000;
      await spend("mallory", { tokens: 100 });
    }
    const seen = await dimension();
    expect(seen).toMatchObject({ consumedTotal: 400, burnRate: { perSecond: 10 } });
    expect(seen.burnRate.timeToExhaustionMs).toBe(((10_000 - 400) / 10) * 1000);
  });

  it("tells what keys without an allocation used, and what is free", async () => {
    const { engine, caller, dimension, admit, pools, pool } = await engineOver();
    const consume = (apiKeyId: string, requests: number) =>
      engine.consume({ ...caller(apiKeyId), amounts: { requests } });
    await consume("alice", 10);
    await consume("mallory", 20);
    await admit("bob");
    expect(await dimension()).toMatchObject({
      consumedTotal: 30,
      unallocated: 20,
      held: 1,
      free: 69,
      strictFrom: 0.5,
    });
    // Who leaves the pool leaves its use behind.
    await pools.update(pool.id, { allocations: [{ apiKeyId: "bob", weight: 30 }] });
    expect(await dimension()).toMatchObject({ consumedTotal: 30, unallocated: 30, held: 1, free: 69 });
    await consume("mallory", 100);
    expect(await dimension()).toMatchObject({ unallocated: 130, free: 0 });
  });

  it("has nothing free, and nothing full, where the limit is unknown", async () => {
    const dimensions = [{ unit: "requests", window: "hourly", limit: "unknown" }] as const;
    const { spend, dimension } = await engineOver({ dimensions });
    await spend("mallory");
    expect(await dimension()).toMatchObject({
      consumedTotal: 1,
      unallocated: 1,
      free: undefined,
      strictFrom: undefined,
    });
  });
});

describe("the history of the burn rate", () => {
  const tokens = { dimensions: [{ unit: "tokens", window: "5h", limit: 10_000 }] } as const;

  it("has a sample each time something was settled, ten seconds apart, with the rate as it was by then", async () => {
    const { spend, engine, pool, time } = await engineOver(tokens);
    for (const tokens of [100, 100, 300]) {
      await spend("alice", { tokens });
      await spend("bob", { tokens: 0 });
      time.now += 10_000;
    }
    time.now -= 10_000;
    const { generatedAt, dimensions } = (await engine.burn(pool.id))!;
    expect(generatedAt).toBe(START + 20_000);
    expect(dimensions).toMatchObject([
      {
        dimension: { name: "tokens/5h" },
        used: 500,
        burnRate: { perSecond: 16, timeToExhaustionMs: (9_500 / 16) * 1000 },
        samples: [
          { at: START, used: 100, perSecond: 0 },
          { at: START + 10_000, used: 200, perSecond: 10 },
          { at: START + 20_000, used: 500, perSecond: 16 },
        ],
      },
    ]);
    expect(dimensions[0]!.burnRate).toEqual((await engine.usage(pool.id))!.dimensions[0]!.burnRate);
  });

  it("goes on when the provider says where the window lies, whose number is another then", async () => {
    const { spend, engine, pool, time } = await engineOver(tokens);
    await spend("alice", { tokens: 100 });
    time.now += 10_000;
    const said = {
      provider: "kimi",
      window: "5h",
      unit: "tokens",
      utilization: 0.01,
      source: "header",
    } as const;
    const resetsAt = time.now + 3_600_000;
    await engine.observe(pool.connectionId, [{ ...said, resetsAt, receivedAt: time.now }]);
    await spend("alice", { tokens: 50 });
    time.now += 10_000;
    await spend("alice", { tokens: 50 });
    const { samples } = (await engine.burn(pool.id))!.dimensions[0]!;
    expect(samples.map(({ used }) => used)).toEqual([100, 100, 150]);
    time.now += 3_600_000;
    await spend("alice", { tokens: 70 });
    expect((await engine.burn(pool.id))!.dimensions[0]!.samples.at(-1)).toMatchObject({ used: 220 });
  });

  it("says nothing of a rate under two samples", async () => {
    const { engine, pool } = await engineOver(tokens);
    expect((await engine.burn(pool.id))!.dimensions[0]).toMatchObject({
      used: 0,
      burnRate: { perSecond: 0, timeToExhaustionMs: null },
      samples: [{ at: START, used: 0, perSecond: 0 }],
    });
    expect(await engine.burn("nobody")).toBeUndefined();
  });

  it("slows down while nobody settles, and sees what another process has settled, since looking is a sample too", async () => {
    const { another, engine, caller, pool, time } = await engineOver(tokens);
    const neighbour = another();
    const rates: number[] = [];
    for (const tokens of [0, 100, 100, 0, 0]) {
      await neighbour.consume({ ...caller("alice"), amounts: { tokens } });
      rates.push((await engine.burn(pool.id))!.dimensions[0]!.burnRate.perSecond);
      time.now += 10_000;
    }
    expect(rates.map((rate) => Math.round(rate * 100) / 100)).toEqual([0, 10, 10, 7, 4.9]);
  });
});

describe("a store that fails", () => {
  const away = () => new StoreError("not there", { applied: "no", cause: new Error("ECONNREFUSED") });
  const logged = () => {
    const lines: { scope: string; message: string }[] = [];
    const logger: Logger = { warn: ({ scope }, message) => void lines.push({ scope, message }) };
    return { lines, logger };
  };

  it("lets requests pass unjudged, says so once a second, and settles them in full when it is back", async () => {
    vi.useFakeTimers({ now: START });
    try {
      const { lines, logger } = logged();
      const store = switchable(createMemoryUsageStore(), away);
      const { engine, admit, key } = await engineOver({ store, logger });
      store.on = false;
      const admissions = await Promise.all(Array.from({ length: 30 }, () => admit("alice")));
      for (const { decision } of admissions)
        expect(decision).toMatchObject({ status: "unjudged", allowed: true, dimensions: [] });
      await Promise.all(admissions.map(({ lease }) => engine.settle(lease!)));
      expect(engine.status()).toMatchObject({ remembered: 1, openLeases: 0 });
      expect(engine.status().storeFailure?.cause).toBeInstanceOf(StoreError);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatchObject({ scope: "quota:enforce" });
      store.on = true;
      await vi.advanceTimersByTimeAsync(1000);
      expect(engine.status()).toMatchObject({ remembered: 0, storeFailure: undefined });
      expect(await key("alice")).toMatchObject({ consumed: 30, held: 0 });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("between admission and settlement leaves no hold behind once it is back", async () => {
    const store = switchable(createMemoryUsageStore(), away);
    const { engine, admit, dimension } = await engineOver({ store });
    const [kept, failed] = await Promise.all([admit("alice"), admit("alice")]);
    store.on = false;
    await engine.settle(kept.lease!);
    await engine.release(failed.lease!);
    store.on = true;
    await engine.close();
    expect(await dimension()).toMatchObject({ consumedTotal: 1, held: 0 });
  });

  it("while a settlement is under way: the close waits for it, and tries once more", async () => {
    const memory = createMemoryUsageStore();
    const waiting: ((works: boolean) => void)[] = [];
    const slow: UsageStore = {
      ...memory,
      async transact(step) {
        if (!(await new Promise<boolean>((answer) => void waiting.push(answer)))) throw away();
        return memory.transact(step);
      },
    };
    const { engine, caller, key } = await engineOver({ store: slow });
    const consumed = engine.consume({ ...caller("alice"), amounts: { requests: 3 } });
    await vi.waitUntil(() => waiting.length === 1);
    const closed = engine.close();
    waiting[0]!(false);
    await vi.waitUntil(() => waiting.length === 2);
    waiting[1]!(true);
    await Promise.all([consumed, closed]);
    expect(engine.status().remembered).toBe(0);
    expect(await key("alice")).toMatchObject({ consumed: 3 });
  });

  it("and is still away at the close is waited for once, not once for every key", async () => {
    const answers: ((error: Error) => void)[] = [];
    let off = true;
    const store: UsageStore = {
      ...createMemoryUsageStore(),
      async transact() {
        if (off) throw away();
        return new Promise((_resolve, reject) => void answers.push(reject));
      },
    };
    const { engine, caller } = await engineOver({ store });
    for (const key of ["alice", "bob", "carol"])
      await engine.consume({ ...caller(key), amounts: { requests: 1 } });
    off = false;
    const closed = engine.close();
    await vi.waitUntil(() => answers.length === 3);
    for (const reject of answers) reject(away());
    await closed;
    expect(engine.status().remembered).toBe(3);
  });

  it("while a settlement waits for a renewal: the close waits for both", async () => {
    vi.useFakeTimers({ now: START });
    try {
      const memory = createMemoryUsageStore();
      let answer: (() => void) | undefined;
      let slow = false;
      const store: UsageStore = {
        ...memory,
        async transact(step) {
          if (slow) await new Promise<void>((resolve) => (answer = resolve));
          slow = false;
          return memory.transact(step);
        },
      };
      const { engine, admit, key } = await engineOver({ store, clock: { now: () => Date.now() } });
      const { lease } = await admit("alice");
      slow = true;
      await vi.advanceTimersByTimeAsync(LEASE);
      const settled = engine.settle(lease!);
      const closed = engine.close().then(() => key("alice"));
      await vi.advanceTimersByTimeAsync(0);
      answer!();
      expect(await closed).toMatchObject({ consumed: 1, held: 0 });
      await settled;
    } finally {
      vi.useRealTimers();
    }
  });

  it("is not what an amount past counting is: caps still hold, and the counter stops at 2^53 − 1", async () => {
    const pool = { allocations: [{ apiKeyId: "a", weight: 50, capValue: 10, capUnit: "tokens" as const }] };
    const { engine, admit, caller, dimension } = await engineOver({
      pool,
      dimensions: [{ unit: "tokens", window: "5h", limit: "unknown" }],
    });
    const { lease } = await admit("b", { tokens: Number.MAX_SAFE_INTEGER });
    expect((await admit("a", { tokens: 9 })).decision).toMatchObject({ reason: "in-flight" });
    await engine.release(lease!);
    expect((await admit("a", { tokens: 9 })).decision.status).toBe("allowed");
    const most = { ...caller("b"), amounts: { tokens: Number.MAX_SAFE_INTEGER } };
    for (let i = 0; i < 3; i += 1) await engine.consume(most);
    expect(engine.status()).toMatchObject({ remembered: 0, storeFailure: undefined });
    expect(await dimension()).toMatchObject({ consumedTotal: Number.MAX_SAFE_INTEGER });
  });

  it("for long while the same key uses more than can be counted is caught up with all the same", async () => {
    const store = switchable(createMemoryUsageStore(), away);
    const { engine, caller, dimension } = await engineOver({ store });
    store.on = false;
    const most = { ...caller("alice"), amounts: { requests: Number.MAX_SAFE_INTEGER } };
    for (let i = 0; i < 3; i += 1) await engine.consume(most);
    store.on = true;
    await engine.close();
    expect(engine.status().remembered).toBe(0);
    expect(await dimension()).toMatchObject({ consumedTotal: Number.MAX_SAFE_INTEGER });
  });

  test.each([
    ["the engine", {}, { whenStoreFails: "deny" as const }],
    ["the pool", { whenStoreFails: "deny" as const }, {}],
  ])("refuses where %s says so", async (_who, pool, options) => {
    const store = switchable(createMemoryUsageStore(), away);
    const { admit } = await engineOver({ store, pool, ...options });
    store.on = false;
    const { decision, lease } = await admit("alice");
    expect(decision).toMatchObject({ status: "unavailable", allowed: false });
    expect(lease).toBeUndefined();
  });

  it("is not what contention is: that is refused, never passed", async () => {
    const store = switchable(createMemoryUsageStore(), () => new ContendedError());
    const { admit, engine } = await engineOver({ store });
    store.on = false;
    expect((await admit("alice")).decision).toMatchObject({ status: "refused", reason: "contended" });
    expect(engine.status().storeFailure).toBeUndefined();
  });

  it("that is only contended when a request is settled has not failed, and counts the use when it can", async () => {
    const warnings: string[] = [];
    const store = switchable(createMemoryUsageStore(), () => new ContendedError());
    const { engine, admit, key } = await engineOver({
      store,
      logger: { warn: (_entry, message) => warnings.push(message) },
    });
    const { lease } = await admit("alice");
    store.on = false;
    await engine.settle(lease!);
    expect(engine.status()).toMatchObject({ remembered: 1, storeFailure: undefined });
    store.on = true;
    await engine.close();
    expect(await key("alice")).toMatchObject({ consumed: 1, held: 0 });
    expect(warnings).toEqual([]);
  });

  it("that may have written a settlement is not asked again", async () => {
    const store = switchable(
      createMemoryUsageStore(),
      () => new StoreError("no answer", { applied: "unknown" }),
    );
    const { admit, engine } = await engineOver({ store });
    const { lease } = await admit("alice");
    store.on = false;
    await engine.settle(lease!);
    expect(engine.status().remembered).toBe(0);
  });
});

describe("the two hooks", () => {
  it("enforce, then record; without a lease recording only adds", async () => {
    const { engine, caller, key } = await engineOver();
    const { enforceQuotaShare, recordConsumption } = quotaHooks(engine);
    const { decision, lease } = await enforceQuotaShare({
      ...caller("alice"),
      estimatedCost: { requests: 2 },
    });
    expect(decision.status).toBe("allowed");
    await recordConsumption({ lease: lease!, actualCost: { requests: 3 } });
    await recordConsumption({ ...caller("alice"), actualCost: { requests: 4 } });
    expect(await key("alice")).toMatchObject({ consumed: 7, held: 0 });
  });
});

test.each([
  ["saturationThreshold", { saturationThreshold: 1.5 }],
  ["saturationThreshold", { saturationThreshold: NaN }],
  ["leaseMs", { leaseMs: 10 }],
  ["leaseMs", { leaseMs: NaN }],
])("an engine is not made with a bad %s (%o)", async (field, options) => {
  await expect(engineOver(options)).rejects.toMatchObject({ name: "QuotaConfigError", field });
});
