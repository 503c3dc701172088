import {
  amountsInGrains,
  estimateInGrains,
  type Amounts,
  type AmountsInGrains,
  type Decision,
  type EpochMs,
  type ProviderReading,
  type Refused,
} from "@quota/core";
import { admissionQuestion, laidOutAnew, type AdmissionQuestion } from "./admissionQuestion.js";
import { createAgreedWindows } from "./agreedWindows.js";
import { isPending, type Awaitable } from "./awaitable.js";
import { createBurnMeter } from "./burnMeter.js";
import { callerCheck } from "./callerCheck.js";
import { checkReadings } from "./checkReadings.js";
import { ContendedError } from "./contendedError.js";
import { decideOn, type DecidedAdmission } from "./decideAdmission.js";
import { createGovernedPools, type LivePool } from "./governedPools.js";
import { demandOf, heldFromReserves } from "./held.js";
import { createHoldRenewal } from "./holdRenewal.js";
import { createKeptReadings } from "./keptReadings.js";
import type { Lease } from "./lease.js";
import { createLeaseBook, generationAt, type HeldLease } from "./leaseBook.js";
import { monotoneClock } from "./monotoneClock.js";
import { createOutagePolicy } from "./outagePolicy.js";
import { createPoolLooks } from "./poolLooks.js";
import type { Admission, QuotaCaller, QuotaEngine, QuotaEngineOptions, QuotaRequest } from "./quotaEngine.js";
import { NOTHING } from "./rememberedUse.js";
import { createReserveSweeps } from "./reserveSweeps.js";
import { createSignalIntake } from "./signalIntake.js";
import { createSignalRefresh } from "./signalRefresh.js";
import { StalePoolError } from "./stalePoolError.js";
import { createStoreWatch } from "./storeWatch.js";
import { decideOnAll, sweepSheet } from "./sweepStep.js";
import { createUseWriter } from "./useWriter.js";
import { validOptions } from "./validOptions.js";
import { MOVED } from "./windowState.js";

/** What is held for a request that says nothing of its cost: one request. */
const NO_ESTIMATE: Amounts = Object.freeze({});

/** How often a pool that has been changed meanwhile is looked up again. */
const ATTEMPTS = 2;

const CONTENDED: Refused = Object.freeze({
  status: "refused",
  allowed: false,
  reason: "contended",
  dimensions: [],
});

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
  const sweeps = createReserveSweeps(store);
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

  const looks = createPoolLooks({
    ...{ store, pools, governedPools, windows, burn, kept, now, thresholdNow, validCaller },
    providerOf: (connectionId) => providerOf(connectionId) ?? "unknown",
    touch: (connectionId) => refresh?.touch(connectionId),
  });

  async function admit(request: QuotaRequest, attempt = 0): Promise<Admission> {
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
      let answer = question.moment.isDue ? MOVED : await outage.decide(question, at);
      if (answer !== MOVED && sweeps.isOpen(answer)) answer = await sweeps.decide(question, answer, at);
      if (answer === MOVED)
        answer = await windows.within({ live: question.live }, at, async () => {
          put = laidOutAnew(question, costs, at);
          const unswept = await outage.decide(put, at);
          return unswept !== MOVED && sweeps.isOpen(unswept) ? sweeps.decide(put, unswept, at) : unswept;
        });
      watch.works();
      const { reserves } = answer;
      const shadowed = withShadow(put, answer, at);
      const decision = isPending(shadowed) ? await shadowed : shadowed;
      if (!decision.allowed) return { decision };
      renewal.start();
      const generation = generationAt(leaseMs, at);
      const { sharesBase } = put.moment;
      const held =
        reserves === undefined ? put.costs : heldFromReserves(put.costs, { ownIn: reserves, sharesBase });
      return { decision, lease: leases.open({ caller, live, costs: held, judged: "governed", generation }) };
    } catch (cause) {
      // The directory may know of the newer version by now.
      if (cause instanceof StalePoolError && attempt < ATTEMPTS) return await admit(request, attempt + 1);
      if (cause instanceof ContendedError || cause instanceof StalePoolError) return { decision: CONTENDED };
      return await outage.admit({ caller, live, costs, question: put, cause }, at);
    }
  }

  /** The shadow's word is told, too, where a look at every reserve is needed for it. */
  function withShadow(
    question: AdmissionQuestion,
    answer: DecidedAdmission,
    at: EpochMs,
  ): Awaitable<DecidedAdmission["decision"]> {
    const { decision } = answer;
    const { shadow } = question.moment.governed;
    if (shadow?.rule !== "reserve" || decision.shadow !== undefined || !question.moment.keepsAllReserves)
      return decision;
    return sweeps.shadowOf(question, answer, at).then((told) => ({ ...decision, shadow: told }));
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
      const answer = decideOn(question, { amounts }, at);
      if (!question.moment.keepsReserves) return answer.decision;
      const sheet = sweepSheet(question);
      const all = await store.read(question.live.ledger, sheet.counters);
      return decideOnAll(question, { sheet, amounts: all }, at).decision;
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

  return {
    admit: (request) => admit(request),
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
    ...looks,
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
