import { clearingMoment } from "./clearingMoment.js";
import { asksReserve } from "./decideDimension.js";
import type { DimensionQuestion, FairShareQuestion } from "./fairShareQuestion.js";
import { judgeDimension } from "./judgeDimension.js";
import { isKnown } from "./knownLimit.js";
import { everyoneOf } from "./outsideUse.js";
import { reserveClearsAt } from "./reserveClearsAt.js";
import { ceilingOf, hasRoom } from "./room.js";
import { DEFAULT_SATURATION_THRESHOLD, isInsideShare, isStrict } from "./thresholdRule.js";
import type { EpochMs } from "./units.js";

/** When one dimension that refuses would let the same request pass if nobody acts; `Infinity` for never. */
export function clearsAt(asked: DimensionQuestion, question: FairShareQuestion, now: EpochMs): number {
  const { used, cost, cap, most, share = 0 } = asked;
  const { limit } = asked.dimension;
  const lending = question.lending ?? "threshold";
  const isHard = question.policy !== "soft" && question.policy !== "burst";
  if (lending === "reserve" && isKnown(limit) && asksReserve(asked))
    return reserveClearsAt(asked, now, (amounts) => {
      const verdict = judgeDimension(asked, question, amounts);
      return verdict === "pass" || verdict === "deprioritize";
    });
  const moments: (EpochMs | undefined)[] = [];
  if (cap !== undefined)
    moments.push(
      clearingMoment({ use: used, bound: cap - cost, passes: (amount) => hasRoom(amount, cost, cap) }, now),
    );
  const everyone = everyoneOf(asked, now);
  const ceiling = ceilingOf(limit);
  moments.push(
    clearingMoment(
      { use: everyone, bound: ceiling - cost, passes: (amount) => hasRoom(amount, cost, ceiling) },
      now,
    ),
  );
  if (!isKnown(limit)) return latest(moments);
  // What a key may use at most, in whole grains.
  const within = Math.min(most ?? Infinity, isHard && lending === "static" ? share : Infinity);
  if (within < Infinity)
    moments.push(
      clearingMoment({ use: used, bound: within - cost, passes: (amount) => amount + cost <= within }, now),
    );
  if (isHard && lending === "threshold") {
    const threshold = question.saturationThreshold ?? DEFAULT_SATURATION_THRESHOLD;
    const generous = clearingMoment(
      { use: everyone, bound: threshold * limit, passes: (amount) => !isStrict(amount, limit, threshold) },
      now,
    );
    const inside = clearingMoment(
      { use: used, bound: share, passes: (amount) => isInsideShare(amount, cost, share) },
      now,
    );
    moments.push(Math.min(generous ?? Infinity, inside ?? Infinity));
  }
  return latest(moments);
}

function latest(moments: readonly (EpochMs | undefined)[]): number {
  return Math.max(...moments.map((moment) => moment ?? Infinity));
}
