import type { Counter, UsageStore } from "@quota/engine";

export const NOW = Date.UTC(2026, 0, 15, 12, 5);

/** A counter of the hour that NOW is in. */
function hourly(id: string): Counter {
  const bucket = Math.floor(NOW / 3_600_000);
  return { id, bucket, expiresAt: (bucket + 2) * 3_600_000 };
}

/** Adds to counters, by id; what they held. */
export function add(
  store: UsageStore,
  amounts: Readonly<Record<string, number>>,
  ledger = "pool:1",
): Promise<readonly number[]> {
  return store.transact({
    ledger,
    counters: Object.keys(amounts).map(hourly),
    now: NOW,
    decide: (before) => ({ result: before.slice(), additions: Object.values(amounts) }),
  });
}

/** What counters hold, by id. */
export async function held(
  store: UsageStore,
  ids: readonly string[],
  ledger = "pool:1",
): Promise<readonly number[]> {
  return store.read(ledger, ids.map(hourly));
}
