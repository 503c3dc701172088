import type { Counter, UsageStore } from "@quota/engine";

export const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;

/** A counter of the hour that NOW is in. */
export function counterOf(id: string, bucket = Math.floor(NOW / HOUR)): Counter {
  return { id, bucket, expiresAt: (bucket + 2) * HOUR };
}

/** Asks for one of what a ceiling leaves: granted while it fits. */
export async function take(
  store: UsageStore,
  { ceiling, ledger = "ledger", id = "everyone" }: { ceiling: number; ledger?: string; id?: string },
): Promise<boolean> {
  return store.transact({
    ledger,
    counters: [counterOf(id)],
    now: NOW,
    decide: ([used = 0]) =>
      used < ceiling ? { result: true, additions: [1] } : { result: false, additions: [0] },
  });
}

/** Adds to one counter, whatever it holds; what it held. */
export async function add(
  store: UsageStore,
  {
    id = "everyone",
    ledger = "ledger",
    amount = 1,
    ...counter
  }: Partial<Counter> & { ledger?: string; amount?: number },
): Promise<number | undefined> {
  return store.transact({
    ledger,
    counters: [{ ...counterOf(id), ...counter }],
    now: NOW,
    decide: ([used]) => ({ result: used, additions: [amount] }),
  });
}
