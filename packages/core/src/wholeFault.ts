import type { Fault } from "./fault.js";

/**
 * A fault where a value is no whole number from 0 to 2^53 − 1: what money, tokens and moments are counted in.
 *
 * @param what says what it must be: "milliseconds since 1970".
 */
export function wholeFault(value: unknown, path: string, what: string): Fault | undefined {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return undefined;
  return { path, code: "not-a-whole-number", message: `${path} must be ${what}; correct it.` };
}
