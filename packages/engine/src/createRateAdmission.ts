import {
  grains,
  idProblem,
  QuotaConfigError,
  type EpochMs,
  type RatePlanNode,
  type RateRefused,
} from "@quota/core";
import { ContendedError } from "./contendedError.js";
import { rateScopesLedger } from "./counterId.js";
import { monotoneClock } from "./monotoneClock.js";
import type {
  RateAdmission,
  RateAdmissionOptions,
  RateDecision,
  RateLease,
  RatePlanRequest,
  RateScopesRequest,
  RevisedRatePlan,
} from "./rateAdmission.js";
import { createRateLeases, type RateCharged } from "./rateLeases.js";
import { createRatePlanLedgers } from "./ratePlanLedgers.js";
import { createRatePlans } from "./ratePlans.js";
import { MINUTE_MS, ratePlanSheet, type RatePlanSheet } from "./ratePlanSheet.js";
import { rateRefused, contendedRate } from "./rateRefused.js";
import {
  minuteShape,
  rateBuckets,
  rateScopesCharge,
  rateScopesSheet,
  rateScopesVerdict,
  type RateScopesSheet,
} from "./rateScopesSheet.js";
import { createRateStore } from "./rateStore.js";
import { RatesUnavailableError } from "./ratesUnavailableError.js";
import { readRatePlanUsage } from "./readRatePlanUsage.js";
import { readRateTreeUsage } from "./readRateTreeUsage.js";
import { createStoreWatch } from "./storeWatch.js";

/** How long the store may take unless said otherwise. */
const DEFAULT_STORE_TIMEOUT_MS = 2000;

/** How often a settlement that met others is tried. */
const SETTLE_TRIES = 3;

/**
 * Makes a rate admission over a store: requests and tokens per minute, by a tree of limits or by limits side by side.
 *
 * @throws {QuotaConfigError} naming the option, for one that is out of range.
 * @example
 * const rates = createRateAdmission({ store: createMemoryUsageStore() });
 * const planted = plantRatePlan({ nodes: [{ id: "acme", kind: "organisation", rpm: 60 }, { id: "key-a", kind: "key", parent: "acme" }] });
 * if (!planted.ok) throw new Error(planted.faults.map(({ message }) => message).join(" "));
 * const asked = { id: "everybody", revision: 1, plan: planted.plan, path: ratePathFrom(planted.plan, "key-a") };
 * const decision = await rates.admitRatePlan(asked, 1200);
 * if (decision.allowed) await rates.settleRate(decision.lease, 900);
 * else console.log(decision.reason, decision.retryAt);
 */
export function createRateAdmission(options: RateAdmissionOptions): RateAdmission {
  const now = monotoneClock(options.clock ?? { now: Date.now });
  const watch = createStoreWatch(options.logger);
  const timeoutMs = validTimeout(options.storeTimeoutMs);
  const store = createRateStore({ store: options.store, watch, timeoutMs });
  const plans = createRatePlans(options.loadPlan);
  const ledgers = createRatePlanLedgers({ store, plans });
  const leases = createRateLeases();
  const scopeSheets = new WeakMap<readonly RatePlanNode[], RateScopesSheet>();

  async function admitRatePlan(asked: RatePlanRequest, estimate: number): Promise<RateDecision> {
    const tokens = grains(estimate, "estimate");
    const at = now();
    const leafId = leafOf(asked);
    if (leafId === undefined) return allowed(leases.open({ estimate: tokens, admittedAt: at }));
    const charged = (revised: RevisedRatePlan): RateLease => {
      const nodeIds = pathSheet(revised, leafId).sheet.rpm.map(({ node }) => node.id);
      const goneAt = (Math.floor(at / MINUTE_MS) + 1) * MINUTE_MS;
      return leases.open(
        { estimate: tokens, admittedAt: at },
        { kind: "plan", revised, leafId, nodeIds, goneAt },
      );
    };
    const job = {
      asked,
      work: { kind: "ask", estimate: tokens } as const,
      sheetIn: (revised: RevisedRatePlan) => pathSheet(revised, leafId),
      late: (revised: RevisedRatePlan) => giveBackLate(charged(revised)),
    };
    return orContended(at, async () => {
      const done = await ledgers.run(job, at);
      if (done.kind === "charged") return allowed(charged(done.revised));
      const { sheet } = pathSheet(done.revised, leafId);
      const retryAt = (Math.floor(at / MINUTE_MS) + 1) * MINUTE_MS;
      return rateRefused({ refusal: done.refusal, sheet, estimate: tokens, retryAt });
    });
  }

  async function admitRates(asked: RateScopesRequest, estimate: number): Promise<RateDecision> {
    const tokens = grains(estimate, "estimate");
    const shape = minuteShape(asked.sliding);
    const ledger = rateScopesLedger(validId(asked.id));
    const at = now();
    if (asked.scopes.length === 0) return allowed(leases.open({ estimate: tokens, admittedAt: at }));
    let laidOut = scopeSheets.get(asked.scopes);
    if (laidOut?.shape.slots !== shape.slots || laidOut.shape.edge !== shape.edge)
      scopeSheets.set(asked.scopes, (laidOut = rateScopesSheet(asked.scopes, shape)));
    const { sheet } = laidOut;
    const { buckets, chargedAt } = rateBuckets(shape, at);
    const step = { sheet, buckets, chargedAt, estimate: tokens };
    const bucket = buckets[chargedAt]!;
    const charged: RateCharged = { kind: "scopes", ledger, laidOut, bucket, goneAt: bucket.goneAt };
    const opened = (): RateLease => leases.open({ estimate: tokens, admittedAt: at }, charged);
    return orContended(at, async () => {
      const outcome = await store.transact(
        {
          ledger,
          counters: charged.laidOut.countersOf(buckets),
          now: at,
          decide: (amounts) => rateScopesVerdict(step, amounts, at),
        },
        ({ kind }) => {
          if (kind === "charged") giveBackLate(opened());
        },
      );
      if (outcome.kind === "charged") return allowed(opened());
      return rateRefused({ ...outcome, sheet, estimate: tokens });
    });
  }

  async function finish(
    lease: RateLease,
    state: "settled" | "released",
    difference: { readonly requests: number; readonly tokens: number },
  ): Promise<void> {
    const held = leases.close(lease, state);
    const at = now();
    if (held?.charged === undefined) return;
    const { charged } = held;
    const givesBack = difference.tokens < 0 || difference.requests < 0;
    if (givesBack && at >= charged.goneAt) return;
    if (difference.tokens === 0 && difference.requests === 0) return;
    try {
      await again(() => charge(charged, difference, at));
    } catch (cause) {
      const error =
        cause instanceof ContendedError
          ? new RatesUnavailableError("Others were in the way of a settlement.", { applied: "no", cause })
          : cause;
      if (error instanceof RatesUnavailableError && error.applied === "no") held.state = "open";
      throw error;
    }
  }

  async function charge(
    charged: RateCharged,
    difference: { readonly requests: number; readonly tokens: number },
    at: EpochMs,
  ): Promise<void> {
    if (charged.kind === "plan") {
      const sheetIn = (revised: RevisedRatePlan): RatePlanSheet => sheetLeft(charged, revised);
      await ledgers.run({ asked: charged.revised, work: { kind: "charge", ...difference }, sheetIn }, at);
      return;
    }
    const { ledger, laidOut } = charged;
    const { buckets, chargedAt } = rateBuckets(laidOut.shape, at);
    const bucket = difference.tokens > 0 ? buckets[chargedAt]! : charged.bucket;
    await store.transact({
      ledger,
      counters: laidOut.countersOf([bucket]),
      now: at,
      decide: (amounts) => rateScopesCharge({ sheet: laidOut.sheet, ...difference }, amounts),
    });
  }

  function pathSheet({ plan }: RevisedRatePlan, leafId: string): RatePlanSheet {
    return plans.pathSheet(plan, leafId);
  }

  /** A lease is settled on the nodes that were charged, as far as a newer plan still has them. */
  function sheetLeft(
    charged: RateCharged & { readonly kind: "plan" },
    revised: RevisedRatePlan,
  ): RatePlanSheet {
    if (revised.plan === charged.revised.plan) return pathSheet(revised, charged.leafId);
    return ratePlanSheet(charged.nodeIds.flatMap((id) => revised.plan.nodes.get(id) ?? []));
  }

  /** Whoever asked was answered 503: nobody will settle. A failure is in the log, and what stays charged is gone with its minute. */
  function giveBackLate(lease: RateLease): void {
    finish(lease, "released", { requests: -1, tokens: -lease.estimate }).catch((cause: unknown) => {
      watch.failed({
        cause,
        at: now(),
        consequence: "a request that nobody waits for stays charged this minute",
      });
    });
  }

  return {
    admitRatePlan,
    admitRates,
    async settleRate(lease, actualTokens) {
      const tokens = grains(actualTokens, "actualTokens") - lease.estimate;
      await finish(lease, "settled", { requests: 0, tokens });
    },
    releaseRate: (lease) => finish(lease, "released", { requests: -1, tokens: -lease.estimate }),
    async rateUsage(asked) {
      return readRatePlanUsage({ asked, leafId: leafOf(asked), plans, store }, now());
    },
    rateTreeUsage: (asked) => readRateTreeUsage({ asked, plans, store }, now()),
    status: () => ({ storeFailure: watch.failure }),
  };
}

function allowed(lease: RateLease): RateDecision {
  return { status: "allowed", allowed: true, lease };
}

async function orContended(
  at: EpochMs,
  ask: () => Promise<RateDecision>,
): Promise<RateDecision | RateRefused> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof ContendedError) return contendedRate(at);
    throw cause;
  }
}

/** A step that met others was not written: it may be tried again. */
async function again(work: () => Promise<void>): Promise<void> {
  for (let i = 1; ; i += 1)
    try {
      return await work();
    } catch (cause) {
      if (!(cause instanceof ContendedError) || i >= SETTLE_TRIES) throw cause;
    }
}

function leafOf({ plan, path = plan.path }: RatePlanRequest): string | undefined {
  return path[0]?.id;
}

function validId(id: string): string {
  const found = idProblem(id);
  if (found !== undefined) throw new QuotaConfigError({ field: "id", ...found });
  return id;
}

function validTimeout(ms = DEFAULT_STORE_TIMEOUT_MS): number {
  if (Number.isSafeInteger(ms) && ms >= 1 && ms <= 60_000) return ms;
  throw new QuotaConfigError({
    code: "out-of-range",
    field: "storeTimeoutMs",
    problem: `${String(ms)} is no time to wait.`,
    remedy: "Give whole milliseconds from 1 to 60000.",
  });
}
