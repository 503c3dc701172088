import type { DimensionQuestion, FairShareQuestion } from "./fairShareQuestion.js";
import { isKnown } from "./knownLimit.js";

/** The used part of the limit at which a pool turns strict, unless it or the engine says otherwise. */
export const DEFAULT_SATURATION_THRESHOLD = 0.5;

/** What refuses at these numbers, or `"pass"`, or `"deprioritize"`. The rule itself, written once. */
export type DimensionVerdict = "pass" | "deprioritize" | "cap-absolute" | "global-saturated" | "fair-share";

/** The `threshold` rule for one dimension at given amounts; `everyone` includes what the provider saw beyond our count. */
export function judgeDimension(
  asked: DimensionQuestion,
  question: Pick<FairShareQuestion, "policy" | "saturationThreshold">,
  amounts: { readonly used: number; readonly everyone: number },
): DimensionVerdict {
  const { cap, cost, share = 0 } = asked;
  const { limit } = asked.dimension;
  if (cap !== undefined && !hasRoom(amounts.used, cost, cap)) return "cap-absolute";
  if (!hasRoom(amounts.everyone, cost, ceilingOf(limit))) return "global-saturated";
  if (!isKnown(limit)) return "pass";
  if (!isStrict(amounts.everyone, limit, question.saturationThreshold)) return "pass";
  if (isInsideShare(amounts.used, cost, share) || question.policy === "burst") return "pass";
  return question.policy === "soft" ? "deprioritize" : "fair-share";
}

/** Without a limit, what can be counted exactly is one: a request beyond that would make the store fail for everybody. */
export function ceilingOf(limit: number | "unknown"): number {
  return isKnown(limit) ? limit : Number.MAX_SAFE_INTEGER;
}

/** Whether a cost fits under a cap or limit. */
export function hasRoom(used: number, cost: number, bound: number): boolean {
  return used < bound && used + cost <= bound;
}

/** The largest cost that fits under a cap or limit, in whole grains. */
export function roomUnder(used: number, bound: number): number {
  const room = Math.max(0, Math.floor(bound - used));
  // Near 2^53 the difference is rounded: the comparison that decides has the last word.
  if (!hasRoom(used, room, bound)) return Math.max(0, room - 1);
  return hasRoom(used, room + 1, bound) ? room + 1 : room;
}

/** Whether shares bind. */
export function isStrict(everyone: number, limit: number, threshold = DEFAULT_SATURATION_THRESHOLD): boolean {
  return everyone / limit >= threshold;
}

/** Whether the key has not used up its share. The request's own size does not count. */
export function isInsideShare(used: number, cost: number, share: number): boolean {
  return cost === 0 ? used <= share : used < share;
}
