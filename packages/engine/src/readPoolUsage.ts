import {
  clearingMoment,
  decideFairShare,
  DEFAULT_SATURATION_THRESHOLD,
  everyoneOf,
  heldAt,
  settledAt,
  useAt,
  type Dimension,
  type DimensionDecision,
  type DimensionQuestion,
  type DimensionUsage,
  type EpochMs,
  type GovernedPool,
  type KeptReading,
  type KeyUsage,
  type PoolUsage,
  type Reading,
} from "@quota/core";
import type { BurnMeter } from "./burnMeter.js";
import { everyonesAmounts, keyCounters, keysAmounts, type DimensionMoment } from "./dimensionMoment.js";
import type { LivePool } from "./governedPools.js";
import { STALE_AFTER_MS } from "./keptReadings.js";
import { nextTurn } from "./nextTurn.js";
import { noteBurn } from "./noteBurn.js";
import type { Counter, UsageStore } from "./usageStore.js";
import { FULL } from "./windowState.js";

/** At most this much is read, and judged, in one turn of the event loop, so that a pool of thousands of keys does not hold up requests. */
const COUNTERS_AT_ONCE = 2000;
const KEYS_AT_ONCE = 300;

/** Reads what every allocated key of a pool uses, and asks the rule itself about each of them. */
export async function readPoolUsage(
  asked: {
    readonly live: LivePool;
    readonly store: UsageStore;
    readonly burn: BurnMeter;
    readonly saturationThreshold: number | undefined;
    readonly signals: readonly KeptReading[];
  },
  now: EpochMs,
): Promise<PoolUsage> {
  const { live } = asked;
  const { governed, dimensions: moments } = live.momentAt(now);
  const dimensions: DimensionUsage[] = [];
  for (const [i, moment] of moments.entries())
    dimensions.push(await readDimension({ ...asked, governed, moment, i }, now));
  return {
    poolId: live.governed.pool.id,
    generatedAt: now,
    dimensions,
    burnRate: tokenBurnRate(dimensions),
    signals: asked.signals,
  };
}

async function readDimension(
  asked: Parameters<typeof readPoolUsage>[0] & {
    readonly governed: GovernedPool;
    readonly moment: DimensionMoment;
    readonly i: number;
  },
  now: EpochMs,
): Promise<DimensionUsage> {
  const { live, moment, i, burn } = asked;
  const { dimension, buckets, outside } = moment;
  const { pool, standings } = asked.governed;
  const keys = [...standings.keys()];
  const counters = [...moment.everyone, ...keys.flatMap((key) => keyCounters(moment, key))];
  const amounts = await readInParts(asked.store, live.ledger, counters);
  const total: Reading = { buckets, amounts: everyonesAmounts(moment, amounts, 0) };
  const saturationThreshold =
    pool.saturationThreshold ?? asked.saturationThreshold ?? DEFAULT_SATURATION_THRESHOLD;

  const ask = (
    used: Reading | number,
    standing: {
      readonly policy: "hard" | "soft" | "burst";
      readonly share: number | undefined;
      readonly cap: number | undefined;
    },
  ) => {
    // The smallest request there is: whoever may not send that is blocked.
    const question: DimensionQuestion = {
      dimension,
      used,
      total,
      cost: 1,
      share: standing.share,
      cap: standing.cap,
      outside,
    };
    const decision = decideFairShare(
      { policy: standing.policy, saturationThreshold, dimensions: [question] },
      now,
    );
    return { decision, answer: decision.dimensions[0]! };
  };
  noteBurn({ burn, ledger: live.ledger, moment, total }, now);
  const perKey: KeyUsage[] = [];
  const unclaimed = [...total.amounts];
  for (const [n, apiKeyId] of keys.entries()) {
    if (n > 0 && n % KEYS_AT_ONCE === 0) await nextTurn();
    const { policy, shares, caps } = standings.get(apiKeyId)!;
    const used = { buckets, amounts: keysAmounts(moment, amounts, (n + 1) * buckets.length) };
    used.amounts.forEach((amount, b) => (unclaimed[b]! -= amount));
    const { decision, answer } = ask(used, { policy, share: shares[i], cap: caps[i] });
    perKey.push(keyUsage(apiKeyId, answer, decision.status === "refused" ? decision.retryAt : undefined));
  }
  const everybody = ask(0, { policy: "burst", share: undefined, cap: undefined }).answer;
  const everyone = everybody.total + everybody.outside;
  const held = heldAt(total, now);
  const provisional = total.amounts[moment.provisionalAt] ?? 0;
  const settled = everybody.total - held - provisional;
  return {
    dimension,
    limitFrom: isSeenLimit(live, dimension) ? "reading" : "plan",
    anchoredBy: anchoredBy(moment),
    reading: readingOf(moment, now),
    mode: everybody.mode,
    strictFrom: dimension.limit === "unknown" ? undefined : saturationThreshold,
    globalUsedPercent: everybody.globalUsedPercent,
    used: everyone,
    consumedTotal: everybody.total - held,
    measured: moment.provisionalAt < 0 ? settled : 0,
    attributed: moment.provisionalAt < 0 ? 0 : settled,
    provisional,
    unallocated: Math.max(0, settledAt({ buckets, amounts: unclaimed }, now)),
    held,
    outside: everybody.outside,
    free: everybody.maxAllowed,
    opensAt: opensAt({ moment, total }, now),
    burnRate: burn.rate({
      ledger: live.ledger,
      dimension: dimension.name,
      limit: dimension.limit,
      used: everyone,
    }),
    perKey,
  };
}

function keyUsage(apiKeyId: string, answer: DimensionDecision, retryAt: EpochMs | undefined): KeyUsage {
  const { used, held, share } = answer;
  return {
    apiKeyId,
    consumed: used - held,
    held,
    fairShare: share,
    deficit: share === undefined ? undefined : used - share,
    borrowing: answer.borrowing,
    remaining: answer.remaining,
    available: answer.available,
    retryAt,
  };
}

/** A fixed window opens at its end; a rolling one when the smallest request fits again, if it does not now. */
function opensAt(
  { moment, total }: { readonly moment: DimensionMoment; readonly total: Reading },
  now: EpochMs,
): EpochMs | undefined {
  const { dimension, buckets, settledAt, window, outside } = moment;
  if (window !== undefined || dimension.anchor === "epoch") return buckets[settledAt]!.goneAt;
  const { limit } = dimension;
  if (limit === "unknown") return undefined;
  const use = everyoneOf({ total, dimension, outside }, now);
  if (useAt(use, now) + 1 <= limit) return undefined;
  return clearingMoment({ use, bound: limit - 1, passes: (amount) => amount + 1 <= limit }, now);
}

function isSeenLimit({ governed }: LivePool, { name, limit }: Dimension): boolean {
  return (
    limit !== "unknown" && governed.dimensions.find((planned) => planned.name === name)?.limit === "unknown"
  );
}

function anchoredBy({ dimension, state, window }: DimensionMoment): DimensionUsage["anchoredBy"] {
  if (window === undefined) return dimension.anchor === "epoch" ? "epoch" : "rolling";
  if (state.by === "provider") return "provider";
  return dimension.anchor === "first-use" ? "first-use" : "calendar";
}

function readingOf({ state, window }: DimensionMoment, now: EpochMs): DimensionUsage["reading"] {
  if (state.seenAt === 0 || window?.isStored === false) return undefined;
  const { seen, seenAt } = state;
  return { utilization: seen / FULL, receivedAt: seenAt, stale: now - seenAt > STALE_AFTER_MS };
}

function tokenBurnRate(dimensions: readonly DimensionUsage[]): PoolUsage["burnRate"] {
  const rates = dimensions
    .filter(({ dimension }) => dimension.unit === "tokens")
    .map(({ burnRate }) => burnRate);
  if (rates.length === 0) return { tokensPerSecond: 0, timeToExhaustionMs: null };
  const soonest = rates.reduce((a, b) =>
    (b.timeToExhaustionMs ?? Infinity) < (a.timeToExhaustionMs ?? Infinity) ? b : a,
  );
  return { tokensPerSecond: soonest.perSecond, timeToExhaustionMs: soonest.timeToExhaustionMs };
}

async function readInParts(
  store: UsageStore,
  ledger: string,
  counters: readonly Counter[],
): Promise<readonly number[]> {
  const amounts: number[] = [];
  for (let from = 0; from < counters.length; from += COUNTERS_AT_ONCE) {
    if (from > 0) await nextTurn();
    amounts.push(...(await store.read(ledger, counters.slice(from, from + COUNTERS_AT_ONCE))));
  }
  return amounts;
}
