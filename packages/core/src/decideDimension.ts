import type { DimensionDecision, ReserveNumbers } from "./decision.js";
import type { DimensionQuestion, FairShareQuestion } from "./fairShareQuestion.js";
import { judgeDimension, type DimensionVerdict, type JudgedAmounts } from "./judgeDimension.js";
import { isKnown } from "./knownLimit.js";
import { outsideOf } from "./outsideUse.js";
import { settledAt, useAt, usesAt } from "./reading.js";
import type { ReserveQuestion } from "./reserveQuestion.js";
import { reservesAt, reservesOn } from "./reserveRule.js";
import { ceilingOf, roomUnder } from "./room.js";
import { isStrict } from "./thresholdRule.js";
import type { EpochMs } from "./units.js";

/** Decides one dimension by itself: what refuses, and every number that an answer or a page needs. */
export function decideDimension(
  asked: DimensionQuestion,
  question: FairShareQuestion,
  now: EpochMs,
): DimensionDecision {
  const { dimension, cost, cap } = asked;
  const { limit } = dimension;
  const lending = question.lending ?? "threshold";
  const { used, held, total } = usesAt(asked, now);
  const outside = asked.signal === undefined && asked.outside === undefined ? 0 : outsideOf(asked, now);
  const everyone = total + outside;
  const share = isKnown(limit) ? (asked.share ?? 0) : undefined;
  const reserve =
    lending === "reserve" && isKnown(limit) && asksReserve(asked)
      ? reserveNumbers(asked, { used, everyone, outside }, now)
      : undefined;
  const amounts =
    reserve === undefined ? { used, everyone } : { used, everyone, own: reserve.own, spare: reserve.spare };
  const verdict = judgeDimension(asked, question, amounts);
  const mode = isKnown(limit) ? modeOf(question, amounts, limit) : "unknown";
  return {
    name: dimension.name,
    unit: dimension.unit,
    window: dimension.window,
    limit,
    lending,
    mode,
    globalUsedPercent: isKnown(limit) ? everyone / limit : undefined,
    cost,
    used,
    held,
    total,
    outside,
    share,
    cap,
    reserve,
    remaining: share === undefined ? undefined : Math.max(0, share - used),
    available: availableOf({ asked, question, amounts, mode, verdict }),
    maxAllowed: isKnown(limit) ? Math.max(0, limit - (everyone - used)) : undefined,
    borrowing: share !== undefined && used > share,
    resetsAt: asked.resetsAt,
    refusal:
      verdict === "pass" || verdict === "deprioritize"
        ? undefined
        : nameRefusal(asked, question, verdict, now),
  };
}

/** Whether a dimension's reserves are part of the question. */
export function asksReserve(
  asked: DimensionQuestion,
): asked is DimensionQuestion & { readonly reserve: ReserveQuestion } {
  return asked.reserve !== undefined;
}

/** The amounts that a decided dimension was judged on. */
export function judgedOn({ used, total, outside, reserve }: DimensionDecision): JudgedAmounts {
  return { used, everyone: total + outside, own: reserve?.own, spare: reserve?.spare };
}

function reserveNumbers(
  asked: DimensionQuestion & { readonly reserve: ReserveQuestion },
  { used, everyone, outside }: { readonly used: number; readonly everyone: number; readonly outside: number },
  now: EpochMs,
): ReserveNumbers {
  const amounts = { used, everyone, outside, at: useAt };
  const { own, bound, forOthers, holders, spare, decayed, isExact, isCut } = reservesOn(asked, amounts, now);
  const fromOwn = Math.min(own, asked.cost);
  return { own, bound, forOthers, holders, spare, fromOwn, decayed, isExact, isCut };
}

function modeOf(
  { lending = "threshold", saturationThreshold }: FairShareQuestion,
  { everyone, spare = 0 }: JudgedAmounts,
  limit: number,
): "strict" | "generous" {
  switch (lending) {
    case "threshold":
      return isStrict(everyone, limit, saturationThreshold) ? "strict" : "generous";
    case "reserve":
      return spare < 1 ? "strict" : "generous";
    case "static":
      return "strict";
    case "open":
      return "generous";
  }
}

/** The largest cost that would pass now. */
function availableOf(decided: {
  readonly asked: DimensionQuestion;
  readonly question: FairShareQuestion;
  readonly amounts: JudgedAmounts;
  readonly mode: DimensionDecision["mode"];
  readonly verdict: DimensionVerdict;
}): number | "unlimited" {
  const { asked, question, amounts, mode, verdict } = decided;
  const { cap, most, share = 0 } = asked;
  const { limit } = asked.dimension;
  const { used, everyone } = amounts;
  const room = Math.min(
    cap === undefined ? Infinity : roomUnder(used, cap),
    most === undefined ? Infinity : Math.max(0, most - used),
    isKnown(limit) || verdict === "global-saturated" ? roomUnder(everyone, ceilingOf(limit)) : Infinity,
  );
  if (room === Infinity) return "unlimited";
  if (!isKnown(limit) || question.policy === "soft" || question.policy === "burst") return room;
  switch (question.lending ?? "threshold") {
    case "threshold":
      // At a used-up share, a hard key passes with cost 0 at most.
      return mode === "strict" && used >= share ? 0 : room;
    case "reserve": {
      const { own = 0, spare = 0 } = amounts;
      return spare < 0 ? 0 : Math.max(0, Math.min(room, Math.floor(own + spare)));
    }
    case "static":
      return Math.max(0, Math.min(room, Math.floor(share - used)));
    case "open":
      return room;
  }
}

/** A refusal is too large where no time helps, in flight where what is settled alone would not cause it. */
function nameRefusal(
  asked: DimensionQuestion,
  question: FairShareQuestion,
  verdict: Exclude<DimensionVerdict, "pass" | "deprioritize">,
  now: EpochMs,
): NonNullable<DimensionDecision["refusal"]> {
  if (asked.cost > mostThatCanPass(asked)) return "too-large";
  const settled =
    question.lending === "reserve" && isKnown(asked.dimension.limit) && asksReserve(asked)
      ? reservesAt(asked, now, "settled")
      : {
          used: settledAt(asked.used, now),
          everyone: settledAt(asked.total, now) + outsideOf(asked, now),
        };
  const without = judgeDimension(asked, question, settled);
  return without === "pass" || without === "deprioritize" ? "in-flight" : verdict;
}

/** The largest cost that any moment could let pass. */
function mostThatCanPass({ cap, most, dimension: { limit } }: DimensionQuestion): number {
  return Math.min(cap ?? Infinity, most ?? Infinity, isKnown(limit) ? limit : Infinity);
}
