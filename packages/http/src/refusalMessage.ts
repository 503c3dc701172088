import {
  decidingDimension,
  type DimensionDecision,
  type EpochMs,
  type Refused,
  type Unavailable,
} from "@quota/core";
import { isBorrowingLimit } from "./isBorrowingLimit.js";
import { quantity } from "./quantity.js";

/**
 * What a refused person reads: the dimension, what was used, the share, and when it opens, such as `tokens/5h: 412 000 of
 * your 400 000 share used; opens 14:05 UTC`. It says nothing of other keys' use and nothing of the owner's account; where what is left is held for
 * others, it says how much that is, and not for how many.
 */
export function refusalMessage(
  { decision, opensAt }: { readonly decision: Refused | Unavailable; readonly opensAt: EpochMs | undefined },
  now: EpochMs,
): string {
  if (decision.status === "unavailable")
    return "quota cannot be checked at the moment; try again in a second";
  if (decision.reason === "not-allocated")
    return "this key has no share of this connection; ask for an allocation in its pool";
  if (decision.reason === "contended")
    return "too many requests at once for a verdict; try again in a second";
  const dimension = decidingDimension(decision);
  const where = dimension === undefined ? "quota" : dimension.name;
  if (decision.reason === "too-large") return `${where}: ${tooLarge(dimension)}`;
  const use = dimension === undefined ? "used up" : useText(dimension, decision);
  if (decision.reason === "in-flight") return `${where}: ${use}; opens when requests in flight end`;
  return `${where}: ${use}${opensAt === undefined ? "" : `; opens ${moment(opensAt, now)}`}`;
}

function useText(dimension: DimensionDecision, { reason, cause }: Refused): string {
  const { unit, used, held, share, cap, cost } = dimension;
  const what = reason === "in-flight" ? cause : reason;
  const inFlight = reason === "in-flight" && held > 0 ? ` (${quantity(unit, held)} of it in flight)` : "";
  if (what === "cap-absolute" && cap !== undefined) {
    const need = used < cap ? `, and this request needs ${quantity(unit, cost)}` : "";
    return `${quantity(unit, used)} of your ${quantity(unit, cap)} cap used${inFlight}${need}`;
  }
  const own =
    share === undefined
      ? `${quantity(unit, used)} used`
      : `${quantity(unit, used)} of your ${quantity(unit, share)} share used`;
  if (isBorrowingLimit(dimension)) return `${own}${inFlight}, and you may borrow no more`;
  switch (what) {
    case "global-saturated":
      return `${own}${inFlight}, and the pool has no room for this request`;
    case "reserved":
      return own + inFlight + reservedText(dimension);
    default:
      return own + inFlight;
  }
}

/** Where not every key was looked at, it is no more than what is said. */
function reservedText({ unit, limit, total, outside, reserve }: DimensionDecision): string {
  if (limit === "unknown" || reserve === undefined) return "";
  const { forOthers, isExact } = reserve;
  const amount = Math.min(forOthers, limit - total - outside);
  if (amount <= 0) return "";
  const most = isExact ? "" : "up to ";
  return `; ${most}${quantity(unit, amount)} of the pool are unused but reserved for others`;
}

function tooLarge(dimension: DimensionDecision | undefined): string {
  if (dimension === undefined) return "this request is too large to ever pass; make it smaller";
  const { unit, cost, cap } = dimension;
  const bound =
    cap !== undefined && cost > cap
      ? `more than your ${quantity(unit, cap)} cap`
      : "more than the whole pool";
  return `this request needs ${quantity(unit, cost)}, ${bound}, and can never pass; make it smaller`;
}

/** `14:05 UTC`; with the date where that is not today's; with seconds where it is less than a minute away. Rounded up. */
export function moment(at: EpochMs, now: EpochMs): string {
  const step = at - now < 60_000 ? 1_000 : 60_000;
  const text = new Date(Math.ceil(at / step) * step).toISOString();
  const date = text.slice(0, text.indexOf("T"));
  const time = text.slice(text.indexOf("T") + 1, text.indexOf("T") + (step === 1_000 ? 9 : 6));
  return `${new Date(now).toISOString().startsWith(`${date}T`) ? "" : `${date} `}${time} UTC`;
}
