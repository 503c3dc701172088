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
  type Lending,
  type PoolUsage,
  type Reading,
  type Refused,
} from "@quota/core";
import type { BurnMeter } from "./burnMeter.js";
import { fixedWindowOf, type DimensionMoment } from "./dimensionMoment.js";
import { readDimension } from "./dimensionReading.js";
import { dimensionReserves, type DimensionReserves } from "./dimensionReserves.js";
import type { LivePool } from "./governedPools.js";
import { STALE_AFTER_MS } from "./keptReadings.js";
import { nextTurn } from "./nextTurn.js";
import { noteBurn } from "./noteBurn.js";
import type { UsageStore } from "./usageStore.js";
import { FULL } from "./windowState.js";

/** At most this much is judged in one turn of the event loop, so that a pool of thousands of keys does not hold up requests. */
const KEYS_AT_ONCE = 300;

/** What {@link readPoolUsage} needs. */
export interface UsageQuestion {
  readonly live: LivePool;
  readonly store: UsageStore;
  readonly burn: BurnMeter;
  readonly saturationThreshold: number | undefined;
  readonly signals: readonly KeptReading[];
  /** Under another rule than the pool's, as if that were chosen now. */
  readonly lending?: Lending | undefined;
}

/** Reads what every allocated key of a pool uses, and asks the rule itself about each of them. */
export async function readPoolUsage(asked: UsageQuestion, now: EpochMs): Promise<PoolUsage> {
  const { live } = asked;
  const { governed, dimensions: moments, hasAgreedShares } = live.momentAt(now);
  const keeps = governed.lending.rule === "reserve" && hasAgreedShares;
  const dimensions: DimensionUsage[] = [];
  for (const [i, moment] of moments.entries())
    dimensions.push(await readDimensionUsage({ ...asked, governed, moment, i, keeps }, now));
  return {
    poolId: live.governed.pool.id,
    generatedAt: now,
    dimensions,
    burnRate: tokenBurnRate(dimensions),
    signals: asked.signals,
  };
}

async function readDimensionUsage(
  asked: UsageQuestion & {
    readonly governed: GovernedPool;
    readonly moment: DimensionMoment;
    readonly i: number;
    /** Whether the pool keeps reserves already. */
    readonly keeps: boolean;
  },
  now: EpochMs,
): Promise<DimensionUsage> {
  const { live, moment, i, burn, governed } = asked;
  const { dimension, buckets, outside } = moment;
  const { pool, standings } = governed;
  const reading = await readDimension(asked, now);
  const { total } = reading;
  const saturationThreshold =
    pool.saturationThreshold ?? asked.saturationThreshold ?? DEFAULT_SATURATION_THRESHOLD;
  const lending = asked.lending ?? governed.lending;
  const reserves =
    lending.rule === "reserve"
      ? dimensionReserves({ moment, reading, governed, i, curve: lending.curve, asIf: !asked.keeps }, now)
      : undefined;

  const ask = (
    policy: "hard" | "soft" | "burst",
    key: Omit<DimensionQuestion, "dimension" | "total" | "cost" | "outside">,
  ) => {
    // The smallest request there is: whoever may not send that is blocked.
    const question = { dimension, cost: 1, outside, ...key };
    const inItsWindow =
      reserves === undefined || typeof key.used === "number"
        ? { ...question, total }
        : { ...question, used: reserves.inWindow(key.used), total: reserves.inWindow(total) };
    return decideFairShare(
      { policy, saturationThreshold, lending: lending.rule, dimensions: [inItsWindow] },
      now,
    );
  };
  noteBurn({ burn, ledger: live.ledger, moment, total }, now);
  const perKey: KeyUsage[] = [];
  const unclaimed = [...total.amounts];
  for (const [n, { apiKeyId, used }] of reading.keys.entries()) {
    if (n > 0 && n % KEYS_AT_ONCE === 0) await nextTurn();
    const { policy, shares, caps, most } = standings.get(apiKeyId)!;
    used.amounts.forEach((amount, b) => (unclaimed[b]! -= amount));
    const key = { used, share: shares[i], cap: caps[i], most: most[i], reserve: reserves?.questionOf(n) };
    const decision = ask(policy, key);
    perKey.push({
      ...keyUsage(apiKeyId, decision.dimensions[0]!),
      reserve: reserves?.left[n],
      retryAt: decision.status === "refused" ? opensFor(decision, { reserves, share: shares[i] }) : undefined,
    });
  }
  const everybody = ask("burst", { used: 0, share: undefined, cap: undefined }).dimensions[0]!;
  const everyone = everybody.total + everybody.outside;
  const held = heldAt(total, now);
  const provisional = total.amounts[moment.provisionalAt] ?? 0;
  const settled = everybody.total - held - provisional;
  const window = reserves?.window ?? fixedWindowOf(moment);
  return {
    dimension,
    limitFrom: isSeenLimit(live, dimension) ? "reading" : "plan",
    anchoredBy: anchoredBy(moment),
    reading: readingOf(moment, now),
    lending: lending.rule,
    mode: reserves === undefined ? everybody.mode : reserves.spare < 1 ? "strict" : "generous",
    strictFrom:
      dimension.limit === "unknown" || lending.rule !== "threshold" ? undefined : saturationThreshold,
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
    reserved: reserves?.reserved,
    spare: reserves?.spare,
    windowFrom: window?.opens,
    elapsed: window && (now - window.opens) / (window.resets - window.opens),
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

function keyUsage(apiKeyId: string, answer: DimensionDecision): Omit<KeyUsage, "reserve" | "retryAt"> {
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
  };
}

/** Who waits for what others hold waits for the same moment as everybody else, or for the share of the next window. */
function opensFor(
  { retryAt, dimensions: [answer] }: Refused,
  {
    reserves,
    share = 0,
  }: { readonly reserves: DimensionReserves | undefined; readonly share: number | undefined },
): EpochMs | undefined {
  if (reserves === undefined || answer?.refusal === "cap-absolute") return retryAt;
  const { lendsAt, window } = reserves;
  if (share === 0) return lendsAt;
  return lendsAt === undefined ? window.resets : Math.min(lendsAt, window.resets);
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
  if (state.by === "provider" && window !== undefined) return "provider";
  if (dimension.anchor === "epoch") return "epoch";
  if (window === undefined) return "rolling";
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
