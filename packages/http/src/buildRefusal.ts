import type { EpochMs, Refused, Unavailable } from "@quota/core";
import { buildFailure } from "./buildFailure.js";
import type { BuiltAnswer } from "./buildProblem.js";
import type { Dialect } from "./dialectOf.js";
import { policyName, rateLimitFields } from "./rateLimitFields.js";
import { refusalCode } from "./refusalCode.js";
import { refusalMessage } from "./refusalMessage.js";
import { retryAdvice, type RetryAdvice } from "./retryAdvice.js";

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
 */
export function buildRefusal({ decision, dialect, requestId, jitter }: Refusal, now: EpochMs): BuiltAnswer {
  const advice = retryAdvice({ decision, jitter }, now);
  const message = refusalMessage({ decision, opensAt: advice.opensAt }, now);
  const code = refusalCode(decision.status === "refused" ? decision.reason : "unavailable");
  const headers = { ...advice.headers, ...rateLimitFields(decision, now) };
  if (decision.status === "unavailable")
    return buildFailure({ dialect, requestId, status: 503, code, message, headers });
  const answer = buildFailure({
    dialect,
    requestId,
    status: 429,
    code,
    message,
    type: advice.worthWaiting ? "rate_limit_error" : "insufficient_quota",
    headers,
    members:
      dialect === "openai"
        ? problemMembers(decision, advice)
        : dialect === "anthropic" && advice.capped
          ? resetsAt(advice)
          : {},
  });
  return dialect === "codex" ? { ...answer, body: codexBody(message, advice, now) } : answer;
}

function problemMembers(decision: Refused, advice: RetryAdvice): Readonly<Record<string, unknown>> {
  const violated = decision.dimensions.filter(({ refusal }) => refusal !== undefined).map(policyName);
  return {
    ...(violated.length > 0 && {
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      title: "Request cannot be satisfied as assigned quota has been exceeded",
    }),
    "violated-policies": violated,
    ...resetsAt(advice),
  };
}

/** Codex ends a turn at any other 429 as a generic retry error, so every reason is a usage limit to it. */
function codexBody(message: string, advice: RetryAdvice, now: EpochMs): BuiltAnswer["body"] {
  const { opensAt } = advice;
  return {
    error: {
      type: "usage_limit_reached",
      message,
      ...resetsAt(advice),
      ...(opensAt !== undefined && { resets_in_seconds: Math.max(1, Math.ceil((opensAt - now) / 1000)) }),
    },
  };
}

function resetsAt({ opensAt }: RetryAdvice): Readonly<Record<string, unknown>> {
  return opensAt === undefined ? {} : { resets_at: Math.ceil(opensAt / 1000) };
}
