import { amountsInGrains, grains, type BudgetDecision, type EpochMs, type NanoUsd } from "@quota/core";
import type { BudgetHold, BudgetLedger } from "./budgetLedger.js";
import { createBudgetRenewal } from "./budgetRenewal.js";
import { inRange } from "./inRange.js";
import type { Lease } from "./lease.js";
import { monotoneClock } from "./monotoneClock.js";
import type { Logger, QuotaRequest } from "./quotaEngine.js";
import type { RatedAdmission, RatedEngine } from "./ratedAdmission.js";
import type { RequestSpend } from "./requestSpend.js";
import { StoreError } from "./storeError.js";
import { validOptions } from "./validOptions.js";
import { withinTime } from "./withinTime.js";

export interface WithBudgetsOptions {
  readonly engine: RatedEngine;
  readonly budgets: Pick<BudgetLedger, "budgeted" | "hold" | "answer" | "release" | "renew">;
  /** Who pays for a request, and what it may cost; undefined: nobody does. Default: the request's own `spend`. */
  readonly spendOf?: ((request: QuotaRequest) => RequestSpend | undefined) | undefined;
  /** How long a hold outlives the process that took it. Default 600 000 ms; what is under way is renewed each half of it. */
  readonly leaseMs?: number | undefined;
  /** How long the ledger may take to answer a request, to correct what it holds, and to give it back, in milliseconds; default 2000. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: { now(): EpochMs } | undefined;
  readonly logger?: Logger | undefined;
}

/** What {@link withBudgets} makes. */
export interface BudgetsFirst extends RatedEngine {
  /** What an admitted request holds of budgets; undefined where none was asked. */
  heldOf(lease: Lease): HeldSpend | undefined;
  /**
   * The request cost this: call it as soon as its event is handed in. Not before: the cost of an event that is handed in no more, as the process was killed, would be
   * pending for ever. It may come after `settle`, and again after a failure; only the first that is written counts. Nothing happens where no budget was asked, or where the
   * ledger has the event.
   *
   * @throws {InvalidAmountError} for what is no amount. @throws {StoreError} when it could not be written: what was estimated is held on, and
   * renewed until the lease is settled.
   */
  answer(lease: Lease, cost: NanoUsd | "unpriced"): Promise<void>;
  /** Renews no more, and waits for what is being released. The engine and the ledger are the caller's to close, after this. */
  close(): Promise<void>;
}

/** A request as the ledger of budgets knows it. Its spend event says the same. */
export type HeldSpend = Pick<BudgetHold, "requestId" | "subjects" | "startedAt">;

/**
 * Puts budgets before the pools: a request holds its estimate of the budgets of those who pay for it, then asks the pool of its connection.
 *
 * - Refused by the pool, or failed there, it holds nothing any more before anybody is answered.
 * - Where the ledger cannot answer nobody passes who has a budget (`unavailable`, 503).
 * - A request without a budget costs what it costs without budgets: nothing is asked.
 * - What is held lasts until `answer` corrects it, `release` gives it back, or its lease ends, because the process has died or `settle` was all it
 *   heard. From the answer on it expires no more: the commit of the event takes it away.
 *
 * `withRatePlan` goes around it: rate plan, budgets, pool.
 *
 * @example
 * const budgeted = withBudgets({ engine, budgets });
 * const spend = { requestId: "req_1", subjects: [{ kind: "key", id: "dora" }], estimate: 1_200_000 } as const;
 * const { lease } = await budgeted.admit({ apiKeyId: "dora", connectionId: "seat", provider: "kimi", spend });
 * if (lease) {
 *   await queue.enqueueSpend({ ...spend, cost: 900_000, startedAt: budgeted.heldOf(lease)?.startedAt, endedAt: Date.now(), outcome: "answered" }, Date.now());
 *   await budgeted.answer(lease, 900_000);
 *   await budgeted.settle(lease);
 * }
 */
export function withBudgets(options: WithBudgetsOptions): BudgetsFirst {
  const { engine, budgets, logger } = options;
  const spendOf = options.spendOf ?? ((request: QuotaRequest) => request.spend);
  const { leaseMs } = validOptions({ leaseMs: options.leaseMs });
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  inRange({ field: "timeoutMs", value: timeoutMs, from: 1, to: 60_000, unit: "milliseconds" });
  const now = monotoneClock(options.clock ?? { now: () => Date.now() });
  const held = new WeakMap<Lease, Held>();
  const closing = new Set<Promise<void>>();
  const renewal = createBudgetRenewal({
    renew: (requestIds, leaseEnd) => budgets.renew(requestIds, leaseEnd),
    leaseMs,
    now,
    logger,
  });

  async function admit(request: QuotaRequest): Promise<RatedAdmission> {
    const spend = spendOf(request);
    if (spend === undefined) return engine.admit(request);
    let taken: Taken | undefined;
    try {
      const payers = budgets.budgeted(spend.subjects);
      if (("then" in payers ? await payers : payers).length > 0) taken = await take(spend);
    } catch (cause) {
      if (!(cause instanceof StoreError)) throw cause;
      return { decision: { status: "unavailable", allowed: false, cause, dimensions: [] } };
    }
    if (taken === undefined) return engine.admit(request);
    if (!taken.decision.allowed) return { decision: taken.decision };
    try {
      const admission = await engine.admit(request);
      if (admission.lease === undefined) await giveBack(spend.requestId);
      else {
        held.set(admission.lease, { ...taken.hold, state: "open" });
        renewal.add(spend.requestId);
      }
      return admission;
    } catch (error) {
      await giveBack(spend.requestId);
      throw error;
    }
  }

  async function take({ requestId, subjects, estimate }: RequestSpend): Promise<Taken> {
    if (estimate !== "unpriced") grains(estimate, "spend.estimate");
    const startedAt = now();
    const hold: BudgetHold = { requestId, subjects, startedAt, estimate, leaseEnd: startedAt + leaseMs };
    try {
      const decision = await withinTime(budgets.hold(hold, startedAt), {
        ms: timeoutMs,
        late: () => void giveBack(requestId),
        error: tooLate,
      });
      return { decision, hold: { requestId, subjects, startedAt } };
    } catch (cause) {
      // Nobody will answer for what may have been written all the same.
      if (cause instanceof StoreError && cause.applied === "unknown") void giveBack(requestId);
      throw cause;
    }
  }

  function tooLate(): StoreError {
    const text = `The ledger of budgets did not answer within ${String(timeoutMs)} ms.`;
    return new StoreError(text, { applied: "unknown" });
  }

  /** What cannot be given back ends with its lease. */
  function giveBack(requestId: string): Promise<void> {
    const done = withinTime(budgets.release(requestId), { ms: timeoutMs, error: tooLate })
      .catch((err: unknown) => {
        const text = "What a request held of a budget could not be given back; it ends with its lease.";
        logger?.warn({ scope: "quota:budgets", err }, text);
      })
      .finally(() => closing.delete(done));
    closing.add(done);
    return done;
  }

  /** Undefined where nothing was held, or the lease is closed already. */
  function closed(lease: Lease): Held | undefined {
    const found = held.get(lease);
    if (found === undefined || found.state === "closed") return undefined;
    const { state } = found;
    found.state = "closed";
    renewal.drop(found.requestId);
    return state === "open" ? found : undefined;
  }

  return {
    admit,
    preview: (request) => engine.preview(request),
    follow: (lease, producedSoFar) => engine.follow?.(lease, producedSoFar),
    heldOf(lease) {
      const found = held.get(lease);
      return found && { requestId: found.requestId, subjects: found.subjects, startedAt: found.startedAt };
    },
    async answer(lease, cost) {
      if (cost !== "unpriced") grains(cost, "cost");
      const found = held.get(lease);
      if (found === undefined) return;
      const { requestId, subjects, startedAt } = found;
      const isWritten = (): void => {
        if (found.state === "open") found.state = "answered";
        renewal.drop(requestId);
      };
      await withinTime(budgets.answer({ requestId, subjects, startedAt, cost }, now()), {
        ms: timeoutMs,
        late: isWritten,
        error: tooLate,
      });
      isWritten();
    },
    async settle(lease, actual) {
      // An amount that cannot be counted leaves both open.
      if (actual !== undefined) amountsInGrains(actual, "actual");
      closed(lease);
      await engine.settle(lease, actual);
    },
    async release(lease) {
      const open = closed(lease);
      if (open === undefined) return engine.release(lease);
      await Promise.all([engine.release(lease), giveBack(open.requestId)]);
    },
    async close() {
      await renewal.stop();
      while (closing.size > 0) await Promise.all(closing);
    },
  };
}

const DEFAULT_TIMEOUT_MS = 2000;

interface Held extends HeldSpend {
  /** `"answered"`: it holds until its event is in the ledger. `"closed"`: settled or released. */
  state: "open" | "answered" | "closed";
}

interface Taken {
  readonly decision: BudgetDecision;
  readonly hold: HeldSpend;
}
