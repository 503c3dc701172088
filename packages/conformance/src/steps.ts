import {
  ContendedError,
  type Counter,
  type LedgerId,
  type Step,
  type UsageStore,
  type Verdict,
} from "@quota/engine";

/** When the checks take place. Lifetimes are hours, so that no backend with a clock of its own drops a counter meanwhile. */
export const NOW = 1_700_000_000_000;
export const HOUR = 3_600_000;

/** A counter that outlives the check. */
export function counter(id: string, bucket = 1): Counter {
  return { id, bucket, expiresAt: NOW + 24 * HOUR };
}

/** Adds, whatever the counters hold; answers with what it was shown. */
export async function add(
  store: UsageStore,
  step: {
    readonly ledger?: LedgerId;
    readonly counters: readonly Counter[];
    readonly additions: readonly number[];
  },
): Promise<readonly number[]> {
  const { ledger = "ledger", counters, additions } = step;
  return transact(store, {
    ledger,
    counters,
    now: NOW,
    decide: (amounts) => ({ result: [...amounts], additions }),
  });
}

/** A step on the counters, here and now. */
export function deciding<Result>(
  counters: readonly Counter[],
  decide: (amounts: readonly number[]) => Verdict<Result>,
): Step<Result> {
  return { ledger: "ledger", counters, now: NOW, decide };
}

/** What a step that adds nothing is shown. */
export async function look(
  store: UsageStore,
  counters: readonly Counter[],
  ledger: LedgerId = "ledger",
): Promise<readonly number[]> {
  return add(store, { ledger, counters, additions: counters.map(() => 0) });
}

/** `transact`, asked again while neighbours are in the way: a store may refuse a step as contended, but not for ever. */
export async function transact<Result>(store: UsageStore, step: Step<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await store.transact(step);
    } catch (error) {
      if (!(error instanceof ContendedError) || attempt === 200) throw error;
    }
  }
}

/** Runs with a second handle on the same data, or with the first one again where there is no other; closes the second. */
export async function withNeighbour(
  subject: { readonly store: UsageStore; readonly another?: () => Promise<UsageStore> },
  work: (neighbour: UsageStore) => Promise<void>,
): Promise<void> {
  if (subject.another === undefined) return work(subject.store);
  const neighbour = await subject.another();
  try {
    await work(neighbour);
  } finally {
    await neighbour.close();
  }
}
