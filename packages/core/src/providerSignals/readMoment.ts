import type { EpochMs } from "../units.js";
import type { Findings } from "./findings.js";
import { decimalIn } from "./decimalIn.js";
import { rfc3339In } from "./rfc3339In.js";
import { shownValue } from "./shownValue.js";

/** Local times of the providers at home in China: UTC+8, without daylight saving. */
export const CHINA_MINUTES = 480;

/** In seconds the year 5138, in milliseconds 1973: no reset is ever meant by both. */
const SECONDS_BELOW = 1e11;

/**
 * The moment that a field names: an epoch in seconds or milliseconds (the same field has been seen with both, and no date of our
 * time can be mistaken for the other), or RFC 3339, converted from its offset. A time without a zone is read as `localMinutes` east
 * of UTC, which each source says of itself; UTC where it does not. Undefined where there is none: silently if the field is absent,
 * null, empty or 0, with a note if it holds something else.
 */
export function readMoment(
  value: unknown,
  field: string,
  { findings, localMinutes = 0 }: { readonly findings: Findings; readonly localMinutes?: number },
): EpochMs | undefined {
  if (value === undefined || value === null || value === "" || value === 0 || value === "0") return undefined;
  const moment = momentIn(value, localMinutes);
  if (moment !== undefined) return moment;
  findings.note(`${field} is ${shownValue(value)}, not a date: ignored.`);
  return undefined;
}

function momentIn(value: unknown, localMinutes: number): EpochMs | undefined {
  let epoch = NaN;
  if (typeof value === "number") epoch = value;
  else if (typeof value === "string") {
    const date = rfc3339In(value, localMinutes);
    if (date !== undefined) return date;
    epoch = decimalIn(value);
  }
  if (!(epoch > 0 && epoch < 1e15)) return undefined;
  return Math.floor(epoch < SECONDS_BELOW ? epoch * 1000 : epoch);
}
