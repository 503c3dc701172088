import { ContendedError, type UsageStore } from "@quota/engine";
import { checkAdditions, plainStore, type Parts } from "./plainStore.js";

/**
 * A store that holds nobody off, like one over Redis: it reads, decides, then writes if the verdict still stands. After some
 * conflicts it says that it is contended.
 */
export function optimisticStore(
  parts: Partial<Pick<Parts, "data" | "pause">> & {
    /** When a verdict with these bounds, decided on `shown`, may be written over what is there now. */
    readonly stands?: (
      now: readonly number[],
      shown: readonly number[],
      bounds: readonly (number | undefined)[] | undefined,
    ) => boolean;
  } = {},
): UsageStore {
  const {
    data = new Map<string, { amount: number; expiresAt: number }>(),
    pause = () => Promise.resolve(),
    stands = stillStands,
  } = parts;
  const plain = plainStore({ data });

  return {
    ...plain,
    async transact({ ledger, counters, now, decide }) {
      await plain.read(ledger, []);
      const current = (): readonly number[] =>
        counters.map((counter) => {
          const kept = data.get(JSON.stringify([ledger, counter.id, counter.bucket]));
          return counter.expiresAt <= now ? 0 : (kept?.amount ?? 0);
        });
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        await pause();
        const shown = current();
        const { result, additions, holdsUpTo } = decide(shown);
        checkAdditions(additions, shown);
        await pause();
        const there = current();
        if (!stands(there, shown, holdsUpTo)) continue;
        counters.forEach(({ id, bucket, expiresAt }, i) => {
          const key = JSON.stringify([ledger, id, bucket]);
          if (additions[i] !== 0) data.set(key, { amount: there[i]! + additions[i]!, expiresAt });
        });
        return result;
      }
      throw new ContendedError();
    },
  };
}

function stillStands(
  now: readonly number[],
  shown: readonly number[],
  bounds: readonly (number | undefined)[] | undefined,
): boolean {
  return now.every((amount, i) => {
    const bound = bounds?.[i];
    return bound === undefined ? amount === shown[i] : amount <= bound;
  });
}
