import type { Allowed, Deprioritized, DimensionDecision, Refused } from "./decision.js";
import type { DimensionQuestion, FairShareQuestion } from "./fairShareQuestion.js";
import { isKnown } from "./knownLimit.js";
import type { Use } from "./reading.js";
import { judgedOn } from "./decideDimension.js";
import { judgeDimension } from "./judgeDimension.js";
import type { ReserveQuestion } from "./reserveQuestion.js";
import { ceilingOf, hasRoom } from "./room.js";
import { DEFAULT_SATURATION_THRESHOLD, isInsideShare, isStrict } from "./thresholdRule.js";
import type { EpochMs } from "./units.js";

/** How far each amount of one dimension's readings may rise without changing the verdict; aligned with their amounts. */
export interface DimensionBounds {
  /** Undefined: the verdict stands for exactly what was seen of the key's own numbers. */
  readonly used: readonly number[] | undefined;
  readonly total: readonly number[];
  /** Under `reserve`, of what is lent; undefined under every other rule. */
  readonly lent: readonly number[] | undefined;
}

/**
 * The bounds up to which a verdict stands: at any amounts that are all within them, together, the rule asked again answers no
 * sterner. A store that several processes share commits an allowance whose amounts are within its bounds, whatever changed
 * in between. A refusal has none: it stands for exactly what was seen.
 *
 * Amounts that only shrink with time (older buckets) are bound by what was read. The two that neighbours add to, the
 * current bucket and the current generation of holds, split what is left before the rule would change its mind. A key
 * that is still inside its share after this request needs no bound for the mode, only for its share.
 */
export function verdictBounds(
  question: FairShareQuestion,
  decision: Allowed | Deprioritized | Refused,
  now: EpochMs,
): readonly DimensionBounds[] | undefined {
  if (!decision.allowed) return undefined;
  const bounds: DimensionBounds[] = [];
  for (let i = 0; i < question.dimensions.length; i += 1) {
    const asked = question.dimensions[i]!;
    const slack = slackOf(asked, question, decision.dimensions[i]!);
    const grows = growingOf(asked.total, now);
    if (asked.reserve !== undefined) {
      bounds.push(reserveBounds(asked.reserve, { asked, question, answer: decision.dimensions[i]!, grows }));
      continue;
    }
    const owns = sharesBuckets(asked) ? grows : growingOf(asked.used, now);
    bounds.push({
      used: spread(asked.used, slack.used, { grows: owns, whose: "key" }),
      total: spread(asked.total, slack.total, { grows, whose: "everyone" }),
      lent: undefined,
    });
  }
  return bounds;
}

/**
 * What comes out of a key's reserve, and what it gives up, depend on its own numbers in no one direction: they must be as they were. What others
 * do shows in what is lent.
 */
function reserveBounds(
  { lent }: ReserveQuestion,
  {
    asked,
    question,
    answer,
    grows,
  }: {
    readonly asked: DimensionQuestion;
    readonly question: FairShareQuestion;
    readonly answer: DimensionDecision;
    readonly grows: Growing;
  },
): DimensionBounds {
  const total = ceilingSlack(asked, answer);
  const isLent =
    question.lending === "reserve" &&
    question.policy !== "burst" &&
    judgeDimension(asked, question, judgedOn(answer)) === "pass";
  const { spare = 0, own = 0 } = answer.reserve ?? {};
  const slack = isLent ? Math.max(0, Math.floor(spare - Math.max(0, asked.cost - own))) : Infinity;
  return {
    used: undefined,
    total: spread(asked.total, total, { grows, whose: "everyone" }),
    lent: spread(lent, slack, { grows, whose: "everyone" }),
  };
}

function ceilingSlack(
  { cost, dimension: { limit } }: DimensionQuestion,
  { total, outside }: DimensionDecision,
): number {
  const ceiling = ceilingOf(limit);
  return rise(total + outside, ceiling - cost, (amount) => hasRoom(amount, cost, ceiling));
}

/** How many whole grains the key's and everybody's use may rise, together, before the rule would answer more sternly. */
function slackOf(
  asked: DimensionQuestion,
  question: FairShareQuestion,
  answer: DimensionDecision,
): { readonly used: number; readonly total: number } {
  const { cost, cap, most, share = 0 } = asked;
  const { limit } = asked.dimension;
  const { lending = "threshold" } = question;
  const everyone = answer.total + answer.outside;
  let used =
    cap === undefined ? Infinity : rise(answer.used, cap - cost, (amount) => hasRoom(amount, cost, cap));
  let total = ceilingSlack(asked, answer);
  if (!isKnown(limit)) return { used, total };
  const within = (bound: number): number =>
    Math.min(
      used,
      rise(answer.used, bound - cost, (amount) => amount + cost <= bound),
    );
  if (most !== undefined) used = within(most);
  if (lending === "open" || lending === "reserve") return { used, total };
  if (lending === "static") {
    const isOver = answer.used + cost > share;
    return { used: question.policy === "burst" || isOver ? used : within(share), total };
  }
  const deprioritizedAlready = answer.mode === "strict" && !isInsideShare(answer.used, cost, share);
  if (question.policy === "burst" || deprioritizedAlready) return { used, total };

  const threshold = question.saturationThreshold ?? DEFAULT_SATURATION_THRESHOLD;
  if (answer.mode === "strict" || answer.used + cost < share)
    used = Math.min(
      used,
      rise(answer.used, share, (amount) => isInsideShare(amount, cost, share)),
    );
  else
    total = Math.min(
      total,
      rise(everyone, threshold * limit, (amount) => !isStrict(amount, limit, threshold)),
    );
  return { used, total };
}

/** The most whole grains that `amount` may rise and still pass; where sums are rounded (fractions, amounts near 2^53) a hair's breadth is kept. */
function rise(amount: number, bound: number, passes: (amount: number) => boolean): number {
  const hair = Number.isInteger(amount) && bound < 2 ** 45 ? 0 : bound * 2 ** -46;
  let slack = Math.max(0, Math.floor(bound - amount - hair));
  while (slack > 0 && !passes(amount + slack + hair)) slack -= 1;
  return slack;
}

function spread(
  use: Use,
  slack: number,
  { grows, whose }: { readonly grows: Growing; readonly whose: "key" | "everyone" },
): readonly number[] {
  if (typeof use === "number") return [];
  const { amounts } = use;
  const bounds = new Array<number>(amounts.length).fill(Infinity);
  if (slack === Infinity) return bounds;
  for (let i = 0; i < amounts.length; i += 1) {
    const amount = amounts[i]!;
    // A key's amount below 0 is read as 0; everybody's is signed.
    const seen = whose === "key" && amount < 0 ? 0 : amount;
    if (i === grows.settledAt) bounds[i] = seen + Math.floor(slack / 2);
    else bounds[i] = i === grows.heldAt ? seen + Math.ceil(slack / 2) : seen;
  }
  return bounds;
}

/**
 * Where, among a reading's buckets, neighbours add: the current bucket (where use is reckoned before it is known, what is provisional)
 * and the current generation; −1 where there is none.
 */
interface Growing {
  readonly settledAt: number;
  readonly heldAt: number;
}

/** Of the buckets that count whole, the second newest is the current one: the newest is a neighbour's whose clock is ahead. */
function growingOf(use: Use, now: EpochMs): Growing {
  const whole = { settled: [] as number[], held: [] as number[], provisional: [] as number[] };
  if (typeof use !== "number")
    for (let i = 0; i < use.buckets.length; i += 1) {
      const { holds, fadesFrom } = use.buckets[i]!;
      if (now <= fadesFrom) whole[holds].push(i);
    }
  const { settled, held, provisional } = whole;
  return { settledAt: provisional[0] ?? settled[1] ?? settled[0] ?? -1, heldAt: held[1] ?? held[0] ?? -1 };
}

/** Both readings of a request lie over the same buckets, as a rule. */
function sharesBuckets({ used, total }: DimensionQuestion): boolean {
  return typeof used !== "number" && typeof total !== "number" && used.buckets === total.buckets;
}
