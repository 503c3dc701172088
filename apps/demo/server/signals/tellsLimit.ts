import type { ProviderSignals } from "@quota/core";

/**
 * Whether an upstream's refusal is of a limit: a 429, a 402 (what was paid for is spent), or a 403 that names a window that is full, as
 * Kimi's is when a plan is spent. The last is no trouble with the login.
 */
export function tellsLimit(status: number, { readings }: Pick<ProviderSignals, "readings">): boolean {
  if (status === 429 || status === 402) return true;
  return status === 403 && readings.some(({ utilization }) => utilization >= 1);
}
