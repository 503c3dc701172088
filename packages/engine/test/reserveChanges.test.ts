import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WINDOW_MS, type AllocationSpec, type LendingSpec } from "@quota/core";
import { createMemoryUsageStore, type Lease, type QuotaEngine, type Step } from "@quota/engine";
import { engineOver, START } from "./engineOver.js";

const HOUR = 3_600_000;
const KEYS = ["alice", "bob", "carol", "dora"] as const;
const TOKENS = { unit: "tokens", window: "hourly", limit: 100 } as const;

const shares = fc
  .uniqueArray(
    fc.record({
      apiKeyId: fc.constantFrom(...KEYS),
      weight: fc.constantFrom(0, 10, 25, 30),
      lend: fc.constantFrom(true, true, false),
    }),
    { selector: ({ apiKeyId }) => apiKeyId, minLength: 1, maxLength: 3 },
  )
  .map((all): readonly AllocationSpec[] =>
    all.map(({ lend, ...each }) => ({ ...each, weight: each.weight + 1, ...(!lend && { lend }) })),
  );

type Event =
  | { readonly does: "admit"; readonly key: number; readonly cost: number; readonly by: number }
  | { readonly does: "end"; readonly which: number; readonly part: number }
  | { readonly does: "share"; readonly allocations: readonly AllocationSpec[] }
  | { readonly does: "lend"; readonly lending: LendingSpec }
  | { readonly does: "raise"; readonly limit: number }
  | { readonly does: "wait"; readonly ms: number };

const lendings = fc.constantFrom<LendingSpec>(
  "reserve",
  "reserve",
  { rule: "reserve", curve: { hold: 3 } },
  "static",
);

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant("admit" as const),
      key: fc.nat(3),
      cost: fc.oneof(fc.nat(10), fc.constantFrom(20, 30, 60)),
      by: fc.nat(1),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("end" as const),
      which: fc.nat(9),
      part: fc.constantFrom(0, 0.5, 1),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("share" as const), allocations: shares }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("lend" as const), lending: lendings }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant("raise" as const), limit: fc.constantFrom(100, 130, 400) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant("wait" as const), ms: fc.oneof(fc.nat(9000), fc.nat(HOUR)) }),
  },
);

describe("a change of shares, of the rule or of the plan in full traffic", () => {
  it("lets nothing past the limit, holds no more for a key than its new share, and takes new reserves out of what is spare alone", async () => {
    const met = { admitted: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        shares,
        fc.array(event, { minLength: 10, maxLength: 40, size: "max" }),
        fc.constantFrom<"epoch" | undefined>("epoch", undefined),
        fc.constantFrom(600_000, 5_000_000),
        async (allocations, events, anchor, leaseMs) => {
          const plan = (limit: number) => [{ ...TOKENS, limit, ...(anchor && { anchor }) }];
          const world = await engineOver({
            dimensions: plan(100),
            leaseMs,
            pool: { allocations, lending: "reserve" },
          });
          const engines = [world.engine, world.another()] as const;
          const open: {
            readonly by: QuotaEngine;
            readonly lease: Lease;
            readonly cost: number;
            readonly at: number;
          }[] = [];
          let limit = 100;
          let lending: LendingSpec = "reserve";
          for (const happens of events) {
            world.time.now += 101;
            const before = await world.dimension();
            if (happens.does === "wait") world.time.now += happens.ms;
            else if (happens.does === "admit") {
              const { key, cost, by } = happens;
              const name = KEYS[key]!;
              const engine = engines[by]!;
              const { decision, lease } = await engine.admit({
                ...world.caller(name),
                estimate: { tokens: cost },
              });
              if (lease) open.push({ by: engine, lease, cost, at: Math.floor(world.time.now / leaseMs) });
              met[lease ? "admitted" : "refused"] += 1;
              // What is shown and what is enforced are one: the numbers before the request say what becomes of it.
              if (lending !== "static") {
                const own = before.perKey.find(({ apiKeyId }) => apiKeyId === name)?.reserve ?? 0;
                const passes =
                  Math.max(0, cost - own) <= before.spare! &&
                  before.used < limit &&
                  before.used + cost <= limit;
                expect(decision.status).toBe(passes ? "allowed" : "refused");
                const told = decision.dimensions[0]!.reserve!;
                expect(told.spare).toBeLessThanOrEqual(before.spare! + 1e-6);
                if (told.isExact) expect(told.spare).toBeCloseTo(before.spare!, 6);
              }
            } else if (happens.does === "end" && open.length > 0) {
              const [{ by, lease, cost, at }] = open.splice(happens.which % open.length, 1) as [
                (typeof open)[number],
              ];
              // What has evaporated is not settled: that would be more than was planned.
              if (Math.floor(world.time.now / leaseMs) - at < 2)
                await by.settle(lease, { tokens: Math.round(cost * happens.part) });
            } else if (happens.does === "share") {
              const had = new Map(before.perKey.map(({ apiKeyId, reserve }) => [apiKeyId, reserve]));
              await world.pools.update(world.pool.id, { allocations: happens.allocations });
              const after = await world.dimension();
              for (const { apiKeyId, reserve, fairShare, consumed, held } of after.perKey) {
                if (lending === "static") continue;
                // What was held for a key stays, up to its new share.
                const stays = Math.min(had.get(apiKeyId) ?? 0, Math.max(0, fairShare! - consumed - held));
                expect(reserve).toBeLessThanOrEqual(fairShare!);
                expect(reserve! - stays).toBeLessThanOrEqual(
                  Math.max(0, before.spare!) + sumLost(before, after),
                );
              }
            } else if (happens.does === "lend") {
              ({ lending } = happens);
              await world.pools.update(world.pool.id, { lending });
            } else if (happens.does === "raise") {
              limit = Math.max(limit, happens.limit);
              await world.setPlan(plan(limit));
            }
            const now = await world.dimension();
            expect(now.used).toBeLessThanOrEqual(limit + 1e-6);
            if (lending === "static") continue;
            expect(now.spare).toBeGreaterThanOrEqual(-1e-6);
            for (const { reserve, fairShare } of now.perKey) {
              expect(reserve).toBeGreaterThanOrEqual(0);
              expect(reserve).toBeLessThanOrEqual(fairShare!);
            }
          }
        },
      ),
      {
        numRuns: Number(process.env["RESERVE_HISTORIES"] ?? 30),
        endOnFailure: !!process.env["RESERVE_DEBUG"],
      },
    );
    expect(met.refused).toBeGreaterThan(0);
    expect(met.admitted).toBeGreaterThan(0);
  }, 600_000);

  it("a key that is taken out and comes back finds what is spare then, and not what was held for it before", async () => {
    const team = (...keys: readonly string[]) => keys.map((apiKeyId) => ({ apiKeyId, weight: 30 }));
    const world = await engineOver({
      dimensions: [{ ...TOKENS, anchor: "epoch" }],
      pool: { lending: "reserve", allocations: team("alice", "bob", "carol") },
    });
    await world.spend("alice", { tokens: 30 });
    await world.pools.update(world.pool.id, { allocations: team("alice", "bob") });
    // 30 used, 30 held for bob: 40 are anybody's.
    expect(await world.dimension()).toMatchObject({ reserved: 30, spare: 40 });
    expect((await world.spend("alice", { tokens: 35 })).status).toBe("allowed");
    await world.pools.update(world.pool.id, { allocations: team("alice", "bob", "carol") });
    expect(await world.key("carol")).toMatchObject({ fairShare: 30, reserve: 5 });
    expect(await world.dimension()).toMatchObject({ reserved: 35, spare: 0 });
    expect((await world.spend("carol", { tokens: 6 })).status).toBe("refused");
    expect((await world.spend("carol", { tokens: 5 })).status).toBe("allowed");
    expect((await world.spend("bob", { tokens: 30 })).status).toBe("allowed");
    expect((await world.dimension()).used).toBe(100);
  });

  it("a key that is taken out while it has something under way moves nothing of what is lent, whatever it asks for and however that ends", async () => {
    const world = await engineOver({
      dimensions: [{ ...TOKENS, anchor: "epoch" }],
      pool: { lending: "reserve", allocations: [{ apiKeyId: "bob", weight: 30 }] },
    });
    const first = await world.admit("bob", { tokens: 20 });
    await world.pools.update(world.pool.id, { allocations: [{ apiKeyId: "alice", weight: 30 }] });
    const nothing = await world.admit("bob", { tokens: 0 });
    const spareTold = async (key: string) => {
      const { decision } = await world.admit(key, { tokens: 0 });
      return decision.dimensions[0]!.reserve!.spare;
    };
    expect([await spareTold("alice"), await spareTold("bob")]).toEqual([50, 50]);
    await world.engine.release(first.lease!);
    await world.engine.release(nothing.lease!);
    expect([await spareTold("bob"), await spareTold("alice")]).toEqual([70, 70]);
    expect(await world.dimension()).toMatchObject({ used: 0, reserved: 30, spare: 70 });
  });

  it("a process that has an older version of the pool decides nothing under it, and settles without a word about reserves", async () => {
    const written: number[] = [];
    const memory = createMemoryUsageStore();
    const store = {
      ...memory,
      transact: <Result>(step: Step<Result>) =>
        memory.transact({
          ...step,
          decide(amounts) {
            const verdict = step.decide(amounts);
            written.push(...verdict.additions.filter((addition) => addition !== 0));
            return verdict;
          },
        }),
    };
    const world = await engineOver({
      store,
      dimensions: [{ ...TOKENS, anchor: "epoch" }],
      pool: {
        lending: "reserve",
        allocations: [
          { apiKeyId: "alice", weight: 50 },
          { apiKeyId: "bob", weight: 50 },
        ],
      },
    });
    const known = world.pool;
    const late = world.another({
      pools: { ofConnection: () => known, get: async () => known },
      logger: { warn: () => undefined },
    });
    const admitted = await late.admit({ ...world.caller("alice"), estimate: { tokens: 20 } });
    expect(admitted.decision.status).toBe("allowed");
    const changed = await world.pools.update(world.pool.id, {
      allocations: [
        { apiKeyId: "alice", weight: 10 },
        { apiKeyId: "bob", weight: 90 },
      ],
    });
    // Somebody else has come by, who knows of it: nothing is spare, since alice has used more than her share of now.
    expect((await world.admit("alice", { tokens: 1 })).decision.status).toBe("refused");
    written.length = 0;
    expect((await late.admit({ ...world.caller("alice"), estimate: { tokens: 5 } })).decision).toMatchObject({
      status: "refused",
      reason: "contended",
    });
    expect(written).toEqual([]);
    await late.settle(admitted.lease!, { tokens: 7 });
    expect(late.status()).toMatchObject({ remembered: 0, storeFailure: undefined });
    await late.close();
    expect(changed!.version).toBe(2);
    const after = await world.dimension();
    expect(after).toMatchObject({ used: 7, held: 0, spare: 100 - 7 - after.reserved! });
    // What is left of her new share is held for her again, as far as it was.
    expect(await world.key("alice")).toMatchObject({ consumed: 7, reserve: 3 });
    expect(world.time.now - START).toBeLessThan(WINDOW_MS.hourly);
  });
});

/** What went out of reserves when shares changed: it is spare. */
function sumLost(
  before: { readonly perKey: readonly { readonly apiKeyId: string; readonly reserve: number | undefined }[] },
  after: typeof before,
): number {
  const now = new Map(after.perKey.map(({ apiKeyId, reserve }) => [apiKeyId, reserve ?? 0]));
  return before.perKey.reduce(
    (sum, { apiKeyId, reserve }) => sum + Math.max(0, (reserve ?? 0) - (now.get(apiKeyId) ?? 0)),
    0,
  );
}
