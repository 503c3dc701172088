import type { FixedWindow } from "./calendarWindow.js";
import type { DimensionQuestion } from "./fairShareQuestion.js";
import type { JudgedAmounts } from "./judgeDimension.js";
import { outsideOf } from "./outsideUse.js";
import { useAt, type Use } from "./reading.js";
import { LAST_PART, reservedPartAt } from "./reserveCurve.js";
import type { ReserveLine, ReserveQuestion } from "./reserveQuestion.js";
import { cutTo, reserveBound, reserveLeft } from "./reserveRule.js";
import type { EpochMs } from "./units.js";

/** A window later than this one is looked at only while holds from now may still be in the way. */
const WINDOWS_AHEAD = 64;

/**
 * The earliest millisecond from `now` on at which a refused request would pass if nobody acts; `Infinity` for never.
 *
 * Within one window, time only helps: what is held for others shrinks, holds end. So the moment is found by halving. At a window's end
 * every reserve is whole again, so what one window does not let pass is looked for in the next, and so on while holds of today are there.
 *
 * Where only the asking key was looked at, nobody knows how far the others' reserves have shrunk: the moment is the one from which on nothing is
 * held, or the next window.
 */
export function reserveClearsAt(
  asked: DimensionQuestion & { readonly reserve: ReserveQuestion },
  now: EpochMs,
  passes: (amounts: JudgedAmounts) => boolean,
): number {
  const { opens, resets, following } = asked.reserve;
  const lengthMs = resets - opens;
  const amountsAt = asked.reserve.others === undefined ? withoutOthers(asked) : withOthers(asked);
  const lastHold = lastBucketEnd(asked);
  let window: FixedWindow = { opens, resets };
  let from = now;
  for (let ahead = 0; ahead < WINDOWS_AHEAD; ahead += 1) {
    const { opens: opened, resets: until } = window;
    const passesAt = (moment: EpochMs): boolean => passes(amountsAt(moment, window));
    if (until > from) {
      if (passesAt(from)) return from;
      if (passesAt(until - 1)) return firstMoment(from, until - 1, passesAt);
      if (ahead > 0 && opened > lastHold) break;
      from = until;
    }
    if (following === "first-use") {
      // Whoever asks opens the window: only what is held ends by itself.
      const passesAnew = (moment: EpochMs): boolean =>
        passes(amountsAt(moment, { opens: moment, resets: moment + lengthMs }));
      if (passesAnew(from)) return from;
      return lastHold > from && passesAnew(lastHold) ? firstMoment(from, lastHold, passesAnew) : Infinity;
    }
    window = following?.(until) ?? { opens: until, resets: until + lengthMs };
  }
  return Infinity;
}

/** The first moment at which it passes, between one at which it does not and one at which it does. */
function firstMoment(
  lastRefused: EpochMs,
  firstPassed: EpochMs,
  passesAt: (moment: EpochMs) => boolean,
): EpochMs {
  let [refused, passed] = [lastRefused, firstPassed];
  while (passed - refused > 1) {
    const between = Math.floor((refused + passed) / 2);
    if (passesAt(between)) passed = between;
    else refused = between;
  }
  return passed;
}

type AmountsAt = (moment: EpochMs, window: FixedWindow) => JudgedAmounts;

function withOthers(asked: DimensionQuestion & { readonly reserve: ReserveQuestion }): AmountsAt {
  const { reserve, share = 0 } = asked;
  const others = reserve.others!;
  const limit = asked.dimension.limit as number;
  const line: ReserveLine = { share, kept: reserve.kept, used: asked.used, spent: reserve.spent };
  // Most keys hold nothing: what is left of theirs is worked out once, as plain arrays of numbers, since some thirty moments are looked at.
  const moving: ReserveLine[] = [];
  const shares = new Float64Array(others.length);
  const kept = new Float64Array(others.length);
  const left = new Float64Array(others.length);
  let steady = 0;
  for (const each of others) {
    if (typeof each.used !== "number" || typeof each.spent !== "number") {
      moving.push(each);
      continue;
    }
    shares[steady] = each.share;
    kept[steady] = each.kept;
    left[steady] = Math.max(0, each.share - (each.spent > each.used ? each.spent : each.used));
    steady += 1;
  }
  return (moment, window) => {
    const isNext = window.opens !== reserve.opens;
    const settled = (use: Use): number => (typeof use !== "number" ? useAt(use, moment) : isNext ? 0 : use);
    const part = reservedPartAt(reserve.curve, window, moment);
    const leftOf = (each: ReserveLine): number =>
      reserveLeft(each.share, {
        used: settled(each.used),
        spent: settled(each.spent),
        bound: reserveBound(each, part),
      });
    let forOthers = 0;
    const unspent = isNext ? shares : left;
    for (let i = 0; i < steady; i += 1) {
      const falling = Math.floor(shares[i]! * part);
      const bound = falling > kept[i]! ? falling : kept[i]!;
      forOthers += unspent[i]! < bound ? unspent[i]! : bound;
    }
    for (const each of moving) forOthers += leftOf(each);
    const own = leftOf(line);
    const everyone = settled(asked.total) + outsideOf(asked, moment);
    const spare = limit - everyone - own - forOthers;
    const used = settled(asked.used);
    if (spare >= 0 || own + forOthers === 0) return { used, everyone, own, spare };
    const cutOwn = cutTo(Math.max(0, Math.floor(limit - everyone)), own + forOthers)(own);
    // Rounding down leaves a few grains more to the others than this says, which no moment may count on.
    return { used, everyone, own: cutOwn, spare: Math.min(0, limit - everyone) };
  };
}

function withoutOthers(asked: DimensionQuestion & { readonly reserve: ReserveQuestion }): AmountsAt {
  const { reserve, share = 0 } = asked;
  return (moment, window) => {
    const isNext = window.opens !== reserve.opens;
    const settled = (use: Use): number => (typeof use !== "number" ? useAt(use, moment) : isNext ? 0 : use);
    const part = reservedPartAt(reserve.curve, window, moment);
    const used = settled(asked.used);
    const everyone = settled(asked.total) + outsideOf(asked, moment);
    const own = reserveLeft(share, {
      used,
      spent: settled(reserve.spent),
      bound: reserveBound({ share, kept: reserve.kept }, part),
    });
    const isOver = moment - window.opens >= LAST_PART * (window.resets - window.opens);
    const free = (asked.dimension.limit as number) - everyone;
    return { used, everyone, own, spare: isOver ? free - own : Math.min(0, free - own) };
  };
}

/** When the last of what is held now is gone. */
function lastBucketEnd({
  used,
  total,
  reserve,
}: DimensionQuestion & { readonly reserve: ReserveQuestion }): number {
  let last = 0;
  for (const use of [used, total, reserve.spent])
    if (typeof use !== "number")
      use.buckets.forEach(({ goneAt }, i) => {
        if (use.amounts[i] !== 0 && goneAt < Infinity) last = Math.max(last, goneAt);
      });
  return last;
}
