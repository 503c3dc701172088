import { amountsInGrains, QuotaConfigError } from "@quota/core";
import type { Lease } from "./lease.js";
import type { Logger, QuotaRequest } from "./quotaEngine.js";
import type { RateAdmission, RateDecision, RateLease, RatePlanRequest } from "./rateAdmission.js";
import type { RatedAdmission, RatedEngine } from "./ratedAdmission.js";
import { RatesUnavailableError } from "./ratesUnavailableError.js";

export interface WithRatePlanOptions {
  /** A `QuotaEngine`, or one with budgets before its pools: `withBudgets`. */
  readonly engine: RatedEngine;
  readonly rates: Pick<RateAdmission, "admitRatePlan" | "settleRate" | "releaseRate">;
  /** The plan as this process knows it, and the request's path in it. Undefined, or an empty path: the request has no limit to ask. */
  readonly planOf: (request: QuotaRequest) => RatePlanRequest | undefined;
  readonly logger?: Logger | undefined;
}

/** What {@link withRatePlan} makes. */
export interface RatePlanFirst extends RatedEngine {
  /** Waits for what is being settled or released in the plan. The engine and the store are the caller's to close, after this. */
  close(): Promise<void>;
}

/**
 * Puts a rate plan before the pools: a request passes the plan, then the pool of its connection, and both are settled by what it took.
 *
 * - Refused by the pool, or failed there, it has given back what the plan had charged before anybody is answered.
 * - Where rates cannot be judged nobody passes (`unavailable`, 503): they fail closed, as pools need not.
 * - A request without a limit on its path costs what it costs without a plan: nothing is asked.
 * - A waiting room in front of it holds what either refuses, and asks both afresh at every turn: nothing is kept of the plan
 *   meanwhile, and what is let in at last is charged to the minute it is let in. (`preview` looks at the pool alone.)
 *
 * @example
 * const rated = withRatePlan({ engine, rates, planOf: ({ apiKeyId }) => ({ id: "gateway", revision, plan, path: ratePathFrom(plan, apiKeyId) }) });
 * const { decision, lease } = await rated.admit({ apiKeyId: "dora", connectionId: "seat", provider: "kimi" });
 * if (lease) await rated.settle(lease, { tokens: 900 });
 */
export function withRatePlan({ engine, rates, planOf, logger }: WithRatePlanOptions): RatePlanFirst {
  const charged = new WeakMap<Lease, RateLease>();
  const closing = new Set<Promise<void>>();

  async function admit(request: QuotaRequest): Promise<RatedAdmission> {
    const asked = planOf(request);
    if (asked === undefined || (asked.path ?? asked.plan.path).length === 0) return engine.admit(request);
    let rated: RateDecision;
    try {
      rated = await ask(request, asked);
    } catch (cause) {
      if (!(cause instanceof RatesUnavailableError)) throw cause;
      return { decision: { status: "unavailable", allowed: false, cause, dimensions: [] } };
    }
    if (!rated.allowed) return { decision: rated };
    try {
      const admission = await engine.admit(request);
      if (admission.lease === undefined) await giveBack(rated.lease);
      else charged.set(admission.lease, rated.lease);
      return admission;
    } catch (error) {
      await giveBack(rated.lease);
      throw error;
    }
  }

  /** A key that a newer plan does not have any more is asked about once more, under that plan. */
  async function ask(request: QuotaRequest, asked: RatePlanRequest): Promise<RateDecision> {
    const tokens = Math.ceil(request.estimate?.tokens ?? 0);
    try {
      return await rates.admitRatePlan(asked, tokens);
    } catch (error) {
      const now = planOf(request);
      const isGone = error instanceof QuotaConfigError && error.code === "unknown-rate-node";
      if (!isGone || now?.revision === asked.revision) throw error;
      return await rates.admitRatePlan(now ?? { ...asked, path: [] }, tokens);
    }
  }

  async function giveBack(lease: RateLease): Promise<void> {
    await closed(rates.releaseRate(lease), "A request that cost nothing stays charged this minute.");
  }

  /** What the plan is not told is gone with the minute; the pool, and the client, need not know. */
  function closed(work: Promise<void>, otherwise: string): Promise<void> {
    const done = work
      .catch((err: unknown) => logger?.warn({ scope: "quota:rates", err }, otherwise))
      .finally(() => closing.delete(done));
    closing.add(done);
    return done;
  }

  return {
    admit,
    preview: (request) => engine.preview(request),
    follow: (lease, producedSoFar) => engine.follow?.(lease, producedSoFar),
    async settle(lease, actual) {
      const rated = charged.get(lease);
      if (rated === undefined) return engine.settle(lease, actual);
      // An amount that cannot be counted leaves both leases open.
      if (actual !== undefined) amountsInGrains(actual, "actual");
      const told = closed(
        rates.settleRate(rated, actual?.tokens ?? rated.estimate),
        "A request stays charged as estimated this minute.",
      );
      await Promise.all([engine.settle(lease, actual), told]);
    },
    async release(lease) {
      const rated = charged.get(lease);
      if (rated === undefined) return engine.release(lease);
      await Promise.all([engine.release(lease), giveBack(rated)]);
    },
    async close() {
      while (closing.size > 0) await Promise.all(closing);
    },
  };
}
