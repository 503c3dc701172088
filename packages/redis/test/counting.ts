import { StoreError, type Counter, type Step, type UsageStore } from "@quota/engine";

/** A counter that outlives the test, by the server's clock as well as by ours. */
export function counterOf(id: string, bucket = 1): Counter {
  return { id, bucket, expiresAt: Date.now() + 3_600_000 };
}

export const everyone = counterOf("everyone");

/** Counts one, whatever was counted before: what a settlement does. */
export function one(counters: readonly Counter[] = [everyone], ledger = "ledger"): Step<undefined> {
  return {
    ledger,
    counters,
    now: Date.now(),
    decide: () => ({
      result: undefined,
      additions: counters.map(() => 1),
      holdsUpTo: counters.map(() => Infinity),
    }),
  };
}

/** Asks for one of what a ceiling leaves: what an admission does. */
export function oneOf(ceiling: number): Step<boolean> {
  return {
    ledger: "ledger",
    counters: [everyone],
    now: Date.now(),
    decide: ([used = 0]) =>
      used < ceiling
        ? { result: true, additions: [1], holdsUpTo: [ceiling - 1] }
        : { result: false, additions: [0] },
  };
}

/** How many steps ended how. */
export interface Tally {
  /** The caller was told that it was counted. */
  counted: number;
  /** … that it was not. */
  failed: number;
  /** … that it may have been. */
  unknown: number;
}

export function newTally(): Tally {
  return { counted: 0, failed: 0, unknown: 0 };
}

/** Takes a step and notes how it ended; any other end than these is thrown. */
export async function tallied(tally: Tally, step: Promise<unknown>): Promise<void> {
  try {
    await step;
    tally.counted += 1;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.applied === "no") tally.failed += 1;
    else tally.unknown += 1;
  }
}

/** What the store has counted for everyone. */
export async function counted(store: UsageStore): Promise<number> {
  const [amount = NaN] = await store.read("ledger", [everyone]);
  return amount;
}
