import { provisionalPercent, type AmountsInGrains, type Dimension, type DimensionName } from "@quota/core";
import type { PoolMoment } from "./poolMoment.js";

/** What is held for a request, in grains. */
export interface Held extends AmountsInGrains {
  /**
   * Percent, dimension by dimension, reckoned by what demand was worth when it was held: a token is another part of five hours than of
   * a week. Undefined where the caller said the percent, or where none is reckoned.
   */
  readonly percentIn?: ReadonlyMap<DimensionName, number> | undefined;
  /** Dimension by dimension, the part of it that came out of the key's reserve, where reserves are kept. A decision's own dimensions say it. */
  readonly ownIn?: readonly OwnPart[] | undefined;
  /** When reserves had last been reckoned anew; see {@link PoolMoment.sharesBase}. */
  readonly sharesBase?: number | undefined;
}

/** What a request takes out of its key's reserve in one dimension. */
export interface OwnPart {
  readonly name: DimensionName;
  readonly reserve: { readonly fromOwn: number } | undefined;
}

/** How much of what is held came out of the key's reserve in one dimension. */
export function ownIn({ ownIn: parts }: Held, name: DimensionName): number {
  if (parts === undefined) return 0;
  for (const part of parts) if (part.name === name) return part.reserve?.fromOwn ?? 0;
  return 0;
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

/** The same, with what came out of reserves. Written out: spreading an object costs more than deciding. */
export function heldFromReserves(
  { percent, requests, tokens, usd, pricedTokens, percentIn }: Held,
  { ownIn: parts, sharesBase }: { readonly ownIn: readonly OwnPart[]; readonly sharesBase: number },
): Held {
  return { percent, requests, tokens, usd, pricedTokens, percentIn, ownIn: parts, sharesBase };
}

/** What percent is spread by: priced tokens, else tokens, else requests. */
export function demandOf({
  pricedTokens,
  tokens,
  requests,
}: Pick<AmountsInGrains, "pricedTokens" | "tokens" | "requests">): number {
  return pricedTokens ?? tokens ?? requests ?? 0;
}
