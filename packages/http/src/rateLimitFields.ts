import {
  GRAINS_PER_UNIT,
  UNITS,
  WINDOW_MS,
  WINDOWS,
  type Decision,
  type DimensionDecision,
  type EpochMs,
  type Unit,
  type WindowName,
} from "@quota/core";
import { openingOf, ownQuota, type OwnQuota } from "./ownQuota.js";

/** The quota headers of one answer; a member is missing where there is nothing true to say. */
export interface RateLimitFields {
  readonly "ratelimit-policy"?: string;
  readonly ratelimit?: string;
  readonly "quota-status"?: "unjudged" | "deprioritized";
}

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11), one item per dimension, for this key alone. They must be
 * sent before the body: they are not allowed in trailers.
 *
 * - `q`: what this key may count on: its share, or its cap where that is smaller. A dimension with neither has no item.
 * - `w`: the window, in seconds.
 * - `r`: what is left of `q` after this request; 0 in a dimension that refused it for the pool's sake. The room of the pool is not in it: it
 *   would tell to the token what the others use. A pool that lent this key's share to others may refuse in spite of it. Under
 *   `reserve`, which does not: what is held for this key now, which shrinks with the time that its share lies idle.
 * - `t`: for how many seconds `r` is all there is for sure: up to the end of the current window (where that rolls, of its part that is aligned
 *   to the epoch, where it begins to forget what is used now); on a refusal, no longer than its `Retry-After`.
 * - `quota-lending=1`: requests beyond `r` pass for the moment, on borrowed room. A client that stops at `r=0` loses only that.
 * - `quota-unit`: what `q` and `r` count, since `qu` is for registered units and only `requests` is one: `tokens`,
 *   `basis-points` (10 000 are the whole window), `micro-usd`.
 *
 * A request that nobody judged gets no numbers, and `quota-status: unjudged` where the store failed.
 */
export function rateLimitFields(decision: Decision, now: EpochMs): RateLimitFields {
  if (decision.status === "unjudged") return { "quota-status": "unjudged" };
  const status = decision.status === "deprioritized" ? ({ "quota-status": "deprioritized" } as const) : {};
  const told = { counted: decision.allowed, opensAt: openingOf(decision, now) };
  let policy = "";
  let limit = "";
  for (const dimension of decision.dimensions) {
    const own = ownQuota(dimension, told, now);
    if (own === undefined) continue;
    const comma = policy === "" ? "" : ", ";
    policy += comma + policyItem(own);
    limit += comma + limitItem(own, now);
  }
  return policy === "" ? status : { "ratelimit-policy": policy, ratelimit: limit, ...status };
}

/** The name of a dimension's policy in these headers and in `violated-policies`: `5h-tokens`. */
export function policyName({ unit, window }: Pick<DimensionDecision, "unit" | "window">): string {
  return `${window}-${unit}`;
}

function policyItem({ dimension: { unit, window }, quota }: OwnQuota): string {
  const { name, parameters } = SPELLINGS[unit][window];
  return name + ";q=" + spelled(unit, quota) + parameters;
}

function limitItem({ dimension, sure, passes, endsAt }: OwnQuota, now: EpochMs): string {
  const { unit, window, lending, mode, borrowing } = dimension;
  const r = spelled(unit, sure);
  const lends = passes && (mode === "generous" || borrowing || lending === "reserve");
  const item = SPELLINGS[unit][window].name + ";r=" + r + ";t=" + String(Math.ceil((endsAt - now) / 1000));
  return r === "0" && lends ? item + ";quota-lending=1" : item;
}

/** As an Integer of RFC 9651, which has 15 digits at most. */
function spelled(unit: Unit, grains: number): string {
  const amount = Math.floor((grains * COUNTED_AS[unit].perUnit) / GRAINS_PER_UNIT[unit]);
  return String(Math.min(Math.max(0, amount), 999_999_999_999_999));
}

const COUNTED_AS = {
  percent: { perUnit: 100, parameter: "quota-unit", word: "basis-points" },
  requests: { perUnit: 1, parameter: "qu", word: "requests" },
  tokens: { perUnit: 1, parameter: "quota-unit", word: "tokens" },
  usd: { perUnit: 1_000_000, parameter: "quota-unit", word: "micro-usd" },
} as const satisfies Readonly<
  Record<Unit, { perUnit: number; parameter: "qu" | "quota-unit"; word: string }>
>;

/** What is the same in every item of a dimension. Names, words and numbers here hold nothing that RFC 9651 would have escaped. */
const SPELLINGS = Object.fromEntries(
  UNITS.map((unit) => [unit, Object.fromEntries(WINDOWS.map((window) => [window, spelling(unit, window)]))]),
) as Readonly<Record<Unit, Readonly<Record<WindowName, ReturnType<typeof spelling>>>>>;

function spelling(unit: Unit, window: WindowName): { readonly name: string; readonly parameters: string } {
  const { parameter, word } = COUNTED_AS[unit];
  return {
    name: `"${policyName({ unit, window })}"`,
    parameters: `;w=${String(WINDOW_MS[window] / 1000)};${parameter}="${word}"`,
  };
}
