import type { DimensionQuestion, FairShareQuestion } from "./fairShareQuestion.js";
import { isKnown } from "./knownLimit.js";
import { ceilingOf, hasRoom } from "./room.js";
import { isInsideShare, isStrict } from "./thresholdRule.js";

/** What refuses at these numbers, or `"pass"`, or `"deprioritize"`. */
export type DimensionVerdict =
  "pass" | "deprioritize" | "cap-absolute" | "global-saturated" | "fair-share" | "reserved";

/** The amounts that a dimension is judged on. */
export interface JudgedAmounts {
  readonly used: number;
  /** With what the provider saw beyond our count. */
  readonly everyone: number;
  /** Under `reserve`: what is still held for the key, and what is left for anybody. */
  readonly own?: number | undefined;
  readonly spare?: number | undefined;
}

/** The rules for one dimension at given amounts, written once. The first that refuses is the reason. */
export function judgeDimension(
  asked: DimensionQuestion,
  question: Pick<FairShareQuestion, "policy" | "saturationThreshold" | "lending">,
  amounts: JudgedAmounts,
): DimensionVerdict {
  const { cap, cost, most } = asked;
  const { limit } = asked.dimension;
  if (cap !== undefined && !hasRoom(amounts.used, cost, cap)) return "cap-absolute";
  if (!hasRoom(amounts.everyone, cost, ceilingOf(limit))) return "global-saturated";
  if (!isKnown(limit)) return "pass";
  if (most !== undefined && amounts.used + cost > most) return sternest(question);
  if (question.policy === "burst" || mayTake(asked, question, amounts)) return "pass";
  return question.policy === "soft" ? "deprioritize" : sternest(question);
}

/** Whether the lending rule lets a hard key have it. */
function mayTake(
  { cost, share = 0, dimension }: DimensionQuestion,
  { lending = "threshold", saturationThreshold }: Pick<FairShareQuestion, "saturationThreshold" | "lending">,
  { used, everyone, own = 0, spare = 0 }: JudgedAmounts,
): boolean {
  switch (lending) {
    case "threshold":
      return (
        !isStrict(everyone, dimension.limit as number, saturationThreshold) ||
        isInsideShare(used, cost, share)
      );
    case "reserve":
      return Math.max(0, cost - own) <= spare;
    case "static":
      return used + cost <= share;
    case "open":
      return true;
  }
}

function sternest({ lending }: Pick<FairShareQuestion, "lending">): "fair-share" | "reserved" {
  return lending === "reserve" ? "reserved" : "fair-share";
}
