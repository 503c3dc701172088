import { decimalIn } from "./decimalIn.js";
import type { Findings } from "./findings.js";
import { shownValue } from "./shownValue.js";

/**
 * The number from 0 up that a field holds, also as a numeric string. Undefined where there is none: silently if the field is absent,
 * null or empty, with a note if it holds something else.
 */
export function readNumber(value: unknown, field: string, findings: Findings): number | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const number = typeof value === "number" ? value : typeof value === "string" ? decimalIn(value) : NaN;
  // Minus zero is zero.
  if (number >= 0 && number < Infinity) return number + 0;
  findings.note(`${field} is ${shownValue(value)}, not a number from 0 up: ignored.`);
  return undefined;
}
