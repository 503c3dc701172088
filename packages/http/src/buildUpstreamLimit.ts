import { isRecord, type Decision, type EpochMs, type ProviderSignals } from "@quota/core";
import type { BuiltAnswer } from "./buildProblem.js";
import type { Dialect } from "./dialectOf.js";
import { headerMap, headerText, type HeadersInput } from "./headers.js";
import { ownRateHeaders } from "./ownRateHeaders.js";
import { familiesOfDialect, rateHeaderFamilies } from "./rateHeaderFamilies.js";
import { refusalAnswer } from "./refusalAnswer.js";
import { refusalCode } from "./refusalCode.js";
import { moment } from "./refusalMessage.js";
import { waitAdvice, type RetryAdvice } from "./retryAdvice.js";

/** A provider's own refusal of the shared account, and who is to be told. */
export interface UpstreamLimit {
  /** A 429, or a 402: the account has no money left. `body` is its parsed JSON, if it was any. */
  readonly upstream: {
    readonly status: number;
    readonly headers: HeadersInput;
    readonly body?: unknown;
  };
  /** What that answer says of the account: `readProviderSignals` of @quota/core. */
  readonly signals: Pick<ProviderSignals, "readings" | "retryAfterMs">;
  /** What was decided on the request before it was sent on; undefined where nobody decided. */
  readonly decision?: Decision | undefined;
  readonly dialect: Dialect;
  readonly requestId: string;
  /** From 0 to 1, drawn by the caller: spreads the clients that wait for one reset. Default 0. */
  readonly jitter?: number | undefined;
}

/**
 * What a client is told where the provider refuses the account that it shares: 429 with `upstream_rate_limited`, in its dialect, with the
 * wait that the provider asks for, else until the reset of the windows that it says are full. Nothing of the provider's own text is
 * in it: that names plans, organisations and balances.
 *
 * Where the provider says nothing of a wait there is no `retry-after`, and clients wait as they think best; where it says that no wait helps
 * (`x-should-retry: false`, `insufficient_quota`, a 402) they are told so.
 */
export function buildUpstreamLimit(limit: UpstreamLimit, now: EpochMs): BuiltAnswer {
  const { upstream, decision, dialect, requestId } = limit;
  const isFinal = saysNoWaitHelps(upstream);
  const opensAt = opening(limit, now);
  const advice = adviceOn({ opensAt, isFinal, jitter: limit.jitter ?? 0 }, now);
  const families = new Set([...rateHeaderFamilies(upstream.headers), ...familiesOfDialect(dialect)]);
  return refusalAnswer(
    {
      dialect,
      requestId,
      code: refusalCode("upstream-rate-limited"),
      message: messageOf({ opensAt, isFinal }, now),
      advice,
      headers: {
        ...advice.headers,
        ...(decision &&
          Object.fromEntries(ownRateHeaders({ decision: shut(decision, limit), families }, now))),
      },
      violated: [],
    },
    now,
  );
}

function opening({ signals: { readings, retryAfterMs } }: UpstreamLimit, now: EpochMs): EpochMs | undefined {
  if (retryAfterMs !== undefined) return now + retryAfterMs;
  const full = readings.filter(({ utilization }) => utilization >= 1);
  // An overage that is spent, or one model's window, decides only where the account's own windows do not.
  const ofAccount = full.filter(({ scope }) => scope === undefined);
  const resets = (ofAccount.length > 0 ? ofAccount : full).flatMap(({ resetsAt }) => resetsAt ?? []);
  return resets.length === 0 ? undefined : Math.max(...resets);
}

function adviceOn(
  {
    opensAt,
    isFinal,
    jitter,
  }: { readonly opensAt: EpochMs | undefined; readonly isFinal: boolean; readonly jitter: number },
  now: EpochMs,
): RetryAdvice {
  if (opensAt === undefined && !isFinal) return { opensAt, headers: {}, worthWaiting: true, capped: false };
  const advice = waitAdvice({ opensAt, jitter }, now);
  return isFinal
    ? { ...advice, headers: { ...advice.headers, "x-should-retry": "false" }, worthWaiting: false }
    : advice;
}

function saysNoWaitHelps({ status, headers, body }: UpstreamLimit["upstream"]): boolean {
  if (status === 402 || headerText(headerMap(headers), "x-should-retry") === "false") return true;
  const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
  return error["code"] === "insufficient_quota" || error["type"] === "insufficient_quota";
}

function messageOf(
  { opensAt, isFinal }: { readonly opensAt: EpochMs | undefined; readonly isFinal: boolean },
  now: EpochMs,
): string {
  if (opensAt !== undefined)
    return `the provider's own limit on this connection is reached; opens ${moment(opensAt, now)}`;
  return isFinal
    ? "the provider does not serve this connection, and waiting does not help; ask whoever runs it"
    : "the provider's own limit on this connection is reached; try again later";
}

/** The decision as the provider has overtaken it: in a window that it says is full nothing passes until its reset. */
function shut(decision: Decision, { signals }: UpstreamLimit): Decision {
  const dimensions = decision.dimensions.map((dimension) => {
    const full = signals.readings.find(
      ({ window, utilization, scope }) =>
        window === dimension.window && utilization >= 1 && scope === undefined,
    );
    return full === undefined
      ? dimension
      : { ...dimension, available: 0, resetsAt: full.resetsAt ?? dimension.resetsAt };
  });
  return { ...decision, dimensions } as Decision;
}
