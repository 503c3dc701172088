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
 * What a renewal adds: the hold to the current generation, and, negative, to the one it lay in. A hold that has evaporated in the meantime, or was
 * taken when reserves were reckoned with other shares, is held anew and not out of the key's reserve: see {@link keepsOwn}.
 */
export function renewalAdditions(
  renewed: Omit<Settlement, "actual"> & { readonly hold: NonNullable<Settlement["hold"]> },
  leaseMs: number,
  now: EpochMs,
): Additions {
  const { live, apiKeyId, hold } = renewed;
  const moment = live.momentAt(now);
  const { counters: sheet } = moment.sheetOf(apiKeyId);
  const generationsAgo = generationAt(leaseMs, now) - hold.generation;
  const isThere = generationsAgo <= 1;
  const counters: Counter[] = [];
  const amounts: number[] = [];
  const add = (at: number, amount: number): number => {
    amounts.push(amount);
    return counters.push(sheet[at]!) - 1;
  };
  /** Where what a reserve that was reckoned anew still bears of the hold is, and how much it bore. */
  const given: { readonly spentAt: number; readonly lentAt: number; readonly own: number }[] = [];
  let offset = 0;
  for (const { dimension, buckets, heldAt, reserve } of moment.dimensions) {
    const size = buckets.length;
    const held = heldIn(hold.estimate, dimension);
    const places = [0, 1, 2, 3].map((tally) => offset + tally * size + heldAt);
    const [key, everyone, spent, lent] = places as [number, number, number, number];
    offset += reserve === undefined ? 2 * size : 4 * size;
    if (held === 0) continue;
    for (const at of [key, everyone]) {
      if (isThere) add(at + generationsAgo, -held);
      add(at, held);
    }
    if (reserve === undefined) continue;
    const own = isThere ? ownIn(hold.estimate, dimension.name) : 0;
    const stays = keepsOwn(renewed, leaseMs, now) ? own : 0;
    const lentBefore = isThere ? add(lent + generationsAgo, stays - held) : -1;
    add(lent, held - stays);
    if (own === 0) continue;
    const spentAt = add(spent + generationsAgo, -stays);
    if (stays === own) add(spent, own);
    else given.push({ spentAt, lentAt: lentBefore, own });
  }
  return {
    counters,
    amounts,
    // Generations are the same in all windows.
    revision: "any",
    ...(given.length > 0 && {
      reading: {
        looksAt: given.map(({ spentAt }) => spentAt),
        amountsOn(shown) {
          const all = amounts.slice();
          for (const { spentAt, lentAt, own } of given) {
            const there = Math.max(0, Math.min(own, shown[spentAt]!));
            all[spentAt]! -= there;
            all[lentAt]! += there;
          }
          return all;
        },
      },
    }),
  };
}

/** Whether a hold that is renewed still comes out of the key's reserve: not where that was given back, or reckoned anew, since. */
export function keepsOwn(
  { live, hold }: { readonly live: LivePool; readonly hold: NonNullable<Settlement["hold"]> },
  leaseMs: number,
  now: EpochMs,
): boolean {
  const isThere = generationAt(leaseMs, now) - hold.generation <= 1;
  return isThere && hold.estimate.sharesBase === live.momentAt(now).sharesBase;
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
