import type { Parsed } from "./fault.js";
import type { NanoUsd } from "./nanoUsd.js";

/**
 * Reads an amount of dollars as people write it: a number from 0 to some nine million with at most 9 decimals, taken as it is written and never rounded.
 * The fault names the `path` it is at.
 */
export function parseUsd(input: unknown, path: string): Parsed<NanoUsd> {
  const nanos = typeof input === "number" ? nanosOf(input) : undefined;
  if (nanos !== undefined) return { ok: true, value: nanos };
  const message = `${path} must be a number of US dollars from 0 to ${String(MOST_USD)}, with at most 9 decimals.`;
  return { ok: false, faults: [{ path, code: "not-usd", message }] };
}

/** 2^53 − 1 nano-dollars, without the cents. */
const MOST_USD = Math.floor(Number.MAX_SAFE_INTEGER / 1e9);

/** The shortest decimals that name this double are the ones that were written, as long as they are no more than 15 or 16. */
function nanosOf(usd: number): NanoUsd | undefined {
  if (!(usd >= 0 && usd <= MOST_USD)) return undefined;
  const [, whole = "", decimals = "", exponent = "0"] =
    /^(\d+)(?:\.(\d+))?(?:e-(\d+))?$/.exec(String(usd)) ?? [];
  const missing = 9 - decimals.length - Number(exponent);
  return missing < 0 ? undefined : Number(BigInt(whole + decimals) * 10n ** BigInt(missing));
}
