import type { AmountsInGrains, EpochMs } from "@quota/core";
import type { LivePool } from "./governedPools.js";
import { heldIn, ownIn, type Held } from "./held.js";
import { generationAt } from "./leaseBook.js";
import { reserveSettlementAdditions } from "./reserveSettlement.js";
import type { Counter, LedgerId, UsageStore } from "./usageStore.js";
import { MOVED } from "./windowState.js";

/** Amounts to add to counters, whatever they hold. The two lists are aligned. */
export interface Additions {
  readonly counters: readonly Counter[];
  readonly amounts: readonly number[];
  /**
   * The revision of the ledger's windows that the counters belong to, whose own counter is the last of them; `"any"` where they are the same
   * in all windows.
   */
  readonly revision: number | "any";
  /** Where demand is taken back that a stream was followed for and has not used after all: the key's; everybody's is the next. */
  readonly takenBackAt?: readonly number[] | undefined;
  /** Where the amounts depend on what some counters hold: which those are, by their places, and what is added then instead of `amounts`. */
  readonly reading?:
    | {
        readonly looksAt: readonly number[];
        readonly amountsOn: (shown: readonly number[]) => readonly number[];
      }
    | undefined;
}

/** A use that is to be written: what is added to the window, and which hold it replaces. */
export interface Settlement {
  readonly live: LivePool;
  readonly apiKeyId: string;
  /**
   * Units that are undefined add nothing. `pricedTokens` is the demand that percent is spread by: it is added where the provider tells a
   * percentage, in the place of percent, and may be negative where more was followed than was used in the end.
   */
  readonly actual: AmountsInGrains;
  /** The estimate and the generation it is held in; undefined where nothing is held. */
  readonly hold: { readonly estimate: Held; readonly generation: number } | undefined;
}

/**
 * What a settlement adds: the actual use to the current bucket, and the hold, negative, to its generation, for the key and
 * for everybody. A generation that has expired is not written: nobody reads it any more.
 */
export function settlementAdditions(settlement: Settlement, leaseMs: number, now: EpochMs): Additions {
  const { live, apiKeyId, actual, hold } = settlement;
  const moment = live.momentAt(now);
  if (moment.keepsReserves) return reserveSettlementAdditions(settlement, leaseMs, now);
  const { counters } = moment.sheetOf(apiKeyId);
  const generationsAgo = hold === undefined ? Infinity : generationAt(leaseMs, now) - hold.generation;
  const touched: Counter[] = [];
  const amounts: number[] = [];
  let takenBackAt: number[] | undefined;
  let offset = 0;
  for (const { dimension, buckets, settledAt, heldAt, provisionalAt } of moment.dimensions) {
    const everyones = offset + buckets.length;
    const isReckoned = provisionalAt >= 0;
    const used = (isReckoned ? actual.pricedTokens : actual[dimension.unit]) ?? 0;
    if (used !== 0) {
      const usedAt = isReckoned ? provisionalAt : settledAt;
      if (used < 0) (takenBackAt ??= []).push(touched.length);
      touched.push(counters[offset + usedAt]!, counters[everyones + usedAt]!);
      amounts.push(used, used);
    }
    const held = hold === undefined ? 0 : heldIn(hold.estimate, dimension);
    if (held !== 0 && generationsAgo <= 1) {
      const at = heldAt + generationsAgo;
      touched.push(counters[offset + at]!, counters[everyones + at]!);
      amounts.push(-held, -held);
    }
    offset = everyones + buckets.length;
  }
  if (touched.length === 0) return { counters: touched, amounts, revision: "any" };
  touched.push(counters[counters.length - 1]!);
  amounts.push(0);
  return { counters: touched, amounts, revision: moment.revision, takenBackAt };
}

/**
 * What a renewal adds: the hold to the current generation, and, negative, to the one it lay in. A hold that has evaporated in the meantime is
 * held anew, and not out of the key's reserve: that was given back to it, and may be spent.
 */
export function renewalAdditions(
  { live, apiKeyId, hold }: Omit<Settlement, "actual"> & { readonly hold: NonNullable<Settlement["hold"]> },
  leaseMs: number,
  now: EpochMs,
): Additions {
  const moment = live.momentAt(now);
  const { counters: sheet } = moment.sheetOf(apiKeyId);
  const generationsAgo = generationAt(leaseMs, now) - hold.generation;
  const counters: Counter[] = [];
  const amounts: number[] = [];
  let offset = 0;
  for (const { dimension, buckets, heldAt, reserve } of moment.dimensions) {
    const size = buckets.length;
    const held = heldIn(hold.estimate, dimension);
    const own = generationsAgo <= 1 ? ownIn(hold.estimate, dimension.name) : 0;
    const moved = reserve === undefined ? [held, held] : [held, held, own, held - own];
    moved.forEach((amount, tally) => {
      if (amount === 0) return;
      const at = offset + tally * size + heldAt;
      if (generationsAgo <= 1) {
        counters.push(sheet[at + generationsAgo]!);
        amounts.push(-amount);
      }
      counters.push(sheet[at]!);
      amounts.push(amount);
    });
    offset += moved.length * size;
  }
  // Generations are the same in all windows.
  return { counters, amounts, revision: "any" };
}

/**
 * Adds, in one step, whatever the counters hold; answers what they held before, or that the ledger's windows have moved on, and then adds
 * nothing. A counter that would pass 2^53 − 1 stops there: refusing the step would lose what else is in it.
 */
export function addTo(
  step: { readonly store: UsageStore; readonly ledger: LedgerId; readonly additions: Additions },
  now: EpochMs,
): Promise<readonly number[] | typeof MOVED> {
  const { counters, revision, takenBackAt, reading } = step.additions;
  const last = counters.length - 1;
  if (last < 0) return Promise.resolve([]);
  return step.store.transact<readonly number[] | typeof MOVED>({
    ledger: step.ledger,
    counters,
    now,
    decide(shown) {
      if (revision !== "any" && shown[last] !== revision)
        return { result: MOVED, additions: new Array<number>(shown.length).fill(0) };
      const result = shown.slice();
      const amounts = amountsOn(step.additions, shown);
      if (takenBackAt !== undefined)
        return { result, additions: upToTheLargest(ofWhatWaits(amounts, takenBackAt, shown), shown) };
      for (let i = 0; i < amounts.length; i += 1)
        if (shown[i]! > Number.MAX_SAFE_INTEGER - amounts[i]!)
          return { result, additions: upToTheLargest(amounts, shown) };
      const holdsUpTo = new Array<number | undefined>(amounts.length).fill(Infinity);
      if (revision !== "any") holdsUpTo[last] = revision;
      for (const at of reading?.looksAt ?? []) holdsUpTo[at] = undefined;
      return { result, additions: amounts, holdsUpTo };
    },
  });
}

/** What is added where the counters hold this much. */
export function amountsOn(
  { amounts, reading }: Pick<Additions, "amounts" | "reading">,
  shown: readonly number[],
): readonly number[] {
  return reading === undefined ? amounts : reading.amountsOn(shown);
}

/**
 * No more demand is taken back than still waits: the rest was spread with a rise, or its window is over. What others ask for would have to make
 * up for it, and their part of the next rise would be nobody's.
 */
function ofWhatWaits(
  amounts: readonly number[],
  takenBackAt: readonly number[],
  before: readonly number[],
): readonly number[] {
  const additions = amounts.slice();
  for (const at of takenBackAt) {
    const takenBack = Math.min(-amounts[at]!, Math.max(0, before[at]!));
    additions[at] = additions[at + 1] = 0 - takenBack;
  }
  return additions;
}

function upToTheLargest(amounts: readonly number[], before: readonly number[]): readonly number[] {
  return amounts.map((amount, i) => Math.min(amount, Number.MAX_SAFE_INTEGER - before[i]!));
}
