import type { ReserveNumbers } from "./decision.js";
import type { DimensionQuestion } from "./fairShareQuestion.js";
import { outsideOf } from "./outsideUse.js";
import { settledAt, useAt, type Use } from "./reading.js";
import { reservedPartAt } from "./reserveCurve.js";
import type { ReserveLine, ReserveQuestion } from "./reserveQuestion.js";
import type { EpochMs } from "./units.js";

/** The most that may be held for a key at a part of the window, in whole grains: it shrinks along the curve, down to what is never lent. */
export function reserveBound({ share, kept }: Pick<ReserveLine, "share" | "kept">, part: number): number {
  return Math.max(kept, Math.floor(share * part));
}

/** What is written down as held for a key: its share less what it has given up or spent, and never more than may be held at this moment. */
export function reserveWritten(
  share: number,
  { spent, bound }: { readonly spent: number; readonly bound: number },
): number {
  const left = share - spent;
  const least = left < bound ? left : bound;
  return least > 0 ? least : 0;
}

/**
 * What is still held for a key: what is written down, and never more than is left of its share. That is looked at and not written down: use that
 * ends by itself, as a hold does whose process has died, makes room for what was held before.
 */
export function reserveLeft(
  share: number,
  { used, ...written }: { readonly used: number; readonly spent: number; readonly bound: number },
): number {
  const held = reserveWritten(share, written);
  const unused = share - used;
  return held < unused ? held : Math.max(0, unused);
}

/** The reserves of a dimension at one moment: what {@link ReserveNumbers} tells, and what every other key's comes to. */
export interface ReservesAt extends Omit<ReserveNumbers, "fromOwn"> {
  readonly everyone: number;
  readonly used: number;
  /** Every other key's, aligned with the question's; undefined where they were not looked at. */
  readonly others: readonly number[] | undefined;
}

/** What is counted: everything, or what is settled alone. */
type Counted = "all" | "settled";

/**
 * Everybody's reserves at `now`. Where every key was looked at the answer is exact; where only the asking key was, what the others have
 * given up since they were last looked at is missing, and less seems to be spare than is.
 *
 * If more was used than leaves room for what is held (an answer that came out larger than its estimate, use from outside), each
 * reserve is cut to the same part of itself, rounded down. That takes a look at all of them.
 */
export function reservesAt(
  asked: DimensionQuestion & { readonly reserve: ReserveQuestion },
  now: EpochMs,
  counted: Counted = "all",
): ReservesAt {
  const at = counted === "all" ? useAt : settledAt;
  const used = at(asked.used, now);
  const outside = outsideOf(asked, now);
  return reservesOn(asked, { used, everyone: at(asked.total, now) + outside, outside, at }, now);
}

/** {@link reservesAt}, where the amounts are known already. */
export function reservesOn(
  asked: DimensionQuestion & { readonly reserve: ReserveQuestion },
  amounts: {
    readonly used: number;
    readonly everyone: number;
    readonly outside: number;
    readonly at: (use: Use, now: EpochMs) => number;
  },
  now: EpochMs,
): ReservesAt {
  const { reserve, share = 0 } = asked;
  const { used, everyone, outside, at } = amounts;
  const limit = asked.dimension.limit as number;
  const part = reservedPartAt(reserve.curve, reserve, now);
  const bound = reserveBound({ share, kept: reserve.kept }, part);
  const spent = at(reserve.spent, now);
  const own = reserveLeft(share, { used, spent, bound });
  const decayed = share - spent - reserveWritten(share, { spent, bound });
  if (reserve.others === undefined) {
    const spare = limit - outside - reserve.sharedOut - at(reserve.lent, now) + (share - spent - own);
    const forOthers = limit - everyone - own - spare;
    return {
      own,
      bound,
      forOthers,
      holders: undefined,
      spare,
      decayed,
      isExact: false,
      everyone,
      used,
      others: undefined,
      isCut: false,
    };
  }
  const others = new Array<number>(reserve.others.length);
  let forOthers = 0;
  let holders = 0;
  for (let i = 0; i < others.length; i += 1) {
    const line = reserve.others[i]!;
    const left = reserveLeft(line.share, {
      used: typeof line.used === "number" ? line.used : at(line.used, now),
      spent: typeof line.spent === "number" ? line.spent : at(line.spent, now),
      bound: reserveBound(line, part),
    });
    others[i] = left;
    forOthers += left;
    if (left > 0) holders += 1;
  }
  const spare = limit - everyone - own - forOthers;
  const numbers = { bound, isExact: true, everyone, used };
  const held = own + forOthers;
  if (spare >= 0 || held === 0)
    return { ...numbers, own, forOthers, holders, spare, decayed, others, isCut: false };
  const cut = cutTo(Math.max(0, Math.floor(limit - everyone)), held);
  const cutOwn = cut(own);
  const cutOthers = others.map(cut);
  const cutForOthers = cutOthers.reduce((sum, reserved) => sum + reserved, 0);
  return {
    ...numbers,
    own: cutOwn,
    forOthers: cutForOthers,
    holders: cutOthers.filter((reserved) => reserved > 0).length,
    spare: limit - everyone - cutOwn - cutForOthers,
    decayed: share - spent - cutOwn,
    others: cutOthers,
    isCut: true,
  };
}

/** Cuts reserves that come to `held` in all down to what is left, each to the same part of itself, rounded down. */
export function cutTo(left: number, held: number): (reserved: number) => number {
  return (reserved) => {
    const product = reserved * left;
    if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / held);
    return Number((BigInt(reserved) * BigInt(left)) / BigInt(held));
  };
}
