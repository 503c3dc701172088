import type { EpochMs } from "../units.js";

const ZERO = 48;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * The moment of an RFC 3339 date and time, to the millisecond below; undefined for anything else. A blank may stand for the T,
 * and the offset may lack its colon. Without an offset the time is `localMinutes` east of UTC.
 *
 * Read by hand: `Date.parse` takes times without an offset for those of this machine, and much that is no date at all.
 */
export function rfc3339In(text: string, localMinutes: number): EpochMs | undefined {
  // 2026-01-02T03:04:05
  if (text.length < 19 || text.length > 40) return undefined;
  const between = text.charCodeAt(10);
  if (text[4] !== "-" || text[7] !== "-" || text[13] !== ":" || text[16] !== ":") return undefined;
  if (between !== 84 && between !== 116 && between !== 32) return undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const hour = digits(text, 11, 13);
  const minute = digits(text, 14, 16);
  const second = digits(text, 17, 19);
  if (!(year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= DAYS[month - 1]!)) return undefined;
  if (!(hour <= 23 && minute <= 59 && second <= 60)) return undefined;
  let at = 19;
  let ms = 0;
  if (text[at] === ".") {
    let scale = 100;
    at += 1;
    const first = at;
    for (; at < text.length; at += 1) {
      const digit = text.charCodeAt(at) - ZERO;
      if (!(digit >= 0 && digit <= 9)) break;
      ms += digit * scale;
      scale /= 10;
    }
    if (at === first) return undefined;
  }
  const east = offsetMinutes(text, at, localMinutes);
  if (east === undefined) return undefined;
  const moment = Date.UTC(year, month - 1, day, hour, minute, second) + Math.floor(ms + 1e-6);
  // The 29th of a February that has none would be the first of March.
  if (month === 2 && day === 29 && new Date(Date.UTC(year, 1, 29)).getUTCMonth() !== 1) return undefined;
  return moment - east * 60_000;
}

/** Minutes east of UTC at the end of the text; undefined if it ends with anything else. */
function offsetMinutes(text: string, at: number, localMinutes: number): number | undefined {
  if (at === text.length) return localMinutes;
  const sign = text[at];
  if (sign === "Z" || sign === "z") return at + 1 === text.length ? 0 : undefined;
  if (sign !== "+" && sign !== "-") return undefined;
  const minutesAt = text[at + 3] === ":" ? at + 4 : at + 3;
  if (text.length !== minutesAt + 2) return undefined;
  const hours = digits(text, at + 1, at + 3);
  const minutes = digits(text, minutesAt, minutesAt + 2);
  if (!(hours <= 23 && minutes <= 59)) return undefined;
  return (sign === "-" ? -1 : 1) * (hours * 60 + minutes);
}

/** The number that these digits make; NaN if they are not all digits. */
function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let i = from; i < to; i += 1) {
    const digit = text.charCodeAt(i) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return NaN;
    number = number * 10 + digit;
  }
  return number;
}
