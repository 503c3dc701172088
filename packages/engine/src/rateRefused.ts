import { decideRates, type EpochMs, type RateRefusal, type RateRefused, type RateSheet } from "@quota/core";

/** When many that changed the same numbers are worth another try. */
const SOON_RETRY_MS = 1000;

/** A refusal with its reason, and with a moment to come back at if an unused minute would let the request pass. */
export function rateRefused(found: {
  readonly refusal: RateRefusal;
  readonly sheet: RateSheet;
  readonly estimate: number;
  /** When the minute is unused again. */
  readonly retryAt: EpochMs | undefined;
}): RateRefused {
  const { refusal, sheet, estimate, retryAt } = found;
  const unused = new Array<number>(sheet.cells.length).fill(0);
  const reason = refusal.dimension === "rpm" ? "rate-limit-rpm" : "rate-limit-tpm";
  const refused = { status: "refused", allowed: false, reason, refusal } as const;
  if (decideRates({ sheet, amounts: unused, estimate }).allowed) return { ...refused, retryAt };
  const isTooLarge =
    refusal.dimension === "tpm" && decideRates({ sheet, amounts: unused, estimate: 0 }).allowed;
  return isTooLarge ? { ...refused, reason: "too-large" } : refused;
}

/** Too many changed the same numbers at once. */
export function contendedRate(now: EpochMs): RateRefused {
  return { status: "refused", allowed: false, reason: "contended", retryAt: now + SOON_RETRY_MS };
}
