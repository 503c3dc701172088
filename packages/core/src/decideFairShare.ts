import { clearingMoment } from "./clearingMoment.js";
import type { Allowed, Deprioritized, DimensionDecision, Refused } from "./decision.js";
import { compareDimensions, type Dimension, type DimensionName } from "./dimension.js";
import type { DimensionQuestion, FairShareQuestion } from "./fairShareQuestion.js";
import { isKnown } from "./knownLimit.js";
import { everyoneOf, outsideOf } from "./outsideUse.js";
import { settledAt, usesAt } from "./reading.js";
import {
  ceilingOf,
  DEFAULT_SATURATION_THRESHOLD,
  hasRoom,
  isInsideShare,
  isStrict,
  judgeDimension,
  roomUnder,
} from "./thresholdRule.js";
import type { EpochMs } from "./units.js";

/**
 * Decides whether a request may take from a shared pool: the `threshold` lending rule. Pure; everything it knows is in the
 * question and `now`.
 *
 * Each dimension, in this order: an absolute cap, the pool's ceiling, the mode (strict from `saturationThreshold` of the limit on), and in
 * strict mode the key's share, which a key passes by at most one request. A request is refused if any dimension refuses it; of
 * several, the one that clears last is reported. The order of the dimensions never matters.
 *
 * @example
 * decideFairShare(
 *   {
 *     policy: "hard",
 *     dimensions: [{ dimension: { name: "requests/hourly", unit: "requests", window: "hourly", limit: 100 }, used: 30, total: 60, cost: 1, share: 30 }],
 *   },
 *   Date.UTC(2026, 0, 1),
 * ); // { status: "refused", reason: "fair-share", decidedBy: "requests/hourly", … }
 */
export function decideFairShare(
  question: FairShareQuestion,
  now: EpochMs,
): Allowed | Deprioritized | Refused {
  const dimensions: DimensionDecision[] = [];
  let refused = false;
  for (const asked of question.dimensions) {
    const answer = decideDimension(asked, question, now);
    if (answer.refusal !== undefined) refused = true;
    dimensions.push(answer);
  }
  if (refused) return refusal(question, dimensions, now);
  const decidedBy = question.policy === "soft" ? deprioritizing(question, dimensions) : undefined;
  if (decidedBy !== undefined) return { status: "deprioritized", allowed: true, decidedBy, dimensions };
  return { status: "allowed", allowed: true, dimensions };
}

function decideDimension(
  asked: DimensionQuestion,
  question: FairShareQuestion,
  now: EpochMs,
): DimensionDecision {
  const { dimension, cost, cap } = asked;
  const { limit } = dimension;
  const { used, held, total } = usesAt(asked, now);
  const outside = asked.signal === undefined && asked.outside === undefined ? 0 : outsideOf(asked, now);
  const everyone = total + outside;
  const share = isKnown(limit) ? (asked.share ?? 0) : undefined;
  const verdict = judgeDimension(asked, question, { used, everyone });
  const strict = isKnown(limit) && isStrict(everyone, limit, question.saturationThreshold);
  const room = Math.min(
    cap === undefined ? Infinity : roomUnder(used, cap),
    isKnown(limit) || verdict === "global-saturated" ? roomUnder(everyone, ceilingOf(limit)) : Infinity,
  );
  // At a used-up share, a hard key passes with cost 0 at most.
  const shut = strict && question.policy !== "soft" && question.policy !== "burst" && used >= (share ?? 0);
  return {
    name: dimension.name,
    unit: dimension.unit,
    window: dimension.window,
    limit,
    mode: strict ? "strict" : isKnown(limit) ? "generous" : "unknown",
    globalUsedPercent: isKnown(limit) ? everyone / limit : undefined,
    cost,
    used,
    held,
    total,
    outside,
    share,
    cap,
    remaining: share === undefined ? undefined : Math.max(0, share - used),
    available: room === Infinity ? "unlimited" : shut ? 0 : room,
    maxAllowed: isKnown(limit) ? Math.max(0, limit - (everyone - used)) : undefined,
    borrowing: share !== undefined && used > share,
    resetsAt: asked.resetsAt,
    refusal:
      verdict === "pass" || verdict === "deprioritize"
        ? undefined
        : nameRefusal(asked, question, verdict, now),
  };
}

/** The first dimension, in their own order, in which a soft key is past its share. */
function deprioritizing(
  question: FairShareQuestion,
  dimensions: readonly DimensionDecision[],
): DimensionName | undefined {
  let first: DimensionQuestion | undefined;
  question.dimensions.forEach((asked, i) => {
    if (
      judgeDimension(asked, question, usesOf(dimensions[i]!)) === "deprioritize" &&
      (first === undefined || before(asked, first))
    )
      first = asked;
  });
  return first?.dimension.name;
}

/** The amounts that a dimension was judged on. */
function usesOf({ used, total, outside }: DimensionDecision): {
  readonly used: number;
  readonly everyone: number;
} {
  return { used, everyone: total + outside };
}

/** A refusal is too large where no time helps, in flight where what is settled alone would not cause it. */
function nameRefusal(
  asked: DimensionQuestion,
  question: FairShareQuestion,
  verdict: "cap-absolute" | "global-saturated" | "fair-share",
  now: EpochMs,
): NonNullable<DimensionDecision["refusal"]> {
  const { cost, cap, dimension } = asked;
  if (cost > (cap ?? Infinity) || (isKnown(dimension.limit) && cost > dimension.limit)) return "too-large";
  const without = judgeDimension(asked, question, {
    used: settledAt(asked.used, now),
    everyone: settledAt(asked.total, now) + outsideOf(asked, now),
  });
  return without === "pass" || without === "deprioritize" ? "in-flight" : verdict;
}

/**
 * Of the dimensions that refuse, reports the one that clears last. What is in flight may end at any moment and is reported
 * only where nothing else refuses; still, `retryAt` counts on nobody's ending.
 */
function refusal(
  question: FairShareQuestion,
  dimensions: readonly DimensionDecision[],
  now: EpochMs,
): Refused {
  let last: Refusing | undefined;
  let retryAt = now;
  question.dimensions.forEach((asked, i) => {
    const answer = dimensions[i]!;
    if (answer.refusal === undefined) return;
    const refusing = { asked, answer, clears: clearsAt(asked, question, answer, now) };
    retryAt = Math.max(retryAt, refusing.clears);
    if (last === undefined || outranks(refusing, last)) last = refusing;
  });
  const { asked, answer } = last!;
  const reason = answer.refusal!;
  const cause = reason === "in-flight" ? judgeDimension(asked, question, usesOf(answer)) : undefined;
  return {
    status: "refused",
    allowed: false,
    reason,
    ...(cause !== undefined && cause !== "pass" && cause !== "deprioritize" && { cause }),
    decidedBy: asked.dimension.name,
    ...(reason !== "in-flight" && retryAt !== Infinity && { retryAt }),
    dimensions,
  };
}

/** A dimension that refuses, and when it would not any more. */
interface Refusing {
  readonly asked: DimensionQuestion;
  readonly answer: DimensionDecision;
  readonly clears: number;
}

function outranks(a: Refusing, b: Refusing): boolean {
  const rank = ({ answer: { refusal } }: Refusing): number =>
    refusal === "too-large" ? 2 : refusal === "in-flight" ? 0 : 1;
  if (rank(a) !== rank(b)) return rank(a) > rank(b);
  return a.clears === b.clears ? before(a.asked, b.asked) : a.clears > b.clears;
}

/** When one dimension would let the same request pass if nobody acts; `Infinity` for never. */
function clearsAt(
  asked: DimensionQuestion,
  question: FairShareQuestion,
  answer: DimensionDecision,
  now: EpochMs,
): number {
  if (answer.refusal === "too-large") return Infinity;
  const { used, cost, cap, share = 0 } = asked;
  const { limit } = asked.dimension;
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
  if (isKnown(limit) && question.policy !== "soft" && question.policy !== "burst") {
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
  return Math.max(...moments.map((moment) => moment ?? Infinity));
}

function before(a: DimensionQuestion, b: DimensionQuestion): boolean {
  return compareDimensions(a.dimension as Dimension, b.dimension as Dimension) < 0;
}
