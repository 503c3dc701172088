import {
  amountsInGrains,
  estimateInGrains,
  type Amounts,
  type AmountsInGrains,
  type Decision,
  type EpochMs,
  type ProviderReading,
} from "@quota/core";
import { admissionQuestion, laidOutAnew, type AdmissionQuestion } from "./admissionQuestion.js";
import { createAgreedWindows } from "./agreedWindows.js";
import { isPending, type Awaitable } from "./awaitable.js";
import { createBurnMeter } from "./burnMeter.js";
import { callerCheck } from "./callerCheck.js";
import { checkReadings } from "./checkReadings.js";
import { ContendedError } from "./contendedError.js";
import { decideOn } from "./decideAdmission.js";
import { createGovernedPools, type LivePool } from "./governedPools.js";
import { demandOf } from "./held.js";
import { createHoldRenewal } from "./holdRenewal.js";
import { createKeptReadings } from "./keptReadings.js";
import type { Lease } from "./lease.js";
import { createLeaseBook, generationAt, type HeldLease } from "./leaseBook.js";
import { monotoneClock } from "./monotoneClock.js";
import { createOutagePolicy } from "./outagePolicy.js";
import type { Admission, QuotaCaller, QuotaEngine, QuotaEngineOptions, QuotaRequest } from "./quotaEngine.js";
import { readPoolBurn } from "./readPoolBurn.js";
import { readPoolUsage } from "./readPoolUsage.js";
import { NOTHING } from "./rememberedUse.js";
import { createSignalIntake } from "./signalIntake.js";
import { createSignalRefresh } from "./signalRefresh.js";
import { createStoreWatch } from "./storeWatch.js";
import { createUseWriter } from "./useWriter.js";
import { validOptions } from "./validOptions.js";
import { MOVED } from "./windowState.js";

/** What is held for a request that says nothing of its cost: one request. */
const NO_ESTIMATE: Amounts = Object.freeze({});

/** How many connections' providers are remembered for {@link QuotaEngine.usage}. */
const MAX_PROVIDERS = 10_000;

/**
 * Makes an engine over a store, a pool directory and stored plans.
 *
 * @throws {QuotaConfigError} naming the option, for one that is out of range.
 * @example
 * const engine = createQuotaEngine({ store: createMemoryUsageStore(), pools, plans });
 * const { decision, lease } = await engine.admit({ apiKeyId: "alice", connectionId: "kimi-demo", provider: "kimi" });
 * if (lease) await engine.settle(lease, { tokens: 1200 });
 * else console.log(decision.status, decision.dimensions);
 */
export function createQuotaEngine(options: QuotaEngineOptions): QuotaEngine {
  const { store, pools, plans } = options;
  const { whenStoreFails, leaseMs, replicas, thresholdNow } = validOptions(options);
  const now = monotoneClock(options.clock ?? { now: Date.now });
  const governedPools = createGovernedPools({ pools, plans, leaseMs });
  const leases = createLeaseBook();
  const burn = createBurnMeter();
  const watch = createStoreWatch(options.logger);
  const outage = createOutagePolicy({ store, leases, watch, leaseMs, whenStoreFails, replicas });
  const windows = createAgreedWindows({ store, leaseMs, burn, outage });
  const writer = createUseWriter({ store, governedPools, leaseMs, watch, burn, windows, outage, now });
  const renewal = createHoldRenewal({ store, leases, leaseMs, watch, now });
  const validCaller = callerCheck();
  const lastProvider = new Map<string, string>();
  const kept = createKeptReadings();
  const intake = createSignalIntake({
    ...{ kept, leases, windows, watch, now, logger: options.logger },
    governing: (connectionId, provider) =>
      governedPools.ofConnection({ connectionId, provider: providerOf(connectionId) ?? provider }),
    write: (use) => writer.write(use),
  });
  const refresh =
    options.signalSource &&
    createSignalRefresh({
      source: options.signalSource,
      observe,
      newestAt: (connectionId) => kept.newestAt(connectionId),
      now,
      logger: options.logger,
    });

  async function admit(request: QuotaRequest): Promise<Admission> {
    const caller = validCaller(request);
    const costs = estimateInGrains(request.estimate ?? NO_ESTIMATE, "estimate");
    const saturationThreshold = thresholdNow();
    const at = now();
    let live: LivePool | undefined;
    let put: AdmissionQuestion | undefined;
    try {
      const found = governing(caller);
      live = isPending(found) ? await found : found;
      const question = admissionQuestion({ live, apiKeyId: caller.apiKeyId, costs, saturationThreshold }, at);
      if (question.status === "refused") return { decision: question };
      if (question.status === "ungoverned")
        return {
          decision: question,
          lease: leases.open({ caller, live, costs, judged: "ungoverned", generation: undefined }),
        };
      put = question;
      let decision = question.moment.isDue ? MOVED : await outage.decide(question, at);
      if (decision === MOVED)
        decision = await windows.within({ live: question.live }, at, () => {
          put = laidOutAnew(question, costs, at);
          return outage.decide(put, at);
        });
      watch.works();
      if (!decision.allowed) return { decision };
      renewal.start();
      const generation = generationAt(leaseMs, at);
      return {
        decision,
        lease: leases.open({ caller, live, costs: put.costs, judged: "governed", generation }),
      };
    } catch (cause) {
      if (cause instanceof ContendedError)
        return { decision: { status: "refused", allowed: false, reason: "contended", dimensions: [] } };
      return await outage.admit({ caller, live, costs, question: put, cause }, at);
    }
  }

  async function preview(request: QuotaRequest): Promise<Decision> {
    const caller = validCaller(request);
    const costs = estimateInGrains(request.estimate ?? NO_ESTIMATE, "estimate");
    const saturationThreshold = thresholdNow();
    const at = now();
    try {
      const live = await governing(caller);
      let question = admissionQuestion({ live, apiKeyId: caller.apiKeyId, costs, saturationThreshold }, at);
      if (question.status !== "question") return question;
      const read = ({ live, sheet }: AdmissionQuestion): Promise<readonly number[]> =>
        store.read(live.ledger, sheet.counters);
      let amounts = await read(question);
      if (amounts[amounts.length - 1] !== question.moment.revision) {
        await windows.look(question.live, at);
        question = laidOutAnew(question, costs, at);
        amounts = await read(question);
      }
      return decideOn(question, amounts, at).decision;
    } catch (cause) {
      watch.failed({ cause, at, consequence: "previews are answered unjudged" });
      return { status: "unjudged", allowed: true, cause, dimensions: [] };
    }
  }

  async function settle(lease: Lease, actual: Amounts = {}): Promise<void> {
    const given = amountsInGrains(actual, "actual");
    const held = close(lease, "settled");
    if (held === undefined) return;
    const { costs } = held;
    const requests = given.requests ?? costs.requests;
    const tokens = given.tokens ?? costs.tokens;
    // What was estimated to weigh so much is never what other tokens weigh.
    const pricedTokens = given.pricedTokens ?? (given.tokens === undefined ? costs.pricedTokens : undefined);
    // Written out: spreading an object costs more than the rest of this.
    await write(held, {
      percent: given.percent ?? costs.percent,
      requests,
      tokens,
      usd: given.usd ?? costs.usd,
      pricedTokens: demandOf({ pricedTokens, tokens, requests }),
    });
  }

  async function release(lease: Lease): Promise<void> {
    const held = close(lease, "released");
    if (held !== undefined) await write(held, NOTHING);
  }

  async function observe(connectionId: string, readings: readonly ProviderReading[]): Promise<void> {
    checkReadings(connectionId, readings);
    await intake.take(connectionId, readings);
  }

  function providerOf(connectionId: string): string | undefined {
    return options.providerOf?.(connectionId) ?? lastProvider.get(connectionId);
  }

  /** Undefined where there is nothing to write: it was closed before, or nobody counts. */
  function close(lease: Lease, state: "settled" | "released"): HeldLease | undefined {
    const held = leases.close(lease, state);
    return held?.judged === "ungoverned" ? undefined : held;
  }

  function write(held: HeldLease, actual: AmountsInGrains): Promise<void> {
    if (held.renewing !== undefined) return held.renewing.then(() => write(held, actual));
    // What a provider has said before this was over is no part of it: it must not be taken for demand that led to that.
    const taking = intake.pending(held.connectionId);
    return taking === undefined ? writeNow(held, actual) : taking.then(() => writeNow(held, actual));
  }

  function writeNow(held: HeldLease, used: AmountsInGrains): Promise<void> {
    const { caller, live, costs, generation, followed } = held;
    const actual = followed === 0 ? used : { ...used, pricedTokens: (used.pricedTokens ?? 0) - followed };
    const hold = generation === undefined ? undefined : { estimate: costs, generation };
    const budgeted = held.judged === "unjudged" && outage.ending(held, actual, now());
    return writer.write({ caller, live, actual, hold, budgeted });
  }

  function governing(caller: QuotaCaller): Awaitable<LivePool | undefined> {
    if (lastProvider.size >= MAX_PROVIDERS) lastProvider.clear();
    lastProvider.set(caller.connectionId, caller.provider);
    refresh?.touch(caller.connectionId);
    return governedPools.ofConnection(caller);
  }

  /** A pool with its windows as the ledger has them now, for display. */
  async function lookAt(
    poolId: string,
  ): Promise<{ readonly live: LivePool; readonly at: EpochMs } | undefined> {
    const pool = await pools.get(poolId);
    if (pool === undefined) return undefined;
    const { connectionId } = pool;
    refresh?.touch(connectionId);
    const live = await governedPools.of(pool, providerOf(connectionId) ?? "unknown");
    const at = now();
    await windows.look(live, at);
    return { live, at };
  }

  return {
    admit,
    settle,
    preview,
    release,
    peek: ({ apiKeyId, connectionId, provider }) =>
      preview({ apiKeyId, connectionId, provider, estimate: { requests: 0 } }),
    async consume(consumption) {
      const caller = validCaller(consumption);
      const actual = amountsInGrains(consumption.amounts, "amounts");
      const pricedTokens = demandOf(actual);
      await writer.write({ caller, live: undefined, actual: { ...actual, pricedTokens }, hold: undefined });
    },
    async usage(poolId) {
      const looked = await lookAt(poolId);
      if (looked === undefined) return undefined;
      const { live, at } = looked;
      const signals = kept.of(live.governed.pool.connectionId, at);
      return readPoolUsage({ live, store, burn, saturationThreshold: thresholdNow(), signals }, at);
    },
    async burn(poolId) {
      const looked = await lookAt(poolId);
      return looked && readPoolBurn({ live: looked.live, store, burn }, looked.at);
    },
    observe,
    follow(lease, producedSoFar) {
      const held = leases.find(lease);
      if (held !== undefined) held.producedSoFar = () => amountsInGrains(producedSoFar(), "producedSoFar()");
    },
    signalsOf: (connectionId) => kept.of(connectionId, now()),
    status: () => ({ openLeases: leases.size, remembered: writer.remembered, storeFailure: watch.failure }),
    async close() {
      await renewal.stop();
      await refresh?.close();
      await intake.idle();
      await writer.close();
    },
  };
}
