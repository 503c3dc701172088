import type { AllocationSpec, DimensionSpec } from "@quota/core";
import { parseDimensions } from "@quota/core";
import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createMemoryUsageStore,
  createQuotaEngine,
  createWaitingRoom,
  type Admission,
  type QuotaRequest,
  type UsageStore,
} from "@quota/engine";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

/** A minute before a full hour, so that a fixed hourly window opens in 60 s. */
const START = Date.UTC(2026, 0, 5, 11, 59);
const HOURLY = { unit: "requests", window: "hourly", limit: 10, anchor: "epoch" } as const;

async function room(
  setup: {
    readonly dimensions?: readonly DimensionSpec[];
    readonly allocations?: readonly AllocationSpec[];
    readonly store?: UsageStore;
    readonly maxPerKey?: number;
  } = {},
) {
  const { dimensions = [HOURLY], allocations = [], store = createMemoryUsageStore(), maxPerKey } = setup;
  const pools = createMemoryPoolDirectory();
  const plans = createMemoryPlanOverrides();
  await pools.create(
    { id: "team", connectionId: "seat", name: "Team", allocations, unallocated: "allow" },
    START,
  );
  const parsed = parseDimensions(dimensions);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  await plans.set("seat", parsed.value);
  const engine = createQuotaEngine({ store, pools, plans });
  const waitingRoom = createWaitingRoom({ engine, maxPerKey });
  const asks = (apiKeyId: string, requests = 1): QuotaRequest => ({
    apiKeyId,
    connectionId: "seat",
    provider: "kimi",
    estimate: { requests },
  });
  return {
    engine,
    room: waitingRoom,
    asks,
    /** A plain admission that passes. */
    async hold(apiKeyId: string, requests = 1) {
      const { lease } = await engine.admit(asks(apiKeyId, requests));
      expect(lease).toBeDefined();
      return lease!;
    },
    use: (apiKeyId: string, requests: number) =>
      engine.consume({ apiKeyId, connectionId: "seat", provider: "kimi", amounts: { requests } }),
    held: async () => (await engine.usage("team"))!.dimensions[0]!.held,
  };
}

/** What becomes of an admission, in the order in which it comes. */
function followed() {
  const came: string[] = [];
  const leases = new Map<string, NonNullable<Admission["lease"]>>();
  return {
    came,
    leases,
    follow(name: string, admission: Promise<Admission>) {
      admission.then(
        ({ decision, lease }) => {
          if (lease) leases.set(name, lease);
          came.push(`${name} ${decision.status === "refused" ? decision.reason : decision.status}`);
        },
        (error: unknown) => came.push(`${name} ${(error as Error).name}`),
      );
    },
  };
}

const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe("a refusal", () => {
  test("is answered at once without patience", async () => {
    const house = await room();
    await house.use("alice", 10);
    for (const patience of [undefined, {}, { waitUpTo: 0 }, { waitUpTo: NaN }, { waitUpTo: -1 }]) {
      const { decision } = await house.room.admit(house.asks("alice"), patience);
      expect(decision).toMatchObject({
        status: "refused",
        reason: "global-saturated",
        retryAt: START + 60_000,
      });
    }
  });

  test("that clears within the patience waits, and is admitted at the very moment it opens", async () => {
    const house = await room();
    await house.use("alice", 10);
    const { came, follow, leases } = followed();
    follow("a", house.room.admit(house.asks("alice"), { waitUpTo: 60_000 }));
    await pass(59_999);
    expect([came, house.room.waiting]).toEqual([[], 1]);
    await pass(1);
    expect([came, house.room.waiting]).toEqual([["a allowed"], 0]);
    await house.room.release(leases.get("a")!);
    await house.engine.close();
  });

  test.each([
    ["clears a millisecond too late", 59_999, 1],
    ["never clears", 600_000, 11],
  ])("that %s is answered at once", async (_sentence, waitUpTo, requests) => {
    const house = await room();
    await house.use("alice", 10);
    const { decision } = await house.room.admit(house.asks("alice", requests), { waitUpTo });
    expect([decision.status, house.room.waiting]).toEqual(["refused", 0]);
  });

  test("that is still one when the patience ends is answered then, with the numbers of that moment", async () => {
    const house = await room();
    const lease = await house.hold("alice", 10);
    const { came, follow } = followed();
    follow("a", house.room.admit(house.asks("alice"), { waitUpTo: 10_000 }));
    await pass(9_999);
    expect(came).toEqual([]);
    await pass(1);
    expect(came).toEqual(["a in-flight"]);
    await house.room.release(lease);
    await house.engine.close();
  });

  test("for what is in flight clears when that ends in this process", async () => {
    const house = await room();
    const lease = await house.hold("bob", 10);
    const { came, follow, leases } = followed();
    follow("a", house.room.admit(house.asks("alice"), { waitUpTo: 10_000 }));
    await pass(10);
    expect(came).toEqual([]);
    await house.room.settle(lease, { requests: 1 });
    await pass();
    expect(came).toEqual(["a allowed"]);
    await house.room.release(leases.get("a")!);
    await house.engine.close();
  });

  test("for what is in flight clears within a second when that ends elsewhere", async () => {
    const house = await room();
    const lease = await house.hold("bob", 10);
    const { came, follow, leases } = followed();
    follow("a", house.room.admit(house.asks("alice"), { waitUpTo: 10_000 }));
    await pass(10);
    await house.engine.release(lease);
    await pass(980);
    expect(came).toEqual([]);
    await pass(10);
    expect(came).toEqual(["a allowed"]);
    await house.room.release(leases.get("a")!);
    await house.engine.close();
  });

  test("is looked at about once a second while it waits, not all the time", async () => {
    const inner = createMemoryUsageStore();
    let steps = 0;
    const store: UsageStore = { ...inner, transact: (step) => ((steps += 1), inner.transact(step)) };
    const house = await room({ store });
    const lease = await house.hold("bob", 10);
    const { follow } = followed();
    for (let n = 0; n < 20; n += 1)
      follow(`a${n}`, house.room.admit(house.asks("alice"), { waitUpTo: 10_000 }));
    await pass();
    const before = steps;
    await pass(9_999);
    expect(steps - before).toBeLessThanOrEqual(10);
    await pass(1);
    await house.room.release(lease);
    await house.engine.close();
  });
});

describe("turns", () => {
  test("are kept per key: first come, first served, and a newcomer stands behind those who wait", async () => {
    const house = await room();
    const big = await house.hold("bob", 8);
    const { came, follow, leases } = followed();
    follow("large", house.room.admit(house.asks("alice", 6), { waitUpTo: 30_000 }));
    await pass();
    follow("small", house.room.admit(house.asks("alice", 1), { waitUpTo: 30_000 }));
    follow("small too", house.room.admit(house.asks("alice", 1), { waitUpTo: 30_000 }));
    await pass(5_000);
    // There is room for the small ones, but it is not their turn.
    expect([came, house.room.waiting]).toEqual([[], 3]);
    await house.room.release(big);
    await pass();
    expect(came).toEqual(["large allowed", "small allowed", "small too allowed"]);
    for (const lease of leases.values()) await house.room.release(lease);
    await house.engine.close();
  });

  test("of one key do not hold up another", async () => {
    const house = await room({
      allocations: [{ apiKeyId: "alice", weight: 50, capValue: 2, capUnit: "requests" }],
    });
    const mine = await house.hold("alice", 2);
    const { came, follow, leases } = followed();
    follow("alice", house.room.admit(house.asks("alice"), { waitUpTo: 30_000 }));
    await pass();
    follow("bob", house.room.admit(house.asks("bob"), { waitUpTo: 30_000 }));
    await pass();
    expect(came).toEqual(["bob allowed"]);
    await house.room.release(mine);
    await pass();
    expect(came).toEqual(["bob allowed", "alice allowed"]);
    for (const lease of leases.values()) await house.room.release(lease);
    await house.engine.close();
  });

  test("are twenty per key: the next one is refused at once, with its own numbers", async () => {
    const house = await room();
    await house.use("bob", 10);
    const { came, follow, leases } = followed();
    for (let n = 0; n < 21; n += 1)
      follow(`a${n}`, house.room.admit(house.asks("alice"), { waitUpTo: 60_000 }));
    follow("b", house.room.admit(house.asks("bob"), { waitUpTo: 60_000 }));
    await pass();
    expect(came).toEqual(["a20 global-saturated"]);
    expect(house.room.waiting).toBe(21);
    const { decision } = await house.room.admit(house.asks("alice", 3), { waitUpTo: 60_000 });
    expect(decision).toMatchObject({ status: "refused", dimensions: [{ cost: 3 }] });
    await pass(60_000);
    // Ten find room in the new hour; for the others it is full again, for an hour.
    expect(came.filter((line) => line.endsWith("allowed"))).toHaveLength(10);
    expect([came.length, house.room.waiting]).toEqual([22, 0]);
    for (const lease of leases.values()) await house.room.release(lease);
    await house.engine.close();
  });

  test("are not for a request that could never pass: it does not stand in line", async () => {
    const house = await room();
    const lease = await house.hold("alice", 10);
    const { came, follow } = followed();
    follow("a", house.room.admit(house.asks("alice"), { waitUpTo: 5_000 }));
    await pass();
    follow("huge", house.room.admit(house.asks("alice", 11), { waitUpTo: 5_000 }));
    await pass();
    expect(came).toEqual(["huge too-large"]);
    await pass(5_000);
    expect(came).toEqual(["huge too-large", "a in-flight"]);
    await house.room.release(lease);
    await house.engine.close();
  });

  test("end for everybody at their own time, first or not", async () => {
    const house = await room();
    const lease = await house.hold("alice", 10);
    const { came, follow } = followed();
    follow("long", house.room.admit(house.asks("alice"), { waitUpTo: 9_000 }));
    await pass();
    follow("short", house.room.admit(house.asks("alice"), { waitUpTo: 3_000 }));
    await pass(3_000);
    expect(came).toEqual(["short in-flight"]);
    await pass(6_000);
    expect(came).toEqual(["short in-flight", "long in-flight"]);
    await house.room.release(lease);
    await house.engine.close();
  });
});

describe("a client that leaves", () => {
  test("is forgotten, wherever it stands, and no listener of it is left", async () => {
    const house = await room();
    const lease = await house.hold("alice", 10);
    const { came, follow, leases } = followed();
    const clients = ["first", "second", "third"].map((name) => ({ name, leave: new AbortController() }));
    const added = clients.map(({ leave }) => vi.spyOn(leave.signal, "addEventListener"));
    const removed = clients.map(({ leave }) => vi.spyOn(leave.signal, "removeEventListener"));
    for (const { name, leave } of clients) {
      follow(name, house.room.admit(house.asks("alice"), { waitUpTo: 50_000, signal: leave.signal }));
      await pass();
    }
    clients[1]!.leave.abort();
    await pass();
    clients[0]!.leave.abort();
    await pass();
    expect([came, house.room.waiting]).toEqual([["second AbortError", "first AbortError"], 1]);
    await house.room.release(lease);
    await pass();
    expect(came.at(-1)).toBe("third allowed");
    added.forEach((spy, n) => expect(removed[n]!.mock.calls.length).toBe(spy.mock.calls.length));
    await house.room.release(leases.get("third")!);
    expect(await house.held()).toBe(0);
    await house.engine.close();
  });

  test("before it asks is never asked about", async () => {
    const house = await room();
    const signal = AbortSignal.abort();
    await expect(house.room.admit(house.asks("alice"), { waitUpTo: 5, signal })).rejects.toThrow("aborted");
    expect(house.engine.status().openLeases).toBe(0);
  });
});

describe("races", () => {
  test("property: whoever leaves whenever, nobody is let in past the cap, no hold is left, and no timer is needed to wake the next", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(
          fc.record({ key: fc.constantFrom("alice", "bob"), leaves: fc.boolean(), fails: fc.boolean() }),
          { minLength: 1, maxLength: 6 },
        ),
        async (scheduler, clients) => {
          const inner = createMemoryUsageStore();
          const store: UsageStore = {
            ...inner,
            transact: (step) =>
              scheduler.schedule(Promise.resolve(), "step").then(() => inner.transact(step)),
          };
          const house = await room({
            store,
            dimensions: [{ unit: "requests", window: "weekly", limit: 1000 }],
            allocations: [
              { apiKeyId: "alice", weight: 50, capValue: 2, capUnit: "requests" },
              { apiKeyId: "bob", weight: 50, capValue: 2, capUnit: "requests" },
            ],
          });
          let inside = 0;
          const served = await scheduler.waitFor(
            Promise.allSettled(
              clients.map(async ({ key, leaves, fails }) => {
                const client = new AbortController();
                if (leaves) void scheduler.schedule(Promise.resolve(), "leave").then(() => client.abort());
                const { lease } = await house.room.admit(house.asks(key, 2), {
                  waitUpTo: 30_000,
                  signal: client.signal,
                });
                if (lease === undefined) return "refused";
                inside += 1;
                expect(inside).toBeLessThanOrEqual(2);
                await scheduler.schedule(Promise.resolve(), "work");
                inside -= 1;
                await (fails ? house.room.release(lease) : house.room.settle(lease, { requests: 0 }));
                return "served";
              }),
            ),
          );
          clients.forEach(({ leaves }, n) => {
            const outcome = served[n]!;
            if (!leaves) expect(outcome).toEqual({ status: "fulfilled", value: "served" });
            else if (outcome.status === "rejected") expect((outcome.reason as Error).name).toBe("AbortError");
          });
          // A request that was being asked about when its client left is given back a moment later.
          while (house.engine.status().openLeases > 0 && scheduler.count() > 0) await scheduler.waitNext(1);
          await scheduler.waitFor(house.engine.close());
          expect(house.engine.status().openLeases).toBe(0);
          expect(house.room.waiting).toBe(0);
        },
      ),
      { numRuns: 200 },
    );
  });
});
