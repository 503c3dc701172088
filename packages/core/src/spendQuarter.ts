import type { EpochMs } from "./units.js";

/** The finest sums that are kept are of quarters of an hour: every time zone's midnight lies on one. */
export const QUARTER_MS = 900_000;

/** The quarter of an hour that a moment lies in. */
export function quarterOf(at: EpochMs): EpochMs {
  return Math.floor(at / QUARTER_MS) * QUARTER_MS;
}

/** The first quarter of an hour that opens at this moment or later. */
export function quarterFrom(at: EpochMs): EpochMs {
  return Math.ceil(at / QUARTER_MS) * QUARTER_MS;
}
