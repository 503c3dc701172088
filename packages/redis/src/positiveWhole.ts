import { QuotaConfigError } from "@quota/core";

/** A timer that is longer fires at once. */
const MOST = 2_147_483_647;

/**
 * The option's value, if it is a number of milliseconds, or of things to keep.
 *
 * @throws {QuotaConfigError} `out-of-range`, naming the option.
 */
export function positiveWhole(field: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= MOST) return value;
  throw new QuotaConfigError({
    code: "out-of-range",
    field,
    problem: `${String(value)} is no whole number from 1 to ${String(MOST)}.`,
    remedy: "Leave it out for the default.",
  });
}
