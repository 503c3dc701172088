import type { EpochMs } from "../units.js";
import { rfc3339In } from "./rfc3339In.js";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * The moment of an HTTP date (RFC 9110: `Wed, 21 Oct 2015 07:28:00 GMT`, and the two obsolete forms that must be understood:
 * `Wednesday, 21-Oct-15 07:28:00 GMT`, `Wed Oct 21 07:28:00 2015`); undefined for anything else.
 */
export function httpDateIn(text: string): EpochMs | undefined {
  if (text.length > 40) return undefined;
  const words = text.split(/[ ,-]+/);
  if (words.length === 6 && words[5] === "GMT") {
    const [, day = "", month = "", year = "", time = ""] = words;
    return momentOf({ day, month, time, year: year.length === 2 ? centuryOf(year) : year });
  }
  if (words.length === 5) {
    const [, month = "", day = "", time = "", year = ""] = words;
    return momentOf({ day, month, time, year });
  }
  return undefined;
}

function momentOf(said: Readonly<Record<"day" | "month" | "time" | "year", string>>): EpochMs | undefined {
  const month = String(MONTHS.indexOf(said.month) + 1).padStart(2, "0");
  return rfc3339In(`${said.year}-${month}-${said.day.padStart(2, "0")}T${said.time}Z`, 0);
}

/** Two digits are of this century until there are machines that remember the last: nobody asks to wait until 1994. */
function centuryOf(year: string): string {
  return `20${year}`;
}
