import type { EpochMs, Refused, Unavailable } from "@quota/core";

/** What a refused client is told about coming back. */
export interface RetryAdvice {
  /** The moment at which the same request would pass if nobody else acts; undefined where time does not help, or nobody knows. */
  readonly opensAt: EpochMs | undefined;
  /** `retry-after` and `retry-after-ms`, where `opensAt` is known, and `x-should-retry: false` where no client should sit and wait. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a client that retries by itself should; false above a minute and where time does not help. */
  readonly worthWaiting: boolean;
  /** Whether the wait is longer than a client's timer can be, so that `retry-after` says less than the truth. */
  readonly capped: boolean;
}

/** Above this wait a client must not sleep: the official SDKs would do so for hours. */
export const LONGEST_PATIENT_WAIT_MS = 60_000;

/** The longest wait ever told, in seconds: in milliseconds it is just below 2^31, past which timers fire at once. */
const LONGEST_RETRY_AFTER_S = 2_147_483;

/** When what is held for requests in flight is worth another look. */
const IN_FLIGHT_RETRY_MS = 5_000;

/** When a contended pool, or a store that did not answer, is worth another try. */
const SOON_RETRY_MS = 1_000;

/**
 * When to come back, as headers. `retry-after` is whole seconds, rounded up, at least 1; `retry-after-ms` is the same wait to the
 * millisecond. Neither is ever shorter than the true wait (but for the cap), so a client that waits and finds the pool unchanged gets in.
 *
 * `jitter`, from 0 to 1, spreads the clients that wait for one reset: it adds that part of 5 % of the wait, at most 30 s. The caller
 * draws it; nothing here is random.
 */
export function retryAdvice(
  {
    decision,
    jitter = 0,
  }: { readonly decision: Refused | Unavailable; readonly jitter?: number | undefined },
  now: EpochMs,
): RetryAdvice {
  const opensAt = opening(decision, now);
  return waitAdvice({ opensAt, jitter: isReset(decision) ? jitter : 0 }, now);
}

/** {@link retryAdvice} for a moment that is known already. */
export function waitAdvice(
  { opensAt, jitter }: { readonly opensAt: EpochMs | undefined; readonly jitter: number },
  now: EpochMs,
): RetryAdvice {
  if (opensAt === undefined)
    return { opensAt, headers: { "x-should-retry": "false" }, worthWaiting: false, capped: false };
  const wait = Math.max(1, Math.ceil(opensAt - now));
  const told = wait + Math.floor(Math.min(Math.max(jitter, 0), 1) * Math.min(wait * 0.05, 30_000));
  const ms = Math.min(told, LONGEST_RETRY_AFTER_S * 1000);
  const worthWaiting = told <= LONGEST_PATIENT_WAIT_MS;
  return {
    opensAt,
    headers: {
      "retry-after": String(Math.ceil(ms / 1000)),
      "retry-after-ms": String(ms),
      ...(!worthWaiting && { "x-should-retry": "false" }),
    },
    worthWaiting,
    capped: told > ms,
  };
}

function opening(decision: Refused | Unavailable, now: EpochMs): EpochMs | undefined {
  if (decision.status === "unavailable") return now + SOON_RETRY_MS;
  switch (decision.reason) {
    case "too-large":
    case "not-allocated":
      return undefined;
    case "in-flight":
      return now + IN_FLIGHT_RETRY_MS;
    case "contended":
      return now + SOON_RETRY_MS;
    case "cap-absolute":
    case "global-saturated":
    case "fair-share":
    case "reserved": {
      const { retryAt } = decision;
      return retryAt !== undefined && retryAt <= LAST_DATE ? retryAt : undefined;
    }
  }
}

/** The last moment a date can name. */
const LAST_DATE = 8.64e15;

function isReset(decision: Refused | Unavailable): boolean {
  return decision.status === "refused" && decision.reason !== "in-flight" && decision.reason !== "contended";
}
