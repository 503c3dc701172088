import type { EpochMs, Refused, Unavailable } from "@quota/core";
import { buildFailure } from "./buildFailure.js";
import type { BuiltAnswer } from "./buildProblem.js";
import type { Dialect } from "./dialectOf.js";
import { ownRateHeaders } from "./ownRateHeaders.js";
import { familiesOfDialect } from "./rateHeaderFamilies.js";
import { policyName, rateLimitFields } from "./rateLimitFields.js";
import { refusalAnswer } from "./refusalAnswer.js";
import { refusalCode } from "./refusalCode.js";
import { refusalMessage } from "./refusalMessage.js";
import { retryAdvice } from "./retryAdvice.js";

/** A decision that stops a request, and who is to be told. */
export interface Refusal {
  readonly decision: Refused | Unavailable;
  readonly dialect: Dialect;
  readonly requestId: string;
  /** From 0 to 1, drawn by the caller: spreads the clients that wait for one reset (see {@link retryAdvice}). Default 0. */
  readonly jitter?: number | undefined;
}

/**
 * The one builder of refusals: 429 for a refused request, 503 where the store failed and the policy is to refuse.
 *
 * The code stands in the body and in `x-quota-reason`, the wait in `retry-after` and `retry-after-ms`; above a minute, or where no wait
 * helps, `x-should-retry: false` keeps the official SDKs from sleeping. By the same line, OpenAI's `error.type` is
 * `insufficient_quota`, at which clients stop, or `rate_limit_error`, at which they try again.
 *
 * Bodies: OpenAI gets a problem (RFC 9457, `violated-policies` from the RateLimit draft) with `error` inside; Anthropic and Codex get theirs.
 * `resets_at` is exact, without jitter, in seconds since the epoch: always for OpenAI and Codex where it is known, for Anthropic
 * where `retry-after` had to be cut off.
 *
 * Clients of Codex and Claude also get the key's own numbers in the rate headers of their provider: that is where they look.
 */
export function buildRefusal({ decision, dialect, requestId, jitter }: Refusal, now: EpochMs): BuiltAnswer {
  const advice = retryAdvice({ decision, jitter }, now);
  const message = refusalMessage({ decision, opensAt: advice.opensAt }, now);
  const code = refusalCode(decision.status === "refused" ? decision.reason : "unavailable");
  const headers = {
    ...advice.headers,
    ...rateLimitFields(decision, now),
    ...Object.fromEntries(ownRateHeaders({ decision, families: familiesOfDialect(dialect) }, now)),
  };
  if (decision.status === "unavailable")
    return buildFailure({ dialect, requestId, status: 503, code, message, headers });
  return refusalAnswer(
    {
      dialect,
      requestId,
      code,
      message,
      advice,
      headers,
      violated: decision.dimensions.filter(({ refusal }) => refusal !== undefined).map(policyName),
    },
    now,
  );
}
