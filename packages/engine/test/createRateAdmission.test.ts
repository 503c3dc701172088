import {
  plantRatePlan,
  plantRateScopes,
  QuotaConfigError,
  ratePathFrom,
  type RatePlanNodeInput,
} from "@quota/core";
import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import {
  ContendedError,
  createMemoryUsageStore,
  createRateAdmission,
  RatesUnavailableError,
  StoreError,
  type RateDecision,
  type RateLease,
  type RatePlanRequest,
  type Step,
  type UsageStore,
} from "../src/index.js";
import { ratePlanVerdict } from "../src/ratePlanStep.js";
import { ratePlanSheet } from "../src/ratePlanSheet.js";
import { rateBuckets, rateScopesSheet, rateScopesVerdict, minuteShape } from "../src/rateScopesSheet.js";

const MINUTE = 60_000;
const NOW = 28_333_333 * MINUTE + 20_000;

function plan(nodes: readonly RatePlanNodeInput[], leaf: string): RatePlanRequest {
  const planted = plantRatePlan({ nodes });
  if (!planted.ok) throw new Error(planted.faults.map(({ message }) => message).join(" "));
  return { id: "everybody", revision: 1, plan: planted.plan, path: ratePathFrom(planted.plan, leaf) };
}

const org = { id: "org", kind: "organisation" };
const key = { id: "key", kind: "key", parent: "org" };
const asked = plan(
  [
    { ...org, rpm: 10, tpm: 100 },
    { ...key, rpm: 2 },
  ],
  "key",
);

/** A store in front of a real one, in which something happens to each step before or after it is done. */
function meddled(around: <Result>(work: () => Promise<Result>) => Promise<Result>): UsageStore {
  const store = createMemoryUsageStore();
  return { ...store, transact: (step) => around(() => store.transact(step)) };
}

function leaseOf(decision: RateDecision): RateLease {
  if (!decision.allowed) throw new Error(decision.reason);
  return decision.lease;
}

describe("a store that fails", () => {
  test.each<[string, Error, "no" | "unknown"]>([
    ["before it has written", new StoreError("away", { applied: "no" }), "no"],
    ["after it may have written", new StoreError("cut off", { applied: "unknown" }), "unknown"],
    ["with an error of its own", new TypeError("odd"), "unknown"],
  ])("%s is an error to the caller, with its cause", async (_, cause, applied) => {
    const warnings: unknown[] = [];
    const rates = createRateAdmission({
      store: meddled(() => Promise.reject(cause)),
      logger: { warn: (entry, message) => warnings.push([entry.scope, message]) },
    });
    const failed = rates.admitRatePlan(asked, 1);
    await expect(failed).rejects.toBeInstanceOf(RatesUnavailableError);
    await expect(failed).rejects.toMatchObject({ applied, cause });
    expect(rates.status().storeFailure?.cause).toBe(cause);
    expect(warnings).toEqual([["quota:enforce", expect.stringContaining("answered 503")]]);
  });

  it("leaves a lease open whose settlement was not written, and closes one whose may have been", async () => {
    let failure: Error | undefined;
    const rates = createRateAdmission({
      store: meddled((work) => (failure === undefined ? work() : Promise.reject(failure))),
      clock: { now: () => NOW },
    });
    const used = async (): Promise<unknown> =>
      (await rates.rateUsage(asked)).nodes.map(({ tokens }) => tokens.used);
    const [first, second] = [
      leaseOf(await rates.admitRatePlan(asked, 10)),
      leaseOf(await rates.admitRatePlan(asked, 10)),
    ];
    failure = new StoreError("away", { applied: "no" });
    await expect(rates.settleRate(first, 15)).rejects.toMatchObject({ applied: "no" });
    expect(first.state).toBe("open");
    failure = new ContendedError();
    await expect(rates.settleRate(first, 15)).rejects.toMatchObject({ applied: "no", cause: failure });
    expect(first.state).toBe("open");
    failure = new StoreError("cut off", { applied: "unknown" });
    await expect(rates.settleRate(second, 15)).rejects.toMatchObject({ applied: "unknown" });
    expect(second.state).toBe("settled");
    failure = undefined;
    await rates.settleRate(first, 15);
    await rates.settleRate(second, 15);
    expect(await used()).toEqual([25, 25]);
    expect(rates.status().storeFailure).toBeUndefined();
  });

  it("that is only contended refuses, and lets a settlement try again", async () => {
    let conflicts = Infinity;
    const rates = createRateAdmission({
      store: meddled((work) => ((conflicts -= 1) >= 0 ? Promise.reject(new ContendedError()) : work())),
      clock: { now: () => NOW },
    });
    expect(await rates.admitRatePlan(asked, 1)).toEqual({
      status: "refused",
      allowed: false,
      reason: "contended",
      retryAt: NOW + 1000,
    });
    expect(rates.status().storeFailure).toBeUndefined();
    conflicts = 0;
    const lease = leaseOf(await rates.admitRatePlan(asked, 1));
    conflicts = 2;
    await rates.releaseRate(lease);
    expect((await rates.rateUsage(asked)).nodes[0]?.requests.used).toBe(0);
  });
});

describe("a store that does not answer in time", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is an error after two seconds, and what it admits later is given back", async () => {
    let answer: () => void = () => undefined;
    let slow = true;
    const rates = createRateAdmission({
      store: meddled(async (work) => {
        const result = await work();
        if (slow) await new Promise<void>((resolve) => (answer = resolve));
        return result;
      }),
      clock: { now: () => NOW },
    });
    const planted = plantRateScopes([{ id: "scope", kind: "scope", rpm: 1 }]);
    const scopes = { id: "scopes", scopes: planted.ok ? planted.scopes : [] };
    for (const ask of [() => rates.admitRatePlan(asked, 7), () => rates.admitRates(scopes, 7)]) {
      slow = true;
      const waiting = expect(ask()).rejects.toMatchObject({
        name: "RatesUnavailableError",
        applied: "unknown",
      });
      await vi.advanceTimersByTimeAsync(2000);
      await waiting;
      slow = false;
      answer();
      await vi.advanceTimersByTimeAsync(1);
      expect(leaseOf(await ask()).state).toBe("open");
    }
    expect((await rates.rateUsage(asked)).nodes[0]?.requests.used).toBe(1);
  });
});

describe("what is asked", () => {
  const rates = createRateAdmission({ store: createMemoryUsageStore() });

  it.each([
    ["id", { ...asked, id: "" }],
    ["id", { ...asked, id: "\ud800" }],
    ["revision", { ...asked, id: "a", revision: 1.5 }],
    ["revision", { ...asked, id: "b", revision: NaN }],
    ["revision", { ...asked, id: "c", revision: Number.MAX_SAFE_INTEGER }],
  ])("names the %s that is none", async (field, request) => {
    await expect(rates.admitRatePlan(request, 1)).rejects.toMatchObject({ name: "QuotaConfigError", field });
  });

  it.each([
    ["sliding.slots", { slots: 7 }],
    ["sliding.slots", { slots: 0 }],
    ["sliding.slots", { slots: 120 }],
    ["sliding.slots", { slots: "6" }],
    ["sliding.edge", { slots: 6, edge: "sharp" }],
  ])("names the %s of %j", async (field, sliding) => {
    const request = { id: "s", scopes: [], sliding: sliding as { slots: number } };
    await expect(rates.admitRates(request, 1)).rejects.toMatchObject({ name: "QuotaConfigError", field });
  });

  it.each([0, 0.5, 60_001, NaN])("names a time-out of %s", (storeTimeoutMs) => {
    expect(() => createRateAdmission({ store: createMemoryUsageStore(), storeTimeoutMs })).toThrow(
      QuotaConfigError,
    );
  });
});

it("a shared node that has counted up to 2^53 − 1 goes on letting everybody pass", async () => {
  const shared = plan([org, key], "key");
  const rates = createRateAdmission({ store: createMemoryUsageStore(), clock: { now: () => NOW } });
  for (let i = 0; i < 3; i += 1)
    expect((await rates.admitRatePlan(shared, Number.MAX_SAFE_INTEGER)).allowed).toBe(true);
  expect((await rates.rateUsage(shared)).nodes[1]?.tokens.used).toBe(Number.MAX_SAFE_INTEGER);
});

it("counters of a minute are kept for two, and the newest revision for good", async () => {
  const steps: Step<unknown>[] = [];
  const store = createMemoryUsageStore();
  const seen: UsageStore = {
    ...store,
    transact: (step) => {
      steps.push(step);
      return store.transact(step);
    },
  };
  await createRateAdmission({ store: seen, clock: { now: () => NOW } }).admitRatePlan(asked, 1);
  const start = NOW - 20_000;
  const [newest, ...others] = [...steps[0]!.counters].sort((a, b) => b.expiresAt - a.expiresAt);
  expect(newest).toMatchObject({ id: "revision|newest", bucket: 0, expiresAt: Date.UTC(9999, 11, 31) });
  for (const { bucket, expiresAt } of others)
    expect([bucket, expiresAt]).toEqual([start / MINUTE, start + 120_000]);
});

describe("the bounds of a step", () => {
  const { sheet, countersAt } = ratePlanSheet(asked.path!);
  const counters = countersAt(NOW / MINUTE);
  const work = { kind: "ask", estimate: 5 } as const;
  /** Every cell 0, then the newest revision and the minute's, each plus one. */
  const amounts = (newest: number, minute: number): number[] =>
    counters.map((_, i) => [newest, minute][i - counters.length + 2] ?? 0);

  it("let nobody charge under a revision that is not the newest any more", () => {
    const { holdsUpTo } = ratePlanVerdict({ revision: 4, sheet, work }, amounts(5, 5));
    expect(holdsUpTo!.slice(-2)).toEqual([5, 5]);
    expect(ratePlanVerdict({ revision: 4, sheet, work }, amounts(6, 5)).result).toEqual({
      kind: "newer",
      revision: 5,
    });
  });

  it("let one of those who open a minute write down its revision", () => {
    const { additions, holdsUpTo } = ratePlanVerdict({ revision: 4, sheet, work }, amounts(5, 0));
    expect(additions.slice(-2)).toEqual([0, 5]);
    expect(holdsUpTo!.slice(-2)).toEqual([5, 0]);
  });

  it("are exact where a newer revision is announced", () => {
    expect(ratePlanVerdict({ revision: 4, sheet, work }, amounts(3, 0)).holdsUpTo).toBeUndefined();
  });

  it("of a sliding minute reach as far as the limit, in the current slot alone", () => {
    const planted = plantRateScopes([{ id: "scope", kind: "scope", rpm: 10 }]);
    const shape = minuteShape({ slots: 2 });
    const laidOut = rateScopesSheet(planted.ok ? planted.scopes : [], shape);
    const at = NOW;
    const { buckets, chargedAt } = rateBuckets(shape, at);
    const step = { sheet: laidOut.sheet, buckets, chargedAt, estimate: 0 };
    // Next, current, previous, and the oldest slot, of which 10 s of 30 are still covered.
    const read = [0, 2, 1, 4, 0, 0, 0, 0];
    const verdict = rateScopesVerdict(step, read, at);
    expect(verdict.result).toEqual({ kind: "charged" });
    expect(verdict.additions).toEqual([0, 1, 0, 0, 0, 0, 0, 0]);
    const bounds = verdict.holdsUpTo as readonly number[];
    expect(bounds.slice(0, 4)).toEqual([0, 6, 1, 4]);
    expect(
      rateScopesVerdict(
        step,
        bounds.map((bound, i) => (i < 4 ? bound : 0)),
        at,
      ).result.kind,
    ).toBe("charged");
    const over = bounds.map((bound, i) => (i === 1 ? bound + 1 : i < 4 ? bound : 0));
    expect(rateScopesVerdict(step, over, at).result.kind).toBe("refused");
  });
});
