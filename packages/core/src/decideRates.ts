import { chargeBounds, chargeRates, holdOf } from "./chargeRates.js";
import type { RateRefusal } from "./checkRatePlan.js";
import type { RateDimension } from "./ratePlan.js";
import type { FixedRateLine, RateLine, RateSheet } from "./rateSheet.js";

/** One request to the nodes of a sheet, on numbers that were kept by {@link decideRates} and `chargeRates` alone. */
export interface RatesQuestion {
  /** The layout of a path from leaf to root, or of scopes. */
  readonly sheet: RateSheet;
  /** What the sheet's cells hold this minute, aligned with them. */
  readonly amounts: readonly number[];
  /** Whole tokens from 0. */
  readonly estimate: number;
}

export type RatesAnswer =
  | {
      readonly allowed: true;
      /** Aligned with the sheet's cells. */
      readonly additions: number[];
    }
  | { readonly allowed: false; readonly refusal: RateRefusal };

/**
 * Answers what {@link checkRatePlan} answers, at a cost that follows the depth of the path and not the width of the tree. A fixed node i
 * refuses when
 *
 *     L(i) = 0   or   D(i) + S(i) − κ + δ > L(i)
 *
 * with κ what is held for the nearest fixed node of the path below i. A request that passes is charged by `chargeRates`.
 *
 * @example
 * const planted = plantRatePlan({
 *   nodes: [
 *     { id: "acme", kind: "organisation", rpm: 10 },
 *     { id: "key-a", kind: "key", rpm: 2, parent: "acme" },
 *   ],
 *   path: ["key-a", "acme"],
 * });
 * const sheet = planted.ok && layOutRates(planted.plan.path);
 * sheet && decideRates({ sheet, amounts: [1, 700, 9, 8, 5000], estimate: 500 }); // { allowed: true, additions: [1, 500, 1, 0, 500] }
 */
export function decideRates({ sheet, amounts, estimate }: RatesQuestion): RatesAnswer {
  const refusal =
    firstRefusal("rpm", { lines: sheet.rpm, amounts, requested: 1 }) ??
    firstRefusal("tpm", { lines: sheet.tpm, amounts, requested: estimate });
  if (refusal !== undefined) return { allowed: false, refusal };
  return { allowed: true, additions: chargeRates({ sheet, amounts, requests: 1, tokens: estimate }) };
}

/**
 * How far each cell may rise, all of them together, while an allowance stands: no refusal, and the same additions. Undefined: at exactly
 * what was read.
 *
 * For a fixed node to have room however its neighbours' use rises, enough must stay held for the path node below it: D(i) up to
 * L(i) − S(i) needs the request's own amount there, a larger D(i) that much more.
 */
export function ratesBounds({ sheet, amounts, estimate }: RatesQuestion): number[] | undefined {
  const bounds = chargeBounds({ sheet, amounts, requests: 1, tokens: estimate });
  if (bounds === undefined) return undefined;
  const atMost = (cell: number, bound: number): void => {
    bounds[cell] = Math.min(bounds[cell]!, bound);
  };
  for (const [lines, requested] of [
    [sheet.rpm, 1],
    [sheet.tpm, estimate],
  ] as const)
    for (const { fixed } of lines) {
      if (fixed === undefined) continue;
      const { given, below } = fixed;
      // At D(i) up to this there is room when nothing but the request's own amount comes out of what is held below.
      const room = fixed.limit - fixed.limitsBelow;
      if (below === undefined) {
        atMost(given, room - requested);
        continue;
      }
      const kept = Math.max(requested, amounts[given]! + requested - room);
      atMost(given, room + kept - requested);
      atMost(below.used, below.limit - kept);
    }
  return bounds;
}

/** What is left to a request at a fixed node of a path, before its own amount; below 0 where more was promised than there is. */
export function roomAt(
  { limit, limitsBelow, given, below }: FixedRateLine,
  amounts: readonly number[],
): number {
  const kept = below === undefined ? 0 : holdOf(below.limit, amounts[below.used]!);
  return limit - (amounts[given]! + limitsBelow - kept);
}

function firstRefusal(
  dimension: RateDimension,
  {
    lines,
    amounts,
    requested,
  }: { readonly lines: readonly RateLine[]; readonly amounts: readonly number[]; readonly requested: number },
): RateRefusal | undefined {
  for (const { node, used, fixed } of lines) {
    if (fixed === undefined) continue;
    const room = roomAt(fixed, amounts);
    if (fixed.limit > 0 && requested <= room) continue;
    const { limit } = fixed;
    const heldForChildren = limit - room - amounts[used]!;
    return {
      node: { id: node.id, kind: node.kind },
      dimension,
      limit,
      used: amounts[used]!,
      heldForChildren,
      requested,
    };
  }
  return undefined;
}
