import fc from "fast-check";
import {
  WINDOW_MS,
  type AllocationSpec,
  type Decision,
  type DimensionSpec,
  type DimensionUsage,
  type Policy,
  type ReserveCurve,
} from "@quota/core";
import {
  createMemoryUsageStore,
  type Lease,
  type QuotaEngine,
  type QuotaEngineOptions,
  type Step,
  type UsageStore,
} from "@quota/engine";
import { engineOver, START } from "./engineOver.js";
import { reserveModel, type ModelHold, type ReserveModel } from "./reserveModel.js";

export const KEYS = ["alice", "bob", "carol", "mallory"] as const;

/** A pool under `reserve`, and who may do what in it. */
export interface Terms {
  readonly dimensions: readonly DimensionSpec[];
  readonly allocations: readonly AllocationSpec[];
  readonly unallocated: Unallocated;
  readonly curve: ReserveCurve;
  readonly leaseMs: number;
}

type Unallocated = "borrow" | "allow";

export type Event =
  | { readonly does: "admit"; readonly key: number; readonly cost: number; readonly by: number }
  /** The last request is asked again. */
  | { readonly does: "again" }
  | { readonly does: "settle"; readonly which: number; readonly part: number }
  | { readonly does: "release"; readonly which: number }
  /** The process that held it is gone: nobody settles it. */
  | { readonly does: "die"; readonly which: number }
  | { readonly does: "consume"; readonly key: number; readonly cost: number }
  | { readonly does: "see"; readonly quarters: number }
  | { readonly does: "wait"; readonly ms: number }
  /** Until a part of the longest or shortest window has passed, or until what is held now is gone. */
  | { readonly does: "waitUntil"; readonly part: number; readonly of: number };

const LIMITS = [20, 64, 100, 1000];

function allocation(apiKeyId: string, kind: "plain" | "hard" | "any"): fc.Arbitrary<AllocationSpec> {
  const plain = kind === "plain";
  return fc
    .record({
      weight: fc.constantFrom(0, 10, 25, 30, 50),
      policy:
        kind === "any"
          ? fc.constantFrom<Policy>("hard", "hard", "hard", "soft", "burst")
          : fc.constant<Policy>("hard"),
      lend: plain ? fc.constant(true) : fc.constantFrom(true, true, true, false),
      lendingLimit: plain ? fc.constant(undefined) : fc.constantFrom(undefined, undefined, 10, 20),
      borrowingLimit: plain
        ? fc.constant(undefined)
        : fc.constantFrom(undefined, undefined, undefined, 0, 10),
      capValue: plain ? fc.constant(undefined) : fc.constantFrom(undefined, undefined, undefined, 15, 40),
    })
    .map(({ lend, lendingLimit, borrowingLimit, capValue, weight, policy }) => ({
      ...{ apiKeyId, weight, policy },
      ...(lend ? lendingLimit !== undefined && { lendingLimit } : { lend }),
      ...(borrowingLimit !== undefined && { borrowingLimit }),
      ...(capValue !== undefined && { capValue, capUnit: "tokens" as const }),
    }));
}

/** @param kind `plain`: every key is hard and lends, without limits or caps; `hard`: every key is hard. */
export function termsOf(kind: "plain" | "hard" | "any"): fc.Arbitrary<Terms> {
  return fc.record({
    dimensions: fc.oneof(
      fc.tuple(dimension("tokens", "hourly")),
      fc.tuple(dimension("requests", "5h"), dimension("tokens", "hourly")),
      fc.tuple(dimension("requests", "hourly"), dimension("tokens", "5h")),
    ),
    allocations: fc
      .tuple(allocation("alice", kind), allocation("bob", kind), allocation("carol", kind))
      .filter((all) => {
        const weights = all.reduce((sum, { weight }) => sum + weight, 0);
        return weights > 0 && weights <= 100;
      }),
    unallocated:
      kind === "any" ? fc.constantFrom<Unallocated>("borrow", "allow") : fc.constant<Unallocated>("borrow"),
    curve: fc.constantFrom<ReserveCurve>("pace", "pace", { hold: 1 }, { hold: 4 }, { hold: 1000 }),
    leaseMs: fc.constantFrom(200_000, 600_000, 1_700_000, 5_000_000),
  });
}

function dimension(unit: "tokens" | "requests", window: "hourly" | "5h"): fc.Arbitrary<DimensionSpec> {
  return fc.constantFrom(...LIMITS).map((limit) => ({ unit, window, limit, anchor: "epoch" as const }));
}

const key = fc.nat(KEYS.length - 1);
const cost = fc.oneof(fc.nat(12), fc.constantFrom(0, 1, 5, 10, 20, 25, 30, 50, 200));

/** @param kind `tame`: nothing costs more than its estimate, nobody consumes without asking, and no provider sees more. */
export function eventsOf(kind: "tame" | "any", maxLength = 40): fc.Arbitrary<readonly Event[]> {
  const which = fc.nat(20);
  const arbitrary = (weight: number, event: fc.Arbitrary<Event>) => ({ weight, arbitrary: event });
  const tame = [
    arbitrary(10, fc.record({ does: fc.constant("admit" as const), key, cost, by: fc.nat(1) })),
    arbitrary(4, fc.record({ does: fc.constant("again" as const) })),
    arbitrary(
      4,
      fc.record({
        does: fc.constant("settle" as const),
        which,
        part: kind === "tame" ? fc.constantFrom(1, 1, 0.5, 0) : fc.constantFrom(1, 1, 0.5, 0, 1.5, 3),
      }),
    ),
    arbitrary(2, fc.record({ does: fc.constant("release" as const), which })),
    arbitrary(1, fc.record({ does: fc.constant("die" as const), which })),
    arbitrary(
      2,
      fc.record({ does: fc.constant("wait" as const), ms: fc.oneof(fc.nat(5000), fc.nat(900_000)) }),
    ),
    arbitrary(
      2,
      fc.record({
        does: fc.constant("waitUntil" as const),
        part: fc.constantFrom(0.25, 0.5, 0.9, 0.98, 1),
        of: fc.nat(2),
      }),
    ),
  ];
  const wild = [
    arbitrary(2, fc.record({ does: fc.constant("consume" as const), key, cost })),
    arbitrary(1, fc.record({ does: fc.constant("see" as const), quarters: fc.nat(5) })),
  ];
  return fc.array(fc.oneof(...(kind === "tame" ? tame : [...tame, ...wild])), {
    minLength: Math.floor(maxLength / 3),
    maxLength,
    size: "max",
  });
}

/** Counts what a store is asked, so that a look at every key's reserve can be told from a look at one. */
export function countingStore(store: UsageStore = createMemoryUsageStore()): UsageStore & {
  readonly steps: number[];
} {
  const steps: number[] = [];
  return {
    ...store,
    steps,
    transact: <Result>(step: Step<Result>) => {
      steps.push(step.counters.length);
      return store.transact(step);
    },
  };
}

/** What is seen after every event. */
export interface Seen {
  readonly event: Event;
  readonly decision: Decision | undefined;
  /** As the model has it, before and after the event. */
  readonly before: ReserveModel;
  readonly model: ReserveModel;
  readonly key: string | undefined;
  readonly costs: readonly number[] | undefined;
  readonly isSwept: boolean;
  readonly usage: readonly DimensionUsage[];
}

/** The world that a history plays in: two engines over one store, and the model beside them. */
export async function worldOf(terms: Terms, options: Partial<QuotaEngineOptions> = {}) {
  const { dimensions, allocations, unallocated, curve, leaseMs } = terms;
  const store = countingStore(options.store);
  const world = await engineOver({
    ...options,
    store,
    dimensions,
    leaseMs,
    pool: { allocations, unallocated, lending: { rule: "reserve", curve } },
  });
  const model = reserveModel(terms, START);
  // Whoever comes first has reserves reckoned: here while nothing is used.
  const first = await world.admit(allocations[0]!.apiKeyId, { requests: 0, tokens: 0 });
  if (first.lease) await world.engine.release(first.lease);
  return { world, store, model, engines: [world.engine, world.another()] as const };
}

/** Plays a history on the engines and in the model, and shows both after every event. */
export async function play(
  terms: Terms,
  events: readonly Event[],
  inspect: (seen: Seen) => void | Promise<void>,
  {
    names = KEYS,
    isTame = false,
  }: {
    readonly names?: readonly string[];
    /** Nothing is settled whose hold has evaporated. */
    readonly isTame?: boolean;
  } = {},
  then?: (after: Awaited<ReturnType<typeof worldOf>>) => Promise<void>,
): Promise<void> {
  const played = await worldOf(terms);
  const { world, store, model, engines } = played;
  const open: { readonly by: QuotaEngine; readonly lease: Lease; readonly hold: ModelHold }[] = [];
  const costsOf = (amount: number): readonly number[] =>
    terms.dimensions.map(({ unit }) => (unit === "tokens" ? amount : 1));
  const estimateOf = (amount: number) => ({ tokens: amount });
  let last: Exclude<Event, { does: "again" }> = { does: "wait", ms: 0 };
  // What was seen of a window without an end of the provider's binds for its length.
  let seenUntil = Infinity;
  for (const happens of events) {
    const event: Exclude<Event, { does: "again" }> = happens.does === "again" ? last : happens;
    if (event.does === "admit") last = event;
    // No key can have every reserve looked at more often than ten times a second.
    if (event.does === "admit") world.time.now += 101;
    if (event.does === "wait") world.time.now += event.ms;
    if (event.does === "waitUntil") world.time.now = momentOf(terms, event, world.time.now);
    model.passTo(world.time.now);
    if (world.time.now >= seenUntil) model.outside[0] = 0;
    const before = model.clone();
    let decision: Decision | undefined;
    let isSwept = false;
    let key: string | undefined;
    let costs: readonly number[] | undefined;
    if (event.does === "admit") {
      key = names[event.key]!;
      costs = costsOf(event.cost);
      const by = engines[event.by]!;
      const from = store.steps.length;
      const admission = await by.admit({ ...world.caller(key), estimate: estimateOf(event.cost) });
      decision = admission.decision;
      // A refusal that stands takes one step; every reserve is looked at in a step of its own.
      isSwept = decision.dimensions.some(({ reserve }) => reserve?.isExact) && store.steps.length - from > 1;
      if (isSwept && model.ask(key, costs).status === "refused") model.cut();
      if (admission.lease) open.push({ by, lease: admission.lease, hold: model.hold(key, costs) });
    } else if (event.does === "consume") {
      key = names[event.key]!;
      await engines[0].consume({ ...world.caller(key), amounts: { tokens: event.cost, requests: 1 } });
      model.consume(key, costsOf(event.cost));
    } else if (event.does === "see") {
      const { unit, window } = terms.dimensions[0]!;
      seenUntil = world.time.now + WINDOW_MS[window];
      await engines[0].observe("seat", [
        {
          ...{ provider: "kimi", unit, window, source: "test" },
          ...{ utilization: event.quarters / 4, receivedAt: world.time.now },
        },
      ]);
    } else if (event.does !== "wait" && event.does !== "waitUntil" && open.length > 0) {
      const [{ by, lease, hold }] = open.splice(event.which % open.length, 1) as [(typeof open)[number]];
      if (isTame && Math.floor(world.time.now / terms.leaseMs) - hold.generation > 1) continue;
      const tokens = terms.dimensions.findIndex(({ unit }) => unit === "tokens");
      if (event.does === "settle") {
        const used = Math.round((hold.costs[tokens] ?? 0) * event.part);
        await by.settle(lease, { tokens: used });
        await by.settle(lease, { tokens: used + 1 });
        model.settle(hold, costsOf(used));
      } else if (event.does === "release") {
        await by.release(lease);
        await by.release(lease);
        model.settle(
          hold,
          terms.dimensions.map(() => 0),
        );
      }
    }
    const usage = (await engines[1].usage(world.pool.id))!.dimensions;
    usage.forEach(({ outside }, d) => (model.outside[d] = outside));
    await inspect({ event, decision, before, model, key, costs, isSwept, usage });
  }
  await then?.(played);
}

function momentOf(
  { dimensions, leaseMs }: Terms,
  { part, of }: { readonly part: number; readonly of: number },
  now: number,
): number {
  if (of === 2) return (Math.floor(now / leaseMs) + 2) * leaseMs;
  const lengthMs = WINDOW_MS[dimensions[of % dimensions.length]!.window];
  const opens = Math.floor(now / lengthMs) * lengthMs;
  const at = opens + Math.ceil(part * lengthMs);
  return at > now ? at : at + lengthMs;
}
