import type { Amounts } from "@quota/core";

/**
 * How a proxied request ended.
 * - `answered`: the upstream's answer passed here to its end.
 * - `client-left`: the client went away; `status` is the upstream's, if its answer had begun by then.
 * - `failed`: the upstream's connection broke, timed out or sent what is not what it says (JSON that does not parse), or
 *   something threw.
 */
export type RequestOutcome =
  | { readonly kind: "answered"; readonly status: number }
  | { readonly kind: "client-left"; readonly status?: number | undefined }
  | { readonly kind: "failed" };

/** What to do with a lease, once. */
export type Settlement =
  { readonly action: "settle"; readonly actual: Amounts } | { readonly action: "release" };

/**
 * The rule by which a request that ended is charged, in units.
 *
 * What the provider said was used is charged however the request ended; a usage of 0 is a value. Without it, an answer that succeeded, or began
 * to before the client left, is charged for what was produced, and for the estimate where that is unknown too. Everything else is
 * released: an upstream error (4xx, 429, 5xx) or redirect without usage, a client that left before the upstream answered, a failure.
 *
 * A unit that usage says nothing about keeps its estimate: usage in tokens still is one request.
 *
 * @example
 * settlementOf({ outcome: { kind: "answered", status: 429 }, estimate: { requests: 1, tokens: 900 } }); // { action: "release" }
 */
export function settlementOf({
  outcome,
  estimate,
  usage,
  produced,
}: {
  readonly outcome: RequestOutcome;
  /** What was held. */
  readonly estimate: Amounts;
  /** What the provider said, if it said anything. */
  readonly usage?: Amounts | undefined;
  /** What really passed, as far as it was seen: the prompt and what was produced. */
  readonly produced?: Amounts | undefined;
}): Settlement {
  const known = usage ?? (hasSucceeded(outcome) ? (produced ?? {}) : undefined);
  return known === undefined
    ? { action: "release" }
    : { action: "settle", actual: filledIn(known, estimate) };
}

function hasSucceeded(outcome: RequestOutcome): boolean {
  if (outcome.kind === "failed" || outcome.status === undefined) return false;
  return outcome.status >= 200 && outcome.status <= 299;
}

function filledIn(known: Amounts, estimate: Amounts): Amounts {
  return {
    requests: known.requests ?? estimate.requests,
    tokens: known.tokens ?? estimate.tokens,
    usd: known.usd ?? estimate.usd,
    percent: known.percent ?? estimate.percent,
    // What it weighs is never that of other tokens than it says.
    pricedTokens: known.tokens === undefined ? estimate.pricedTokens : known.pricedTokens,
  };
}
