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

function headlineOf(decision: DecisionJson, who: string): string {
  const { status, why, reason, cause, decidedBy } = decision;
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
      return `${who} is refused${where}: ${refusalText(reason, cause, decisive(decision))}.`;
  }
}

function decisive({ decidedBy, dimensions }: DecisionJson): DimensionDecisionJson | undefined {
  return dimensions.find(({ name }) => name === decidedBy);
}

function refusalText(
  reason: string | undefined,
  cause: string | undefined,
  dimension: DimensionDecisionJson | undefined,
): string {
  switch (reason) {
    case "fair-share":
      if (dimension?.lending === "static") return "its share is used up, and this pool lends nothing";
      return dimension?.mode === "generous" ? BORROWED_ALL : "the pool is strict, and its share is used up";
    case "reserved":
      return "what is left is reserved for keys that have not used their shares yet";
    case "cap-absolute":
      return "its own cap is reached";
    case "global-saturated":
      return "the whole account has no room for it";
    case "in-flight":
      return cause === undefined
        ? "what is in flight stands in the way, and ends with it"
        : `only requests in flight stand in the way (${refusalText(cause, undefined, dimension)} until they end)`;
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
  const { unit, limit, globalUsedPercent, used, held, share, cap, available } = dimension;
  const where = capital(dimensionText(dimension.name));
  const capped = cap === undefined ? "" : ` Its own cap is ${amountText(unit, cap)}.`;
  if (limit === "unknown" || globalUsedPercent === null)
    return `${where}: no limit is known, so nothing is shared; ${who} has used ${amountText(unit, used)}.${capped}`;
  const use = `${percentText(globalUsedPercent)} of ${amountText(unit, limit)} is used`;
  const pool = `${poolText(dimension)}${use}${reservedText(dimension)}`;
  const flight = held > 0 ? `, ${bareAmountText(unit, held)} of it in flight` : "";
  const own =
    share === undefined
      ? `${who} has used ${amountText(unit, used)}${flight}`
      : `${who} has used ${bareAmountText(unit, used)} of its share of ${amountText(unit, share)}${flight}`;
  const room =
    available === "unlimited" || available === 0 ? "" : ` It may use ${amountText(unit, available)} now.`;
  return `${where}: ${pool}; ${own}${shareText(dimension, policy)}.${capped}${room}`;
}

function poolText({ lending, mode, reserve }: DimensionDecisionJson): string {
  if (lending === "static") return "nothing is lent, ";
  if (lending === "open") return "whoever comes first is served, ";
  if (reserve !== undefined) return "";
  return mode === "strict" ? "the pool is strict, " : "the pool is generous, ";
}

/** What of the pool is unused and still given to nobody but those it is reserved for. */
function reservedText({ unit, reserve }: DimensionDecisionJson): string {
  if (reserve === undefined) return "";
  const { forOthers, holders, spare, isExact } = reserve;
  const whom =
    holders === undefined ? "other keys" : holders === 1 ? "1 other key" : `${wholeText(holders)} other keys`;
  const held =
    forOthers > 0
      ? `${isExact ? "" : "at most "}${bareAmountText(unit, forOthers)} reserved for ${whom}`
      : "nothing reserved for other keys";
  return `, with ${held} and ${spare > 0 ? bareAmountText(unit, spare) : "nothing"} spare`;
}

/** What the share means for this key, as things are. */
function shareText(dimension: DimensionDecisionJson, policy: string | undefined): string {
  const { lending, mode, borrowing, share, refusal, available, reserve, unit } = dimension;
  if (share === undefined) return "";
  if (reserve !== undefined && refusal !== "global-saturated") {
    const own =
      reserve.own > 0
        ? `, and ${bareAmountText(unit, reserve.own)} are still reserved for it`
        : ", and nothing is reserved for it any more";
    return refusal === "reserved" ? `${own}: it waits until more is spare` : own;
  }
  if (refusal === "fair-share" && lending !== "static" && mode === "generous") return `: ${BORROWED_ALL}`;
  if (lending === "open" && refusal === undefined) return ", which holds nobody back here";
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

const BORROWED_ALL = "it has borrowed as much as it may";

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
