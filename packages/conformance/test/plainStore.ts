import { StoreError, type Counter, type UsageStore } from "@quota/engine";

/** What a broken store does differently from {@link plainStore}, one part at a time. */
export interface Parts {
  /** Everything that was counted, by key. Two handles share one. */
  readonly data: Map<string, { amount: number; expiresAt: number }>;
  readonly keyOf: (ledger: string, counter: Counter) => string;
  /** What is kept of an amount. */
  readonly kept: (amount: number) => number;
  readonly isExpired: (counter: Counter, now: number) => boolean;
  readonly check: (additions: readonly number[], amounts: readonly number[]) => void;
  /** Awaited before each conversation with the backend. */
  readonly pause: () => Promise<void>;
  /** `one by one`: a step waits for the one before it. `none`: it does not. */
  readonly order: "one by one" | "none";
  readonly onDecided: (additions: readonly number[]) => readonly number[];
}

/** An honest store that talks to its backend (a Map) between two awaits, one step after the other. */
export function plainStore(parts: Partial<Parts> & { readonly queue?: Queue } = {}): UsageStore {
  const { data, keyOf, kept, isExpired, check, pause, order, onDecided, queue } = { ...honest(), ...parts };
  let closed = false;

  return {
    async transact({ ledger, counters, now, decide }) {
      return inOrder(async () => {
        refuseWhenClosed();
        const keys = counters.map((counter) => keyOf(ledger, counter));
        await pause();
        const amounts = keys.map((key, i) =>
          isExpired(counters[i]!, now) ? 0 : (data.get(key)?.amount ?? 0),
        );
        const verdict = decide(amounts);
        check(verdict.additions, amounts);
        const additions = onDecided(verdict.additions);
        await pause();
        keys.forEach((key, i) => {
          // With the steps one by one, the amount is still the one that was shown; without, it is not.
          if (additions[i] !== 0)
            data.set(key, { amount: kept(amounts[i]! + additions[i]!), expiresAt: counters[i]!.expiresAt });
        });
        return verdict.result;
      });
    },

    async read(ledger, counters) {
      refuseWhenClosed();
      return counters.map((counter) => data.get(keyOf(ledger, counter))?.amount ?? 0);
    },

    async forget(before) {
      refuseWhenClosed();
      const expired = [...data].filter(([, { expiresAt }]) => expiresAt < before);
      for (const [key] of expired) data.delete(key);
      return expired.length;
    },

    async close() {
      closed = true;
    },
  };

  async function inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    if (order === "none") return work();
    const mine = queue.last.then(work);
    queue.last = mine.catch(() => "the next step does not care how this one ended");
    return mine;
  }

  function refuseWhenClosed(): void {
    if (closed) throw new StoreError("The plain store is closed.", { applied: "no" });
  }
}

function honest(): Parts & { readonly queue: Queue } {
  return {
    data: new Map(),
    keyOf: (ledger, { id, bucket }) => JSON.stringify([ledger, id, bucket]),
    kept: (amount) => amount,
    isExpired: (counter, now) => counter.expiresAt <= now,
    check: checkAdditions,
    pause: () => Promise.resolve(),
    order: "one by one",
    onDecided: (additions) => additions,
    queue: { last: Promise.resolve() },
  };
}

/** The steps that wait for each other; handles on the same data share one. */
export interface Queue {
  last: Promise<unknown>;
}

/** Rejects additions that do not fit the amounts. */
export function checkAdditions(additions: unknown, amounts: readonly number[]): void {
  if (!Array.isArray(additions) || additions.length !== amounts.length)
    throw new TypeError("additions do not fit");
  amounts.forEach((amount, i) => {
    const addition: unknown = additions[i];
    if (!Number.isSafeInteger(addition) || !Number.isSafeInteger(amount + (addition as number)))
      throw new TypeError("an addition is no whole number, or leads past 2^53");
  });
}
