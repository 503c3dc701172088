import {
  decideFairShare,
  LENDING_RULES,
  lendingSpec,
  standingOf,
  type AmountsInGrains,
  type Decision,
  type DimensionName,
  type DimensionQuestion,
  type EpochMs,
  type FairShareQuestion,
  type Lending,
  type LendingSpec,
} from "@quota/core";
import { readDimension, type DimensionReading } from "./dimensionReading.js";
import { dimensionReserves } from "./dimensionReserves.js";
import { keyCounters, keysAmounts, type DimensionMoment } from "./dimensionMoment.js";
import type { LivePool } from "./governedPools.js";
import { heldIn, withPercentIn } from "./held.js";
import type { UsageStore } from "./usageStore.js";

/** Why a request would be answered as it would, and what every other rule would say. */
export interface PoolExplanation {
  readonly poolId: string;
  readonly apiKeyId: string;
  readonly generatedAt: EpochMs;
  readonly lending: LendingSpec;
  /** By the pool's own rule. */
  readonly decision: Decision;
  /** What is held for others, by dimension: for how many of them, and how much, in grains. Empty under other rules than `reserve`. */
  readonly heldFor: readonly {
    readonly dimension: DimensionName;
    readonly keys: number;
    readonly amount: number;
  }[];
  /** The pool's own rule among them; the others as if they were chosen now. */
  readonly rules: readonly { readonly lending: LendingSpec; readonly decision: Decision }[];
}

/** Decides about one request under every rule, with a look at every key. Changes nothing. */
export async function explainPool(
  asked: {
    readonly live: LivePool;
    readonly store: UsageStore;
    readonly apiKeyId: string;
    readonly costs: AmountsInGrains;
    /** Where the pool has none of its own. */
    readonly saturationThreshold: number | undefined;
  },
  now: EpochMs,
): Promise<PoolExplanation> {
  const { live, store, apiKeyId, costs } = asked;
  const moment = live.momentAt(now);
  const { governed } = moment;
  const about = {
    poolId: governed.pool.id,
    apiKeyId,
    generatedAt: now,
    lending: lendingSpec(governed.lending),
  };
  const standing = standingOf(governed, apiKeyId);
  if (governed.plan.dimensions.length === 0 || standing === "not-allocated") {
    const decision: Decision =
      standing === "not-allocated"
        ? { status: "refused", allowed: false, reason: "not-allocated", dimensions: [] }
        : { status: "ungoverned", allowed: true, why: "empty-plan", dimensions: [] };
    return {
      ...about,
      decision,
      heldFor: [],
      rules: everyRule(governed.lending).map((lending) => ({ lending: lendingSpec(lending), decision })),
    };
  }
  const held = withPercentIn(costs, moment);
  const readings: DimensionReading[] = [];
  for (const each of moment.dimensions)
    readings.push(await readDimension({ live, store, moment: each }, now));
  const n = [...governed.standings.keys()].indexOf(apiKeyId);
  const strangers = n < 0 ? await readStranger(asked, moment.dimensions) : undefined;

  const decide = (lending: Lending): Decision => {
    const dimensions = moment.dimensions.map((each, i): DimensionQuestion => {
      const reading = readings[i]!;
      const used = strangers?.[i]?.used ?? reading.keys[n]!.used;
      const { dimension, outside } = each;
      const question = {
        ...{ dimension, used, total: reading.total, outside, cost: heldIn(held, dimension) },
        ...{ share: standing.shares[i], cap: standing.caps[i], most: standing.most[i] },
        resetsAt: each.reserve?.resets ?? each.window?.resets,
      };
      if (lending.rule !== "reserve") return question;
      const asIf = governed.lending.rule !== "reserve" || !moment.hasAgreedShares;
      const reserves = dimensionReserves(
        { moment: each, reading, governed, i, curve: lending.curve, asIf },
        now,
      );
      if (reserves === undefined) return question;
      return {
        ...question,
        used: reserves.inWindow(used),
        total: reserves.inWindow(reading.total),
        reserve: reserves.fullQuestionOf(n < 0 ? undefined : n),
        resetsAt: reserves.window.resets,
      };
    });
    const saturationThreshold = governed.pool.saturationThreshold ?? asked.saturationThreshold;
    const terms: FairShareQuestion = {
      ...{ policy: standing.policy, saturationThreshold, lending: lending.rule, dimensions },
    };
    return decideFairShare(terms, now);
  };
  const decision = decide(governed.lending);
  return {
    ...about,
    decision,
    heldFor: decision.dimensions.flatMap(({ name, reserve }) =>
      reserve === undefined
        ? []
        : [{ dimension: name, keys: reserve.holders ?? 0, amount: reserve.forOthers }],
    ),
    rules: everyRule(governed.lending).map((lending) => ({
      lending: lendingSpec(lending),
      decision: lending === governed.lending ? decision : decide(lending),
    })),
  };
}

/** Every rule, the pool's own as it is. */
function everyRule(own: Lending): readonly Lending[] {
  return LENDING_RULES.map((rule) => {
    if (rule === own.rule) return own;
    return rule === "reserve" ? { rule, curve: "pace" } : { rule };
  });
}

/** The use of a key that the pool has no allocation for. */
async function readStranger(
  {
    live,
    store,
    apiKeyId,
  }: { readonly live: LivePool; readonly store: UsageStore; readonly apiKeyId: string },
  dimensions: readonly DimensionMoment[],
) {
  const read: { readonly used: DimensionReading["total"] }[] = [];
  for (const moment of dimensions) {
    const amounts = await store.read(live.ledger, keyCounters(moment, apiKeyId));
    read.push({ used: { buckets: moment.buckets, amounts: keysAmounts(moment, amounts, 0) } });
  }
  return read;
}
