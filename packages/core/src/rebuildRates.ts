import { holdOf } from "./chargeRates.js";
import type { RateSheet } from "./rateSheet.js";

/**
 * What to add to the cells of a whole plan's sheet so that every D(i) is what the uses say:
 * `D(i) = U(i) − Σ min(L(x), U(x))` over x in F(i). Asked once, when a newer plan is first charged in a minute that an older one has
 * charged; linear in the nodes.
 */
export function rebuildRates({
  sheet,
  amounts,
}: {
  /** The layout of every node of the plan. */
  readonly sheet: RateSheet;
  readonly amounts: readonly number[];
}): number[] {
  const additions = new Array<number>(amounts.length).fill(0);
  for (const lines of [sheet.rpm, sheet.tpm])
    for (const { used, fixed } of lines) {
      if (fixed === undefined) continue;
      const { limit, given, givenAbove } = fixed;
      const use = amounts[used]!;
      if (given !== used) additions[given]! += use - amounts[given]!;
      if (givenAbove !== undefined) additions[givenAbove]! += holdOf(limit, use) - limit;
    }
  return additions;
}
