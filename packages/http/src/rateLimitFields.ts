import {
  currentBucket,
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
import { retryAdvice } from "./retryAdvice.js";

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
 * - `r`: what is left of `q` after this request, and never more than would pass at this moment. Room that the pool lends is not in it, because
 *   anybody may take it first, and because it would tell what the others use.
 * - `t`: for how many seconds `r` is all there is for sure: up to the end of the current window (aligned to the epoch: where a fixed window
 *   starts again and a rolling one begins to forget what is used now); on a refusal, no longer than its `Retry-After`.
 * - `quota-lending=1`: requests beyond `r` pass for the moment, on borrowed room. A client that stops at `r=0` loses only that.
 * - `quota-unit`: what `q` and `r` count, since `qu` is for registered units and only `requests` is one: `tokens`,
 *   `basis-points` (10 000 are the whole window), `micro-usd`.
 *
 * A request that nobody judged gets no numbers, and `quota-status: unjudged` where the store failed.
 */
export function rateLimitFields(decision: Decision, now: EpochMs): RateLimitFields {
  if (decision.status === "unjudged") return { "quota-status": "unjudged" };
  const status = decision.status === "deprioritized" ? ({ "quota-status": "deprioritized" } as const) : {};
  const opensAt = decision.status === "refused" ? retryAdvice({ decision }, now).opensAt : undefined;
  let policy = "";
  let limit = "";
  for (const dimension of decision.dimensions) {
    const quota = quotaOf(dimension);
    if (quota === undefined) continue;
    const comma = policy === "" ? "" : ", ";
    policy += comma + policyItem(dimension, quota);
    limit += comma + limitItem(dimension, { quota, counted: decision.allowed, opensAt }, now);
  }
  return policy === "" ? status : { "ratelimit-policy": policy, ratelimit: limit, ...status };
}

/** The name of a dimension's policy in these headers and in `violated-policies`: `5h-tokens`. */
export function policyName({ unit, window }: Pick<DimensionDecision, "unit" | "window">): string {
  return `${window}-${unit}`;
}

function policyItem({ unit, window }: DimensionDecision, quota: number): string {
  const { name, parameters } = SPELLINGS[unit][window];
  return name + ";q=" + spelled(unit, quota) + parameters;
}

function limitItem(
  dimension: DimensionDecision,
  {
    quota,
    counted,
    opensAt,
  }: {
    /** In grains. */
    readonly quota: number;
    /** An allowed request is counted by now; a refused one never is. */
    readonly counted: boolean;
    readonly opensAt: EpochMs | undefined;
  },
  now: EpochMs,
): string {
  const { unit, window, used, cost, available, mode, borrowing } = dimension;
  const taken = counted ? cost : 0;
  const passes = available === "unlimited" ? Infinity : available - taken;
  const lends = passes > 0 && (mode === "generous" || borrowing);
  const r = spelled(unit, Math.min(quota - used - taken, passes));
  const item =
    SPELLINGS[unit][window].name + ";r=" + r + ";t=" + String(secondsLeft(dimension, opensAt, now));
  return r === "0" && lends ? item + ";quota-lending=1" : item;
}

function quotaOf({ share, cap }: DimensionDecision): number | undefined {
  return share === undefined ? cap : Math.min(share, cap ?? Infinity);
}

function secondsLeft({ window }: DimensionDecision, opensAt: EpochMs | undefined, now: EpochMs): number {
  const length = WINDOW_MS[window];
  const ofWindow = (currentBucket(length, now) + 1) * length - now;
  return Math.ceil(
    (opensAt === undefined ? ofWindow : Math.min(ofWindow, Math.max(0, opensAt - now))) / 1000,
  );
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
