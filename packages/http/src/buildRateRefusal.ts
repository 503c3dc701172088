import {
  rateRefusalText,
  type EpochMs,
  type RateRefusal,
  type RateRefused,
  type Unavailable,
} from "@quota/core";
import type { BuiltAnswer } from "./buildProblem.js";
import { buildRefusal, type Refusal } from "./buildRefusal.js";
import { quantity } from "./quantity.js";
import { refusalAnswer } from "./refusalAnswer.js";
import { refusalCode } from "./refusalCode.js";
import { moment } from "./refusalMessage.js";
import { waitAdvice } from "./retryAdvice.js";

/**
 * {@link buildRefusal} for rate admission: 429 with `rate_limit_rpm` or `rate_limit_tpm` until the minute turns, 503 where the store
 * failed (rate admission fails closed). What no minute has room for gets no `retry-after`, and `x-should-retry: false`.
 *
 * The message begins with whose limit it is (`organisation rpm_limit`). It names no id and nobody's use.
 */
export function buildRateRefusal(
  {
    decision,
    dialect,
    requestId,
    jitter = 0,
  }: Omit<Refusal, "decision"> & { readonly decision: RateRefused | Unavailable },
  now: EpochMs,
): BuiltAnswer {
  if (decision.status === "unavailable") return buildRefusal({ decision, dialect, requestId }, now);
  const { reason, refusal, retryAt } = decision;
  const advice = waitAdvice({ opensAt: retryAt, jitter: reason === "contended" ? 0 : jitter }, now);
  return refusalAnswer(
    {
      dialect,
      requestId,
      code: refusalCode(reason),
      message: messageOf(decision, now),
      advice,
      headers: advice.headers,
      violated:
        refusal === undefined ? [] : [refusal.dimension === "rpm" ? "minute-requests" : "minute-tokens"],
    },
    now,
  );
}

function messageOf({ reason, refusal, retryAt }: RateRefused, now: EpochMs): string {
  if (refusal === undefined) return "too many requests at once for a verdict; try again in a second";
  const whose = rateRefusalText(refusal);
  const limit = limitOf(refusal);
  const { requested } = refusal;
  if (reason === "too-large")
    return `${whose}: this request needs ${quantity("tokens", requested)} tokens, more than any minute has for it (${limit}); make it smaller`;
  if (retryAt === undefined) return `${whose}: ${limit}, which leave none to this request in any minute`;
  const need = refusal.dimension === "tpm" ? `, and this request needs ${quantity("tokens", requested)}` : "";
  return `${whose}: ${limit}, used or kept for others${need}; opens ${moment(retryAt, now)}`;
}

function limitOf({ dimension, limit }: RateRefusal): string {
  const unit = dimension === "rpm" ? "requests" : "tokens";
  return `${quantity(unit, limit)} ${unit} a minute`;
}
