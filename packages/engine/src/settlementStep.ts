import type { AmountsInGrains, EpochMs } from "@quota/core";
import type { LivePool } from "./governedPools.js";
import { generationAt } from "./leaseBook.js";
import { NOTHING } from "./rememberedUse.js";
import type { Counter, LedgerId, UsageStore } from "./usageStore.js";

/** Amounts to add to counters, whatever they hold. The two lists are aligned. */
export interface Additions {
  readonly counters: readonly Counter[];
  readonly amounts: readonly number[];
}

/** A use that is to be written: what is added to the window, and which hold it replaces. */
export interface Settlement {
  readonly live: LivePool;
  readonly apiKeyId: string;
  /** Units that are undefined add nothing. */
  readonly actual: AmountsInGrains;
  /** The estimate and the generation it is held in; undefined where nothing is held. */
  readonly hold: { readonly estimate: AmountsInGrains; readonly generation: number } | undefined;
}

/**
 * What a settlement adds: the actual use to the current bucket, and the hold, negative, to its generation, for the key and
 * for everybody. A generation that has expired is not written: nobody reads it any more.
 */
export function settlementAdditions(settlement: Settlement, leaseMs: number, now: EpochMs): Additions {
  const { live, apiKeyId, actual, hold } = settlement;
  const moment = live.momentAt(now);
  const { counters } = moment.sheetOf(apiKeyId);
  const generationsAgo = hold === undefined ? Infinity : generationAt(leaseMs, now) - hold.generation;
  const touched: Counter[] = [];
  const amounts: number[] = [];
  let offset = 0;
  for (const { dimension, buckets, settledAt, heldAt } of moment.dimensions) {
    const everyones = offset + buckets.length;
    const used = actual[dimension.unit] ?? 0;
    if (used !== 0) {
      touched.push(counters[offset + settledAt]!, counters[everyones + settledAt]!);
      amounts.push(used, used);
    }
    const held = hold?.estimate[dimension.unit] ?? 0;
    if (held !== 0 && generationsAgo <= 1) {
      const at = heldAt + generationsAgo;
      touched.push(counters[offset + at]!, counters[everyones + at]!);
      amounts.push(-held, -held);
    }
    offset = everyones + buckets.length;
  }
  return { counters: touched, amounts };
}

/** What a renewal adds: the hold to the current generation, and, negative, to the one it lay in. */
export function renewalAdditions(
  renewed: Omit<Settlement, "actual"> & { readonly hold: NonNullable<Settlement["hold"]> },
  leaseMs: number,
  now: EpochMs,
): Additions {
  const current = { estimate: renewed.hold.estimate, generation: generationAt(leaseMs, now) };
  const back = settlementAdditions({ ...renewed, actual: NOTHING }, leaseMs, now);
  const again = settlementAdditions({ ...renewed, actual: NOTHING, hold: current }, leaseMs, now);
  return {
    counters: [...back.counters, ...again.counters],
    amounts: [...back.amounts, ...again.amounts.map((amount) => -amount)],
  };
}

/**
 * Adds, in one step, whatever the counters hold; answers what they held before. A counter that would pass 2^53 − 1 stops
 * there: refusing the step would lose what else is in it.
 */
export function addTo(
  step: { readonly store: UsageStore; readonly ledger: LedgerId; readonly additions: Additions },
  now: EpochMs,
): Promise<readonly number[]> {
  const { counters, amounts } = step.additions;
  if (counters.length === 0) return Promise.resolve([]);
  return step.store.transact({
    ledger: step.ledger,
    counters,
    now,
    decide(before) {
      const result = before.slice();
      for (let i = 0; i < amounts.length; i += 1)
        if (before[i]! > Number.MAX_SAFE_INTEGER - amounts[i]!)
          return { result, additions: upToTheLargest(amounts, before) };
      return { result, additions: amounts, holdsUpTo: new Array<number>(amounts.length).fill(Infinity) };
    },
  });
}

function upToTheLargest(amounts: readonly number[], before: readonly number[]): readonly number[] {
  return amounts.map((amount, i) => Math.min(amount, Number.MAX_SAFE_INTEGER - before[i]!));
}
