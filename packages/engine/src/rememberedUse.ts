import { UNITS, type AmountsInGrains, type DimensionName } from "@quota/core";
import type { LivePool } from "./governedPools.js";
import type { Held } from "./held.js";
import type { QuotaCaller } from "./quotaEngine.js";
import type { Settlement } from "./settlementStep.js";

/** Use that could not be written when it was settled. */
export interface UnwrittenUse {
  readonly caller: QuotaCaller;
  /** Undefined where not even the pool could be found. */
  readonly live: LivePool | undefined;
  readonly actual: AmountsInGrains;
  readonly hold: Settlement["hold"];
  /** It was let pass within a budget for outages, and counts there until it is written. */
  readonly budgeted?: boolean | undefined;
}

/** What one key used while the store was away: the sum of its requests. */
export interface RememberedEntry {
  readonly caller: QuotaCaller;
  readonly live: LivePool | undefined;
  readonly actual: AmountsInGrains;
  /** Holds to be given back, one sum per generation. */
  readonly holds: readonly NonNullable<Settlement["hold"]>[];
  readonly budgeted: boolean;
}

/**
 * Keeps use until the store is back. Adding is all there is to it, so what one key used is one entry, however many requests
 * it stands for: memory is bounded by keys, not by traffic.
 */
export interface RememberedUse {
  /** How many keys have use that is not written. */
  readonly size: number;
  remember(use: UnwrittenUse): void;
  /** Takes everything out to be written; what fails again is to be remembered again. */
  takeAll(): readonly RememberedEntry[];
}

export function createRememberedUse(): RememberedUse {
  interface Sum {
    readonly caller: QuotaCaller;
    readonly live: LivePool | undefined;
    actual: AmountsInGrains;
    readonly holds: Map<number, Held>;
    readonly budgeted: boolean;
  }
  let sums = new Map<string, Sum>();
  return {
    get size() {
      return sums.size;
    },
    remember({ caller, live, actual, hold, budgeted = false }) {
      const { connectionId, provider, apiKeyId } = caller;
      const name = JSON.stringify([live?.ledger, connectionId, provider, apiKeyId, budgeted]);
      const sum: Sum = sums.get(name) ?? { caller, live, actual: NOTHING, holds: new Map(), budgeted };
      sum.actual = plus(sum.actual, actual);
      if (hold !== undefined)
        sum.holds.set(hold.generation, plusHeld(sum.holds.get(hold.generation) ?? NOTHING, hold.estimate));
      sums.set(name, sum);
    },
    takeAll() {
      const taken = [...sums.values()];
      sums = new Map();
      return taken.map(({ caller, live, actual, holds, budgeted }) => ({
        caller,
        budgeted,
        live,
        actual,
        holds: [...holds].map(([generation, estimate]) => ({ generation, estimate })),
      }));
    },
  };
}

/** Costs nothing, in any unit. */
export const NOTHING: AmountsInGrains = Object.freeze({
  percent: undefined,
  requests: undefined,
  tokens: undefined,
  usd: undefined,
  pricedTokens: undefined,
});

/** More than can be counted is as much as can be: a sum that no store takes would be tried for ever. */
function plus(a: AmountsInGrains, b: AmountsInGrains): AmountsInGrains {
  const sum = { ...NOTHING };
  for (const unit of [...UNITS, "pricedTokens"] as const)
    if (a[unit] !== undefined || b[unit] !== undefined)
      sum[unit] = Math.min((a[unit] ?? 0) + (b[unit] ?? 0), Number.MAX_SAFE_INTEGER);
  return sum;
}

function plusHeld(a: Held, b: Held): Held {
  const sum = plus(a, b);
  const percentIn = plusIn(a.percentIn, b.percentIn);
  const ownIn = plusOwn(a.ownIn, b.ownIn);
  if (percentIn === undefined && ownIn === undefined) return sum;
  // What was held under different shares is looked at again.
  const sharesBase =
    a.ownIn && b.ownIn && a.sharesBase !== b.sharesBase ? undefined : (a.sharesBase ?? b.sharesBase);
  return { ...sum, percentIn, ownIn, sharesBase };
}

function plusIn(a: Held["percentIn"], b: Held["percentIn"]): Held["percentIn"] {
  if (a === undefined || b === undefined) return a ?? b;
  const sums = new Map(a);
  for (const [name, amount] of b) sums.set(name, (sums.get(name) ?? 0) + amount);
  return sums;
}

function plusOwn(a: Held["ownIn"], b: Held["ownIn"]): Held["ownIn"] {
  if (a === undefined || b === undefined) return a ?? b;
  const sums = new Map<DimensionName, number>();
  for (const { name, reserve } of [...a, ...b])
    sums.set(name, (sums.get(name) ?? 0) + (reserve?.fromOwn ?? 0));
  return [...sums].map(([name, fromOwn]) => ({ name, reserve: { fromOwn } }));
}
