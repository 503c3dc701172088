import { provisionalPercent, UNITS, type AmountsInGrains, type Dimension, type EpochMs } from "@quota/core";
import type { DimensionMoment } from "./dimensionMoment.js";
import type { LivePool } from "./governedPools.js";
import { demandOf } from "./held.js";
import type { LedgerId } from "./usageStore.js";

/**
 * What this process has let pass while the store was away and could not write yet, pool by pool: as estimated while a request is under
 * way, as it was once it is over. It comes back only when it is written, so that a store that comes and goes grants no more than one
 * that stays away.
 */
export interface OutageBudget {
  /**
   * Takes what a request costs, if every limit's part has room for it. What it costs of a percentage is reckoned by what demand cost before;
   * where nothing was learned of that, nobody can tell, and there is no room.
   */
  take(
    request: { readonly live: LivePool; readonly costs: AmountsInGrains; readonly budget: number },
    now: EpochMs,
  ): boolean;
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

/** The units, and what percent is spread by. */
const SUMMED = [...UNITS, "demand"] as const;
type Summed = (typeof SUMMED)[number];
type Sums = Record<Summed, number>;

/** @param replicas how many processes share the store: each has its part of the budget. */
export function createOutageBudget(replicas: number): OutageBudget {
  const spent = new Map<LedgerId, { readonly sums: Sums; readonly lost: Sums }>();

  function add(ledger: LedgerId, amounts: Partial<Sums>, sign: 1 | -1): void {
    const { sums } = of(ledger);
    for (const each of SUMMED) sums[each] = Math.max(0, sums[each] + sign * (amounts[each] ?? 0));
    if (sign < 0 && SUMMED.every((each) => sums[each] === 0)) spent.delete(ledger);
  }

  function of(ledger: LedgerId) {
    const known = spent.get(ledger) ?? { sums: nothing(), lost: nothing() };
    spent.set(ledger, known);
    return known;
  }

  return {
    take({ live, costs, budget }, now) {
      const { ledger } = live;
      const sums = spent.get(ledger)?.sums ?? nothing();
      for (const moment of live.momentAt(now).dimensions) {
        const part = budgetPart(moment.dimension, budget / replicas);
        if (part !== undefined && spentWith(costs, sums, moment) > part) return false;
      }
      add(ledger, summed(costs), 1);
      return true;
    },
    replace(ledger, { taken, actual }) {
      add(ledger, summed(actual), 1);
      add(ledger, summed(taken), -1);
    },
    written: (ledger, actual) => add(ledger, summed(actual), -1),
    lost(ledger, actual) {
      const { lost } = of(ledger);
      const amounts = summed(actual);
      for (const each of SUMMED) lost[each] += amounts[each];
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

/** What is spent of a dimension with this request. */
function spentWith(costs: AmountsInGrains, sums: Sums, { dimension, rate }: DimensionMoment): number {
  const { unit } = dimension;
  if (unit !== "percent" || costs.percent !== undefined) return sums[unit] + (costs[unit] ?? 0);
  return rate === undefined ? Infinity : provisionalPercent(rate, sums.demand + demandOf(costs));
}

function summed(amounts: AmountsInGrains): Sums {
  const { percent = 0, requests = 0, tokens = 0, usd = 0 } = amounts;
  return { percent, requests, tokens, usd, demand: demandOf(amounts) };
}

function nothing(): Sums {
  return { percent: 0, requests: 0, tokens: 0, usd: 0, demand: 0 };
}
