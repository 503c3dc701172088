import { decimalIn } from "./decimalIn.js";

/** What one of each is, in milliseconds. */
const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
  ["us", 1e-3],
  ["µs", 1e-3],
  ["μs", 1e-3],
  ["ns", 1e-6],
]);

/** A duration in milliseconds, as Go writes it (`6m0s`, `1.5s`, `12ms`, `2m30.5s`; days too); undefined for anything else. */
export function durationIn(text: string): number | undefined {
  if (text.length > 40) return undefined;
  let ms = 0;
  let at = 0;
  while (at < text.length) {
    const unitAt = skip(text, at, isDecimal);
    const nextAt = skip(text, unitAt, isLetter);
    const amount = decimalIn(text.slice(at, unitAt));
    const unitMs = UNITS_MS.get(text.slice(unitAt, nextAt));
    if (unitMs === undefined || !(amount >= 0)) return undefined;
    ms += amount * unitMs;
    at = nextAt;
  }
  return at === 0 ? undefined : ms;
}

/** The first index from `from` on whose character is not of that kind. */
function skip(text: string, from: number, isKind: (code: number) => boolean): number {
  let at = from;
  while (at < text.length && isKind(text.charCodeAt(at))) at += 1;
  return at;
}

function isDecimal(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46;
}

function isLetter(code: number): boolean {
  // a to z, and both spellings of the micro sign
  return (code >= 97 && code <= 122) || code === 0xb5 || code === 0x3bc;
}
