import type { RateLine, RateSheet } from "./rateSheet.js";

/** A charge to every node of a sheet; negative where something is given back. Whole numbers. */
export interface RatesToCharge {
  readonly sheet: RateSheet;
  /** What the sheet's cells hold, aligned with them. */
  readonly amounts: readonly number[];
  readonly requests: number;
  readonly tokens: number;
}

/**
 * What a charge adds to each cell of its sheet, aligned with them. A charge asks nobody: it may pass a limit.
 *
 * On a path this is the walk from leaf to root with a carry: at a fixed node `D += δ − carry; old = hold; U += δ; carry = old − hold`, at a
 * shared one `U += δ`. A use stops at 2^53 − 1, where it has long been refused whatever follows.
 */
export function chargeRates({ sheet, amounts, requests, tokens }: RatesToCharge): number[] {
  const additions = new Array<number>(amounts.length).fill(0);
  if (requests !== 0) charge(sheet.rpm, { amounts, delta: requests, additions });
  if (tokens !== 0) charge(sheet.tpm, { amounts, delta: tokens, additions });
  return additions;
}

/**
 * How far each cell may rise while {@link chargeRates} answers the same; undefined where its answer depends on exactly what was read:
 * where a node is charged past its limit, or given back from beyond it, so that only part of the charge comes out of what is held for it.
 */
export function chargeBounds({ sheet, amounts, requests, tokens }: RatesToCharge): number[] | undefined {
  const bounds = new Array<number>(amounts.length).fill(Infinity);
  const stands =
    boundCharge(sheet.rpm, { amounts, delta: requests, bounds }) &&
    boundCharge(sheet.tpm, { amounts, delta: tokens, bounds });
  return stands ? bounds : undefined;
}

/** What is left of a limit, and kept for the node. */
export function holdOf(limit: number, used: number): number {
  return Math.max(0, limit - used);
}

function charge(
  lines: readonly RateLine[],
  {
    amounts,
    delta,
    additions,
  }: { readonly amounts: readonly number[]; readonly delta: number; readonly additions: number[] },
): void {
  for (const { used, fixed } of lines) {
    const before = amounts[used]!;
    const change = Math.min(delta, Number.MAX_SAFE_INTEGER - before);
    additions[used]! += change;
    if (fixed === undefined) continue;
    const { limit, given, givenAbove } = fixed;
    if (given !== used) additions[given]! += change;
    if (givenAbove !== undefined)
      additions[givenAbove]! += holdOf(limit, before + change) - holdOf(limit, before);
  }
}

function boundCharge(
  lines: readonly RateLine[],
  {
    amounts,
    delta,
    bounds,
  }: { readonly amounts: readonly number[]; readonly delta: number; readonly bounds: number[] },
): boolean {
  if (delta === 0) return true;
  for (const { used, fixed } of lines) {
    const before = amounts[used]!;
    if (before > Number.MAX_SAFE_INTEGER - delta) return false;
    if (fixed?.givenAbove === undefined) continue;
    // Up to here all of the charge comes out of what is held for the node, or goes back into it.
    const bound = delta > 0 ? fixed.limit - delta : fixed.limit;
    if (before > bound) return false;
    bounds[used] = bound;
  }
  return true;
}
