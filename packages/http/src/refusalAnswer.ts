import type { EpochMs } from "@quota/core";
import { buildFailure } from "./buildFailure.js";
import type { BuiltAnswer } from "./buildProblem.js";
import type { Dialect } from "./dialectOf.js";
import type { RefusalCode } from "./refusalCode.js";
import type { RetryAdvice } from "./retryAdvice.js";

/** A 429 that is all but written. */
export interface RefusalToWrite {
  readonly dialect: Dialect;
  readonly requestId: string;
  readonly code: RefusalCode;
  readonly message: string;
  readonly advice: RetryAdvice;
  readonly headers: Readonly<Record<string, string>>;
  /** The names of the policies that refused, as the RateLimit draft lists them. */
  readonly violated: readonly string[];
}

/** Writes a refusal in the dialect of its client. */
export function refusalAnswer(refusal: RefusalToWrite, now: EpochMs): BuiltAnswer {
  const { dialect, requestId, code, message, advice, headers } = refusal;
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
        ? problemMembers(refusal)
        : dialect === "anthropic" && advice.capped
          ? resetsAt(advice)
          : {},
  });
  return dialect === "codex" ? { ...answer, body: codexBody(message, advice, now) } : answer;
}

function problemMembers({ violated, advice }: RefusalToWrite): Readonly<Record<string, unknown>> {
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
