import { UNITS, type AmountsInGrains, type Dimension } from "@quota/core";
import type { LivePool } from "./governedPools.js";
import type { LedgerId } from "./usageStore.js";

/**
 * What this process has let pass while the store was away and could not write yet, pool by pool: as estimated while a request is under
 * way, as it was once it is over. It comes back only when it is written, so that a store that comes and goes grants no more than one
 * that stays away.
 */
export interface OutageBudget {
  /** Takes what a request costs, if every limit's part has room for it. */
  take(request: {
    readonly live: LivePool;
    readonly costs: AmountsInGrains;
    readonly budget: number;
  }): boolean;
  /** A request is over: it costs this instead of what was taken for it. */
  replace(
    ledger: LedgerId,
    change: { readonly taken: AmountsInGrains; readonly actual: AmountsInGrains },
  ): void;
  written(ledger: LedgerId, actual: AmountsInGrains): void;
  /** It may have been written, so it is never sent again: it counts until the store works. */
  lost(ledger: LedgerId, actual: AmountsInGrains): void;
  /** The store does steps again. */
  works(ledger: LedgerId): void;
}

type Unit = (typeof UNITS)[number];
type Sums = Record<Unit, number>;

/** @param replicas how many processes share the store: each has its part of the budget. */
export function createOutageBudget(replicas: number): OutageBudget {
  const spent = new Map<LedgerId, { readonly sums: Sums; readonly lost: Sums }>();

  function add(ledger: LedgerId, amounts: Pick<AmountsInGrains, Unit>, sign: 1 | -1): void {
    const { sums } = of(ledger);
    for (const unit of UNITS) sums[unit] = Math.max(0, sums[unit] + sign * (amounts[unit] ?? 0));
    if (sign < 0 && UNITS.every((unit) => sums[unit] === 0)) spent.delete(ledger);
  }

  function of(ledger: LedgerId) {
    const known = spent.get(ledger) ?? { sums: nothing(), lost: nothing() };
    spent.set(ledger, known);
    return known;
  }

  return {
    take({ live: { ledger, governed }, costs, budget }) {
      const sums = spent.get(ledger)?.sums;
      for (const dimension of governed.dimensions) {
        const part = budgetPart(dimension, budget / replicas);
        if (part !== undefined && (sums?.[dimension.unit] ?? 0) + (costs[dimension.unit] ?? 0) > part)
          return false;
      }
      add(ledger, costs, 1);
      return true;
    },
    replace(ledger, { taken, actual }) {
      add(ledger, actual, 1);
      add(ledger, taken, -1);
    },
    written: (ledger, actual) => add(ledger, actual, -1),
    lost(ledger, actual) {
      const { lost } = of(ledger);
      for (const unit of UNITS) lost[unit] += actual[unit] ?? 0;
    },
    works(ledger) {
      if (spent.size === 0) return;
      const lost = spent.get(ledger)?.lost;
      if (lost === undefined) return;
      const gone = { ...lost };
      Object.assign(lost, nothing());
      add(ledger, gone, -1);
    },
  };
}

/** That part of a dimension's limit, in whole grains, rounded down; undefined where the limit is unknown. */
export function budgetPart({ limit }: Pick<Dimension, "limit">, part: number): number | undefined {
  return limit === "unknown" ? undefined : Math.floor(limit * part);
}

function nothing(): Sums {
  return { percent: 0, requests: 0, tokens: 0, usd: 0 };
}
