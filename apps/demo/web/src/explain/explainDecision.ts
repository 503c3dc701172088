import type { DecisionJson, DimensionDecisionJson, RateRefusalJson } from "@quota/http";
import {
  amountText,
  bareAmountText,
  dimensionText,
  nameText,
  percentText,
  wholeText,
} from "../ui/formats.js";

/** A decision in words, for whoever asks "why am I blocked?". The rule has been applied already: this only reads its numbers aloud. */
export interface Explanation {
  /** What happened, or would: one sentence. */
  readonly headline: string;
  /** One sentence or two for each dimension, the one that decided first. */
  readonly sentences: readonly string[];
}

export interface Explained {
  readonly decision: DecisionJson | RateRefusalJson;
  /** Whose request it is. */
  readonly who: string;
  /** What the key may do past its share; `undefined` where it has no allocation. */
  readonly policy: string | undefined;
}

export function explainDecision({ decision, who, policy }: Explained): Explanation {
  if ("refusal" in decision) return explainRateRefusal(decision.refusal, who);
  const asked: DecisionJson = decision;
  const isDecisive = ({ name }: DimensionDecisionJson): boolean => name === asked.decidedBy;
  const decidedFirst = [...asked.dimensions].sort((a, b) => Number(isDecisive(b)) - Number(isDecisive(a)));
  return {
    headline: headlineOf(asked, who),
    sentences: decidedFirst.map((dimension) => aboutDimension(dimension, { who, policy })),
  };
}

/** A limit per minute has refused it, before any pool was asked. */
function explainRateRefusal(
  { node, dimension, limit, used, heldForChildren, requested }: NonNullable<RateRefusalJson["refusal"]>,
  who: string,
): Explanation {
  const what = dimension === "rpm" ? "requests" : "tokens";
  const whose = node.kind === "key" ? "its own limit" : `the limit of the ${node.kind} ${nameText(node.id)}`;
  const kept =
    heldForChildren > 0
      ? ` ${wholeText(heldForChildren)} are kept for members of it that have not used their own limits.`
      : "";
  return {
    headline: `${who} is refused by ${whose}: ${wholeText(limit)} ${what} per minute.`,
    sentences: [
      `In this minute ${wholeText(used)} ${what} were used, and this request needs ${wholeText(requested)}.${kept} The limit opens when the minute turns.`,
    ],
  };
}

function headlineOf({ status, why, reason, cause, decidedBy }: DecisionJson, who: string): string {
  const where = decidedBy === undefined ? "" : ` in ${dimensionText(decidedBy)}`;
  switch (status) {
    case "allowed":
      return `${who} may go on.`;
    case "deprioritized":
      return `${who} may go on, behind others: its share${where} is used up, and its policy is soft.`;
    case "ungoverned":
      return why === "empty-plan"
        ? "Nobody is limited here: the plan of this connection has no dimensions."
        : "Nobody is limited here: no pool shares this connection.";
    case "unjudged":
      return `${who} passed without a decision: the store did not answer, and requests pass then.`;
    case "unavailable":
      return `${who} was refused, since the store did not answer and this pool refuses then.`;
    case "refused":
      return `${who} is refused${where}: ${refusalText(reason, cause)}.`;
  }
}

function refusalText(reason: string | undefined, cause: string | undefined): string {
  switch (reason) {
    case "fair-share":
      return "the pool is strict, and its share is used up";
    case "cap-absolute":
      return "its own cap is reached";
    case "global-saturated":
      return "the whole account has no room for it";
    case "in-flight":
      return cause === undefined
        ? "what is in flight stands in the way, and ends with it"
        : `only requests in flight stand in the way (${refusalText(cause, undefined)} until they end)`;
    case "too-large":
      return "this request is larger than what could ever pass; a smaller one may";
    case "not-allocated":
      return "it has no allocation here, and this pool admits nobody else";
    case "contended":
      return "so many requests came at once that none could be decided; a second later it may pass";
    default:
      return reason ?? "no reason was given";
  }
}

function aboutDimension(
  dimension: DimensionDecisionJson,
  { who, policy }: Pick<Explained, "who" | "policy">,
): string {
  const { unit, limit, mode, globalUsedPercent, used, held, share, cap, available } = dimension;
  const where = capital(dimensionText(dimension.name));
  const capped = cap === undefined ? "" : ` Its own cap is ${amountText(unit, cap)}.`;
  if (limit === "unknown" || globalUsedPercent === null)
    return `${where}: no limit is known, so nothing is shared; ${who} has used ${amountText(unit, used)}.${capped}`;
  const pool =
    mode === "strict"
      ? `the pool is strict, ${percentText(globalUsedPercent)} of ${amountText(unit, limit)} is used`
      : `the pool is generous, ${percentText(globalUsedPercent)} of ${amountText(unit, limit)} is used`;
  const flight = held > 0 ? `, ${bareAmountText(unit, held)} of it in flight` : "";
  const own =
    share === undefined
      ? `${who} has used ${amountText(unit, used)}${flight}`
      : `${who} has used ${bareAmountText(unit, used)} of its share of ${amountText(unit, share)}${flight}`;
  const room =
    available === "unlimited" || available === 0 ? "" : ` It may use ${amountText(unit, available)} now.`;
  return `${where}: ${pool}; ${own}${shareText(dimension, policy)}.${capped}${room}`;
}

/** What the share means for this key, as things are. */
function shareText(
  { mode, borrowing, share, refusal, available }: DimensionDecisionJson,
  policy: string | undefined,
): string {
  if (share === undefined) return "";
  if (refusal === "global-saturated")
    return available === 0
      ? ", and nothing is left for anybody"
      : ", and the account has no room for so much";
  if (mode === "generous")
    return borrowing ? ", and borrows the rest from what others leave idle" : ", and could borrow beyond it";
  if (!borrowing && refusal === undefined)
    return ": whoever has not used up its share passes, however strict the pool is";
  switch (policy) {
    case "burst":
      return ", and its policy is burst: it passes up to the limit of the whole account";
    case "soft":
      return ", and its policy is soft: it passes, behind others";
    default:
      return refusal === "fair-share" ? ", which holds it back until the window moves" : "";
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
