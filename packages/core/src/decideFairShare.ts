import { clearsAt } from "./clearsAt.js";
import { decideDimension, judgedOn } from "./decideDimension.js";
import type { Allowed, Deprioritized, DimensionDecision, Refused } from "./decision.js";
import { compareDimensions, type Dimension, type DimensionName } from "./dimension.js";
import type { DimensionQuestion, FairShareQuestion } from "./fairShareQuestion.js";
import { judgeDimension } from "./judgeDimension.js";
import type { EpochMs } from "./units.js";

/**
 * Decides whether a request may take from a shared pool, by the pool's lending rule. Pure; everything it knows is in the question and
 * `now`.
 *
 * Each dimension, in this order: an absolute cap, the pool's ceiling, the key's borrowing limit, and what the rule lends. By `threshold`, the
 * default, that is anything in the generous mode; in the strict one (from `saturationThreshold` of the limit on) the key's share, which it
 * passes by at most one request. A request is refused if any dimension refuses it; of
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

/** The first dimension, in their own order, in which a soft key is past its share. */
function deprioritizing(
  question: FairShareQuestion,
  dimensions: readonly DimensionDecision[],
): DimensionName | undefined {
  let first: DimensionQuestion | undefined;
  question.dimensions.forEach((asked, i) => {
    if (
      judgeDimension(asked, question, judgedOn(dimensions[i]!)) === "deprioritize" &&
      (first === undefined || before(asked, first))
    )
      first = asked;
  });
  return first?.dimension.name;
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
    const refusing = {
      asked,
      answer,
      clears: answer.refusal === "too-large" ? Infinity : clearsAt(asked, question, now),
    };
    retryAt = Math.max(retryAt, refusing.clears);
    if (last === undefined || outranks(refusing, last)) last = refusing;
  });
  retryAt = whenAllPass(question, retryAt);
  const { asked, answer } = last!;
  const reason = answer.refusal!;
  const cause = reason === "in-flight" ? judgeDimension(asked, question, judgedOn(answer)) : undefined;
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

/**
 * A reserve is whole again when its window begins anew: a dimension that lets the request pass now may not do so at the moment at which
 * another one clears.
 */
function whenAllPass(question: FairShareQuestion, from: EpochMs): number {
  let at = from;
  if (question.lending !== "reserve" || question.dimensions.length === 1) return at;
  for (let turn = 0; turn < WINDOWS_IN_A_ROW && at !== Infinity; turn += 1) {
    const next = Math.max(...question.dimensions.map((asked) => clearsAt(asked, question, at)));
    if (next === at) return at;
    at = next;
  }
  return at;
}

/** How often windows of several lengths are looked through for a moment at which they all agree. */
const WINDOWS_IN_A_ROW = 64;

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

function before(a: DimensionQuestion, b: DimensionQuestion): boolean {
  return compareDimensions(a.dimension as Dimension, b.dimension as Dimension) < 0;
}
