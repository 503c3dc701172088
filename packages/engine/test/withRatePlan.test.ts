import { parseDimensions, plantRatePlan, ratePathFrom, type RatePlan } from "@quota/core";
import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createMemoryUsageStore,
  createQuotaEngine,
  createRateAdmission,
  createWaitingRoom,
  StoreError,
  withRatePlan,
  type QuotaEngine,
  type QuotaRequest,
  type UsageStore,
} from "@quota/engine";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

/** In the middle of a minute. */
const START = Date.UTC(2026, 0, 5, 12, 0, 30);

function planted(nodes: Parameters<typeof plantRatePlan>[0]["nodes"]): RatePlan {
  const result = plantRatePlan({ nodes });
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.plan;
}

const ACME = planted([
  { id: "acme", kind: "organisation", rpm: 3, tpm: 1000 },
  { id: "dora", kind: "key", parent: "acme" },
  { id: "free", kind: "key" },
]);

async function fresh(
  setup: {
    readonly limit?: number;
    readonly rateStore?: UsageStore;
    readonly around?: (engine: QuotaEngine) => Partial<QuotaEngine>;
  } = {},
) {
  const { limit = 10, rateStore = createMemoryUsageStore(), around = () => ({}) } = setup;
  const pools = createMemoryPoolDirectory();
  const plans = createMemoryPlanOverrides();
  const allocations = [{ apiKeyId: "dora", weight: 100 }];
  await pools.create({ id: "team", connectionId: "seat", name: "Team", allocations }, START);
  const parsed = parseDimensions([{ unit: "requests", window: "hourly", limit }]);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  await plans.set("seat", parsed.value);
  const plain = createQuotaEngine({ store: createMemoryUsageStore(), pools, plans });
  const engine = { ...plain, ...around(plain) };
  let known = { id: "gateway", revision: 1, plan: ACME };
  const warned: string[] = [];
  const loadPlan = () => Promise.resolve(known);
  const rates = createRateAdmission({ store: rateStore, loadPlan });
  const neighbour = createRateAdmission({ store: rateStore });
  const rated = withRatePlan({
    engine,
    rates,
    planOf: ({ apiKeyId }) => {
      const { plan } = known;
      return plan.nodes.has(apiKeyId) && apiKeyId !== "free"
        ? { ...known, path: ratePathFrom(plan, apiKeyId) }
        : undefined;
    },
    logger: { warn: (_entry, message) => void warned.push(message) },
  });
  return {
    rated,
    rates,
    neighbour,
    warned,
    replant: (plan: RatePlan) => void (known = { ...known, revision: known.revision + 1, plan }),
    async books() {
      const [dora] = (await rates.rateUsage({ ...known, path: ratePathFrom(known.plan, "acme") })).nodes;
      const pool = (await plain.usage("team"))!.dimensions[0]!;
      return {
        rate: [dora!.requests.used, dora!.tokens.used],
        pool: [pool.consumedTotal, pool.held],
      };
    },
  };
}

const asks = (apiKeyId = "dora", tokens = 100): QuotaRequest => ({
  apiKeyId,
  connectionId: "seat",
  provider: "kimi",
  estimate: { requests: 1, tokens },
});

/** Answers nothing but this failure. */
function broken(store: UsageStore): UsageStore {
  const fails = () => Promise.reject(new StoreError("away", { applied: "no" }));
  return { ...store, transact: fails, read: fails };
}

beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

describe("a request passes the rate plan, then the pool", () => {
  test("and is charged to both: as estimated, then as it was", async () => {
    const { rated, books } = await fresh();
    const { lease } = await rated.admit(asks());
    expect(await books()).toEqual({ rate: [1, 100], pool: [0, 1] });
    await rated.settle(lease!, { requests: 1, tokens: 251 });
    expect(await books()).toEqual({ rate: [1, 251], pool: [1, 0] });
    await rated.release(lease!);
    expect(await books()).toEqual({ rate: [1, 251], pool: [1, 0] });
  });

  test("and is charged as estimated where nobody says what it took", async () => {
    const { rated, books } = await fresh();
    const { lease } = await rated.admit(asks());
    await rated.settle(lease!);
    expect(await books()).toEqual({ rate: [1, 100], pool: [1, 0] });
  });

  test("and gives both back when it is released, once", async () => {
    const { rated, books } = await fresh();
    const { lease } = await rated.admit(asks());
    await rated.release(lease!);
    await rated.release(lease!);
    await rated.settle(lease!, { tokens: 7 });
    expect(await books()).toEqual({ rate: [0, 0], pool: [0, 0] });
  });

  test("refused by the plan it changes nothing, in the plan or in the pool", async () => {
    const { rated, books } = await fresh();
    for (let i = 0; i < 3; i += 1) await rated.admit(asks());
    const before = await books();
    expect(await rated.admit(asks())).toMatchObject({
      decision: { status: "refused", reason: "rate-limit-rpm", retryAt: START + 30_000 },
    });
    expect(await books()).toEqual(before);
  });

  test("refused by the pool it has given the plan's charge back before it is told", async () => {
    const { rated, books } = await fresh({ limit: 1 });
    await rated.admit(asks());
    const { decision } = await rated.admit(asks());
    expect(decision).toMatchObject({ status: "refused", reason: "in-flight" });
    expect(await books()).toEqual({ rate: [1, 100], pool: [0, 1] });
  });

  test("and where the pool fails altogether nothing of the plan stays charged", async () => {
    const { rated, books } = await fresh({
      around: () => ({ admit: () => Promise.reject(new Error("broken")) }),
    });
    await expect(rated.admit(asks())).rejects.toThrow("broken");
    expect((await books()).rate).toEqual([0, 0]);
  });

  test("an amount that cannot be counted leaves both leases open", async () => {
    const { rated, books } = await fresh();
    const { lease } = await rated.admit(asks());
    await expect(rated.settle(lease!, { tokens: Number.NaN })).rejects.toThrow();
    expect(await books()).toEqual({ rate: [1, 100], pool: [0, 1] });
    await rated.settle(lease!, { tokens: 5 });
    expect(await books()).toEqual({ rate: [1, 5], pool: [1, 0] });
  });

  test("without a limit on its path it asks no plan, even where the plan's store is away", async () => {
    const { rated } = await fresh({ rateStore: broken(createMemoryUsageStore()) });
    const { lease } = await rated.admit(asks("free"));
    await rated.settle(lease!, { requests: 1 });
    expect(lease!.state).toBe("settled");
  });
});

test("property: whatever is asked at once and however it ends, plan and pool hold what was let in, and nothing of what was not", async () => {
  const end = fc.record({
    admitted: fc.constantFrom("settled", "released", "open"),
    tokens: fc.nat(400),
    actual: fc.nat(800),
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(end, { maxLength: 8 }), async (limit, ends) => {
      const { rated, books } = await fresh({ limit });
      const asked = await Promise.all(ends.map(({ tokens }) => rated.admit(asks("dora", tokens))));
      const letIn = ends.filter((_, i) => asked[i]!.lease !== undefined);
      const held = letIn.reduce((sum, { tokens }) => sum + tokens, 0);
      expect(await books()).toEqual({ rate: [letIn.length, held], pool: [0, letIn.length] });
      await Promise.all(
        ends.map(async ({ admitted, actual }, i) => {
          const { lease } = asked[i]!;
          if (lease === undefined || admitted === "open") return;
          await (admitted === "settled"
            ? rated.settle(lease, { requests: 1, tokens: actual })
            : rated.release(lease));
        }),
      );
      const as = (state: string) => letIn.filter(({ admitted }) => admitted === state);
      const [settled, open] = [as("settled"), as("open")];
      const taken = settled.reduce((sum, { actual }) => sum + actual, 0);
      const stillHeld = open.reduce((sum, { tokens }) => sum + tokens, 0);
      expect(await books()).toEqual({
        rate: [settled.length + open.length, taken + stillHeld],
        pool: [settled.length, open.length],
      });
    }),
    { numRuns: 150 },
  );
});

describe("a rate plan that cannot be judged", () => {
  test("lets nobody pass, and no pool is asked", async () => {
    const { rated } = await fresh({
      rateStore: broken(createMemoryUsageStore()),
      around: () => ({ admit: () => Promise.reject(new Error("was asked")) }),
    });
    expect(await rated.admit(asks())).toMatchObject({ decision: { status: "unavailable", allowed: false } });
  });

  test("keeps no answer from being settled in the pool: what is lost is logged", async () => {
    const memory = createMemoryUsageStore();
    let store = memory;
    const rateStore: UsageStore = {
      ...memory,
      transact: (step) => store.transact(step),
      read: (...asked) => store.read(...asked),
    };
    const { rated, books, warned } = await fresh({ rateStore });
    const [first, second] = [await rated.admit(asks()), await rated.admit(asks())];
    store = broken(memory);
    void rated.settle(first.lease!, { requests: 1, tokens: 1 });
    void rated.release(second.lease!);
    await rated.close();
    store = memory;
    expect(await books()).toEqual({ rate: [2, 200], pool: [1, 0] });
    expect(warned).toHaveLength(2);
  });
});

describe("a plan that is replaced", () => {
  test("counts under the newer one at once, though a neighbour was first to know of it", async () => {
    const { rated, neighbour, replant } = await fresh();
    await rated.admit(asks());
    const tight = planted([
      { id: "acme", kind: "organisation", rpm: 2 },
      { id: "dora", kind: "key", parent: "acme" },
    ]);
    const path = ratePathFrom(tight, "dora");
    await neighbour.admitRatePlan({ id: "gateway", revision: 2, plan: tight, path }, 0);
    replant(tight);
    expect((await rated.admit(asks())).decision).toMatchObject({ reason: "rate-limit-rpm" });
  });

  test("and does not have a key any more lets that key pass as one without limits", async () => {
    const { rated, neighbour, replant } = await fresh();
    const without = planted([{ id: "acme", kind: "organisation", rpm: 1 }]);
    const path = ratePathFrom(without, "acme");
    await neighbour.admitRatePlan({ id: "gateway", revision: 2, plan: without, path }, 0);
    const asked = rated.admit(asks());
    replant(without);
    const { lease } = await asked;
    await rated.settle(lease!, { requests: 1, tokens: 1 });
    expect(lease!.state).toBe("settled");
  });
});

describe("a waiting room before both", () => {
  test("holds what the plan refuses until the minute turns, first come, first served", async () => {
    const { rated, books } = await fresh();
    const room = createWaitingRoom({ engine: rated });
    for (let i = 0; i < 3; i += 1) await room.admit(asks());
    const told: number[] = [];
    const waiting = [1, 2].map(async (turn) => {
      const { lease } = await room.admit(asks(), { waitUpTo: 60_000 });
      told.push(turn);
      return lease;
    });
    await vi.advanceTimersByTimeAsync(29_999);
    expect([room.waiting, told]).toEqual([2, []]);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all(waiting);
    expect(told).toEqual([1, 2]);
    expect((await books()).rate).toEqual([2, 200]);
  });

  test("keeps nothing of the plan for whoever waits for the pool", async () => {
    const { rated, books } = await fresh({ limit: 1 });
    const room = createWaitingRoom({ engine: rated });
    const { lease } = await room.admit(asks());
    const waiting = room.admit(asks(), { waitUpTo: 20_000 });
    await vi.advanceTimersByTimeAsync(5);
    expect([room.waiting, await books()]).toEqual([1, { rate: [1, 100], pool: [0, 1] }]);
    await room.release(lease!);
    await vi.advanceTimersByTimeAsync(0);
    expect((await waiting).lease).toBeDefined();
    expect(await books()).toEqual({ rate: [1, 100], pool: [0, 1] });
  });

  test("does not hold what cannot clear in time, and gives up with the client", async () => {
    const { rated, books } = await fresh();
    const room = createWaitingRoom({ engine: rated });
    for (let i = 0; i < 3; i += 1) await room.admit(asks());
    expect((await room.admit(asks(), { waitUpTo: 10_000 })).decision).toMatchObject({
      reason: "rate-limit-rpm",
    });
    const leave = new AbortController();
    const waiting = room.admit(asks(), { waitUpTo: 60_000, signal: leave.signal });
    await vi.advanceTimersByTimeAsync(5);
    leave.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    await vi.advanceTimersByTimeAsync(60_000);
    expect([room.waiting, (await books()).rate]).toEqual([0, [0, 0]]);
  });
});
