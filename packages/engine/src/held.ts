import {
  provisionalPercent,
  type AmountsInGrains,
  type Dimension,
  type DimensionDecision,
  type DimensionName,
} from "@quota/core";
import type { PoolMoment } from "./poolMoment.js";

/** What is held for a request, in grains. */
export interface Held extends AmountsInGrains {
  /**
   * Percent, dimension by dimension, reckoned by what demand was worth when it was held: a token is another part of five hours than of
   * a week. Undefined where the caller said the percent, or where none is reckoned.
   */
  readonly percentIn?: ReadonlyMap<DimensionName, number> | undefined;
  /** The part of it that came out of the key's reserve, where reserves are kept. */
  readonly ownIn?: ReadonlyMap<DimensionName, number> | undefined;
}

/** How much of it is held in one dimension. */
export function heldIn(held: Held, { name, unit }: Pick<Dimension, "name" | "unit">): number {
  return (unit === "percent" ? held.percentIn?.get(name) : undefined) ?? held[unit] ?? 0;
}

/** Reckons what a request costs in percent, where its estimate does not say. */
export function withPercentIn(costs: AmountsInGrains, { dimensions }: PoolMoment): Held {
  if (costs.percent !== undefined) return costs;
  let percentIn: Map<DimensionName, number> | undefined;
  for (const { dimension, rate } of dimensions) {
    if (rate === undefined) continue;
    percentIn ??= new Map();
    percentIn.set(dimension.name, provisionalPercent(rate, demandOf(costs)));
  }
  return percentIn === undefined ? costs : { ...costs, percentIn };
}

/** The parts of a request's cost that its key's reserves bear. */
export function ownIn(dimensions: readonly DimensionDecision[]): Held["ownIn"] {
  let own: Map<DimensionName, number> | undefined;
  for (const { name, reserve } of dimensions) {
    if (reserve === undefined || reserve.fromOwn === 0) continue;
    own ??= new Map();
    own.set(name, reserve.fromOwn);
  }
  return own;
}

/** What percent is spread by: priced tokens, else tokens, else requests. */
export function demandOf({
  pricedTokens,
  tokens,
  requests,
}: Pick<AmountsInGrains, "pricedTokens" | "tokens" | "requests">): number {
  return pricedTokens ?? tokens ?? requests ?? 0;
}
