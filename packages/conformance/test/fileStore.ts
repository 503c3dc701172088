import { StoreError, type Counter, type LedgerId, type UsageStore } from "@quota/engine";
import { readFile, rename, writeFile } from "node:fs/promises";

/**
 * Keeps usage in a JSON file: a store as small as one can be, to be read before writing one. It holds for one process; the file
 * is read and written whole at every step.
 */
export function createFileUsageStore(path: string): UsageStore {
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;

  return {
    // One step after the other: what the decision is shown is still true when its additions are written.
    transact: async ({ ledger, counters, now, decide }) =>
      inTurn(async () => {
        const kept = await load();
        const keys = counters.map((counter) => keyOf(ledger, counter));
        // A counter that has expired is shown as 0.
        const amounts = keys.map((key, i) => (isLive(counters[i], now) ? (kept.get(key)?.[0] ?? 0) : 0));
        const { result, additions } = decide(amounts); // What it throws is the caller's to see: let it pass.
        checkAdditions(additions, amounts);
        counters.forEach((counter, i) => {
          const addition = additions[i] ?? 0;
          if (addition !== 0)
            kept.set(keyOf(ledger, counter), [(amounts[i] ?? 0) + addition, counter.expiresAt]);
        });
        // All of it, or none: the new file takes the place of the old one in one go.
        if (additions.some((addition) => addition !== 0)) await save(kept);
        return result;
      }),

    read: async (ledger, counters) =>
      inTurn(async () => {
        const kept = await load();
        return counters.map((counter) => kept.get(keyOf(ledger, counter))?.[0] ?? 0);
      }),

    forget: async (before) =>
      inTurn(async () => {
        const kept = await load();
        const left = new Map([...kept].filter(([, [, expiresAt]]) => expiresAt >= before));
        await save(left);
        return kept.size - left.size;
      }),

    close: async () => {
      closed = true;
      await last;
    },
  };

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (closed) throw new StoreError("The file store is closed.", { applied: "no" });
    const mine = last.then(work);
    last = mine.then(nothing, nothing);
    return mine;
  }

  async function load(): Promise<Kept> {
    try {
      return new Map(JSON.parse(await readFile(path, "utf8")) as [string, [number, number]][]);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return new Map();
      throw new StoreError(`${path} cannot be read.`, { applied: "no", cause });
    }
  }

  async function save(kept: Kept): Promise<void> {
    try {
      await writeFile(`${path}.new`, JSON.stringify([...kept]));
      await rename(`${path}.new`, path);
    } catch (cause) {
      throw new StoreError(`${path} cannot be written.`, { applied: "no", cause });
    }
  }
}

/** Amount and end of every counter, by key. */
type Kept = Map<string, readonly [amount: number, expiresAt: number]>;

/** Ids are any text: join them with a separator, and two of them are one. */
function keyOf(ledger: LedgerId, { id, bucket }: Counter): string {
  return JSON.stringify([ledger, id, bucket]);
}

function isLive(counter: Counter | undefined, now: number): boolean {
  return counter !== undefined && counter.expiresAt > now;
}

function checkAdditions(additions: unknown, amounts: readonly number[]): void {
  const fits =
    Array.isArray(additions) &&
    additions.length === amounts.length &&
    amounts.every((amount, i) => {
      const addition: unknown = additions[i];
      return Number.isSafeInteger(addition) && Number.isSafeInteger(amount + (addition as number));
    });
  if (!fits)
    throw new TypeError("decide must return one whole number for each counter, and no sum past 2^53.");
}

function nothing(): void {
  // The next step does not care how this one ended.
}
