import {
  decidingDimension,
  type Decision,
  type DimensionDecision,
  type EpochMs,
  type LendingSpec,
  type Refused,
} from "@quota/core";
import { isBorrowingLimit } from "./isBorrowingLimit.js";
import { quantity } from "./quantity.js";
import { moment } from "./refusalMessage.js";
import type { Explanation } from "./restExplanation.js";

/**
 * Why a request would be answered as it would, in sentences, the most telling first: what the pool's rule says, what was used, what is unused
 * but held for how many others, when it opens, and what each other rule would say. Other keys are counted and never named.
 *
 * @example
 * explainWords(explanation)[0]; // "Refused under reserve, in requests/hourly: what is left is held for keys that have not used their shares."
 */
export function explainWords({
  lending,
  decision,
  rules,
  generatedAt: now,
}: Pick<Explanation, "lending" | "decision" | "rules" | "generatedAt">): readonly string[] {
  const own = ruleText(lending);
  const isDecisive = ({ name }: DimensionDecision): boolean =>
    "decidedBy" in decision && name === decision.decidedBy;
  const decidedFirst = [...decision.dimensions].sort((a, b) => Number(isDecisive(b)) - Number(isDecisive(a)));
  return [
    headline(decision, own),
    ...decidedFirst.map(useText),
    ...decidedFirst.map(heldText).filter((text) => text !== undefined),
    ...openingText(decision, now),
    ...rules
      .filter((rule) => ruleText(rule.lending) !== own)
      .map((rule) => `Under ${ruleText(rule.lending)}: ${verdictText(rule.decision, now)}.`),
  ];
}

/** A rule in a word or two: `threshold`, `reserve`, `reserve (hold 4)`. */
function ruleText(lending: LendingSpec): string {
  if (typeof lending === "string") return lending;
  const { rule, curve = "pace" } = lending;
  return curve === "pace" ? rule : `${rule} (hold ${String(curve.hold)})`;
}

function headline(decision: Decision, rule: string): string {
  switch (decision.status) {
    case "allowed":
      return `Passes under ${rule}.`;
    case "deprioritized":
      return `Passes under ${rule}, behind others, in ${decision.decidedBy}: the key is past its share, and its policy is soft.`;
    case "ungoverned":
      return decision.why === "empty-plan"
        ? "Nobody is limited here: the plan of this connection has no dimensions."
        : "Nobody is limited here: no pool shares this connection.";
    case "unjudged":
      return "Passes without a decision: the store does not answer, and this pool lets requests pass then.";
    case "unavailable":
      return "Refused, since the store does not answer and this pool refuses then.";
    case "refused": {
      const where = decision.decidedBy === undefined ? "" : `, in ${decision.decidedBy}`;
      return `Refused under ${rule}${where}: ${whyText(decision)}.`;
    }
  }
}

function whyText(decision: Refused): string {
  const dimension = decidingDimension(decision);
  if (dimension !== undefined && isBorrowingLimit(dimension))
    return "the key may borrow no more than its borrowing limit";
  return reasonText(decision);
}

function reasonText({ reason, cause }: Pick<Refused, "reason" | "cause">): string {
  switch (reason) {
    case "cap-absolute":
      return "the key's own cap is reached";
    case "global-saturated":
      return "the pool has no room for it";
    case "fair-share":
      return "the key's share is used up, and nothing may be borrowed now";
    case "reserved":
      return "what is left is held for keys that have not used their shares";
    case "in-flight":
      return cause === undefined
        ? "requests in flight stand in the way"
        : `only requests in flight stand in the way (until they end, ${reasonText({ reason: cause })})`;
    case "too-large":
      return "it is larger than what could ever pass";
    case "not-allocated":
      return "the key has no allocation, and this pool admits nobody else";
    case "contended":
      return "so many requests came at once that none could be decided";
  }
}

function useText({ name, unit, used, held, share, cap, cost }: DimensionDecision): string {
  const what = share === undefined ? "" : ` of a share of ${quantity(unit, share)}`;
  const flight = held > 0 ? `, ${quantity(unit, held)} of it in flight` : "";
  const capped = cap === undefined ? "" : `; the key's own cap is ${quantity(unit, cap)}`;
  const needs = cost > 0 ? `; this request needs ${quantity(unit, cost)}` : "";
  return `${name}: the key has used ${quantity(unit, used)}${what}${flight}${capped}${needs}.`;
}

/** What of the pool is unused, and for whom it is held. */
function heldText({ name, unit, limit, total, outside, reserve }: DimensionDecision): string | undefined {
  if (limit === "unknown" || reserve === undefined) return undefined;
  const { own, forOthers, holders, spare } = reserve;
  const whom = holders === undefined ? "other keys" : holders === 1 ? "1 other key" : `${holders} other keys`;
  const most = reserve.isExact ? "" : "at most ";
  const parts = [
    forOthers > 0 ? `${most}${quantity(unit, forOthers)} held for ${whom}` : "nothing held for other keys",
    `${quantity(unit, own)} for this key`,
    `${quantity(unit, spare)} left for anybody`,
  ];
  const unused = quantity(unit, limit - total - outside);
  return `${name}: ${unused} of the pool's ${quantity(unit, limit)} are unused: ${parts.join(", ")}.`;
}

function openingText(decision: Decision, now: EpochMs): readonly string[] {
  if (decision.status !== "refused") return [];
  const { reason, retryAt } = decision;
  if (retryAt !== undefined) return [`Opens ${moment(retryAt, now)}, if nobody else acts.`];
  if (reason === "in-flight") return ["Opens when requests in flight end."];
  return reason === "contended" ? ["Worth another try in a second."] : ["No wait is known to open it."];
}

/** What a rule would say, without its numbers but for what would be left. */
function verdictText(decision: Decision, now: EpochMs): string {
  if (decision.status !== "refused") {
    const left = decision.dimensions.flatMap(({ name, unit, available }) =>
      available === "unlimited" ? [] : [`up to ${quantity(unit, available)} of ${name}`],
    );
    const behind = decision.status === "deprioritized" ? ", behind others" : "";
    return `passes${behind}${left.length === 0 ? "" : `, ${left.join(", ")}`}`;
  }
  const { decidedBy, reason, retryAt } = decision;
  const where = decidedBy === undefined ? "" : ` in ${decidedBy}`;
  const opens =
    retryAt !== undefined
      ? `; opens ${moment(retryAt, now)}`
      : reason === "in-flight"
        ? ""
        : "; no wait is known to open it";
  return `refused${where}, since ${whyText(decision)}${opens}`;
}
