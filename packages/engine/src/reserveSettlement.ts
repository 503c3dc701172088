import {
  curveOf,
  reserveBound,
  reservedPartAt,
  reserveLeft,
  reserveWritten,
  useAt,
  type EpochMs,
} from "@quota/core";
import { keysAmounts, type DimensionMoment } from "./dimensionMoment.js";
import { heldIn, ownIn } from "./held.js";
import { generationAt } from "./leaseBook.js";
import type { PoolMoment } from "./poolMoment.js";
import type { Additions, Settlement } from "./settlementStep.js";
import type { Counter } from "./usageStore.js";

/**
 * What a settlement adds where reserves are kept. What was held goes over into the window as it was, with the part of it that came out of
 * the key's reserve; that is neutral. Then the difference is charged, first to the reserve, or given back, first to it.
 *
 * How much of the difference the reserve bears depends on what is left of it, so the key's own numbers are looked at then, and must not change
 * in between. Most requests cost what they were estimated to, in requests at least: theirs is a sum that holds whatever is counted.
 */
export function reserveSettlementAdditions(
  { live, apiKeyId, actual, hold }: Settlement,
  leaseMs: number,
  now: EpochMs,
): Additions {
  const moment = live.momentAt(now);
  const sheet = moment.sheetOf(apiKeyId).counters;
  const generationsAgo = hold === undefined ? Infinity : generationAt(leaseMs, now) - hold.generation;
  const counters: Counter[] = [];
  const amounts: number[] = [];
  const places = new Map<number, number>();
  const place = (at: number): number => {
    let placed = places.get(at);
    if (placed === undefined) {
      placed = counters.push(sheet[at]!) - 1;
      amounts.push(0);
      places.set(at, placed);
    }
    return placed;
  };
  const add = (at: number, amount: number): void => {
    if (amount !== 0) amounts[place(at)]! += amount;
  };
  const differences: Difference[] = [];
  const takenBackAt: number[] = [];
  let offset = 0;
  moment.dimensions.forEach((each, i) => {
    const { dimension, buckets, settledAt, provisionalAt, reserve } = each;
    const size = buckets.length;
    const [key, everyone, spent, lent] = [offset, offset + size, offset + 2 * size, offset + 3 * size];
    offset += reserve === undefined ? 2 * size : 4 * size;

    const isReckoned = provisionalAt >= 0;
    const used = (isReckoned ? actual.pricedTokens : actual[dimension.unit]) ?? 0;
    if (used < 0) takenBackAt.push(counters.length);
    for (const tally of [key, everyone]) add(tally + (isReckoned ? provisionalAt : settledAt), used);
    const isHeld = hold !== undefined && generationsAgo <= 1;
    const held = isHeld ? heldIn(hold.estimate, dimension) : 0;
    const heldAt = each.heldAt + generationsAgo;
    for (const tally of [key, everyone]) if (held !== 0) add(tally + heldAt, -held);
    if (reserve === undefined) return;

    const standing = moment.governed.standings.get(apiKeyId);
    const own = isHeld ? ownIn(hold.estimate, dimension.name) : 0;
    // What came out of a reserve that was reckoned anew since may have been taken for something that was lent: its counter knows.
    const isCarried = own > 0 && hold?.estimate.sharesBase !== moment.sharesBase;
    const bears =
      standing === undefined || !moment.hasAgreedShares
        ? "nothing"
        : isReckoned
          ? "what was held"
          : "the difference";
    const hasLeft = standing === undefined && moment.hasAgreedShares;
    if (!isCarried) {
      if (own !== 0) add(spent + heldAt, -own);
      // A key that has left the pool has no reserve any more that something could have come out of.
      if (held !== 0) add(lent + heldAt, hasLeft ? -held : own - held);
      if (bears === "nothing") return add(lent + settledAt, isReckoned ? 0 : used);
      if (isReckoned || used === held) {
        add(spent + settledAt, own);
        return add(lent + settledAt, isReckoned ? -own : held - own);
      }
    }
    differences.push({
      moment: each,
      window: reserve,
      share: standing?.shares[i] ?? 0,
      kept: standing?.kept[i] ?? 0,
      ...{ held, own, used: isReckoned ? 0 : used, bears, hasLeft },
      key: buckets.map((_bucket, b) => place(key + b)),
      spent: buckets.map((_bucket, b) => place(spent + b)),
      lentAt: place(lent + settledAt),
      carried: isCarried ? { spentAt: place(spent + heldAt), lentAt: place(lent + heldAt) } : undefined,
    });
  });
  if (counters.length === 0) return { counters, amounts, revision: "any" };
  counters.push(sheet[sheet.length - 1]!);
  amounts.push(0);
  return {
    counters,
    amounts,
    revision: moment.revision,
    ...(takenBackAt.length > 0 && { takenBackAt }),
    ...(differences.length > 0 && { reading: readingOf(differences, { amounts, moment }, now) }),
  };
}

/** A difference between what was held and what was used, and where the numbers are that say who bears it. */
interface Difference {
  readonly moment: DimensionMoment;
  readonly window: NonNullable<DimensionMoment["reserve"]>;
  readonly share: number;
  readonly kept: number;
  readonly held: number;
  readonly own: number;
  /** 0 where it is reckoned later. */
  readonly used: number;
  /** What the key's reserve has to do with it. */
  readonly bears: "the difference" | "what was held" | "nothing";
  /** Whether the key has no share of the pool any more. */
  readonly hasLeft: boolean;
  readonly key: readonly number[];
  readonly spent: readonly number[];
  readonly lentAt: number;
  /** Where the hold is that was taken under other shares; undefined where it was taken under these. */
  readonly carried: { readonly spentAt: number; readonly lentAt: number } | undefined;
}

function readingOf(
  differences: readonly Difference[],
  { amounts, moment }: { readonly amounts: readonly number[]; readonly moment: PoolMoment },
  now: EpochMs,
): NonNullable<Additions["reading"]> {
  const curve = curveOf(moment.governed);
  return {
    looksAt: differences.flatMap(({ key, spent }) => [...key, ...spent]),
    amountsOn(shown) {
      const all = amounts.slice();
      for (const each of differences) {
        const { carried, held, used, hasLeft } = each;
        const own =
          carried === undefined ? each.own : Math.max(0, Math.min(each.own, shown[carried.spentAt]!));
        if (carried !== undefined) {
          all[carried.spentAt]! -= own;
          all[carried.lentAt]! -= hasLeft ? held : held - own;
        }
        const part = reservedPartAt(curve, each.window, now);
        const given =
          each.bears === "nothing"
            ? 0
            : each.bears === "what was held"
              ? own
              : spentOn({ ...each, own }, { shown, part }, now);
        all[each.spent[each.moment.settledAt]!]! += given;
        all[each.lentAt]! += used - given;
      }
      return all;
    },
  };
}

/** How much more the reserve has given up or spent in the window, after what was held went over and the difference was charged or given back. */
function spentOn(
  { moment, share, kept, held, own, used, key, spent }: Difference,
  { shown, part }: { readonly shown: readonly number[]; readonly part: number },
  now: EpochMs,
): number {
  const { buckets } = moment;
  const read = (places: readonly number[]): readonly number[] => places.map((at) => shown[at]!);
  const use = useAt({ buckets, amounts: keysAmounts(moment, read(key), 0) }, now);
  const spentBefore = useAt({ buckets, amounts: read(spent) }, now);
  const bound = reserveBound({ share, kept }, part);
  const written = reserveWritten(share, { spent: spentBefore, bound });
  const left = reserveLeft(share, { used: use, spent: spentBefore, bound });
  const difference = used - held;
  const after =
    difference > 0
      ? written - Math.min(left, difference)
      : Math.max(written, Math.min(bound, left - difference, Math.max(0, share - use - difference)));
  return share - after - spentBefore + own;
}
