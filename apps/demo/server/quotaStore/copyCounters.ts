import { randomUUID } from "node:crypto";
import { joinedPart, StoreError, type LedgerPart, type UsageStore } from "@quota/engine";

/** A store that can say what it holds. Nobody may write to it meanwhile. */
export interface CountedStore {
  readonly store: UsageStore;
  /** Every counter that has an amount and has not expired. */
  live(now: number): AsyncIterable<LedgerPart>;
}

/** What was copied, and how it ends: one of the two, once. */
export interface CountersCopy {
  /** How many counters. */
  readonly counters: number;
  /** Takes from the source what was copied, so that it is counted in one place. */
  finish(): Promise<void>;
  /** Takes it from the target again. */
  undo(): Promise<void>;
}

/** How long a copy may take: requests wait for it. */
const LIMIT_MS = 5_000;
/** How often a reply that was lost is asked for again: a step here sets, so it may be sent twice. */
const TRIES = 3;
const MARK_MS = 60_000;

/**
 * Adds everything that one store holds to another, which nobody else may write to meanwhile. What the target had stays: an amount is
 * counted in one place at a time, so the two belong together; what is agreed on in both is the target's (see `joinedPart`). Two names of one place, such as two addresses of one Redis, have nothing to
 * copy.
 *
 * @throws {Error} when either store fails or it takes too long; what was copied has been taken back, unless the message says otherwise.
 */
export async function copyCounters(
  {
    from,
    to,
    limitMs = LIMIT_MS,
  }: {
    readonly from: CountedStore;
    readonly to: UsageStore;
    readonly limitMs?: number;
  },
  now: number,
): Promise<CountersCopy> {
  /** What was there, and what the target held where it went. */
  const copied: { readonly part: LedgerPart; readonly before: LedgerPart }[] = [];
  const giveUpAt = performance.now() + limitMs;
  const undo = async (): Promise<void> => {
    for (const { before } of copied.splice(0)) await set(to, before, now);
  };

  try {
    const source = (await isOnePlace(from.store, to, now)) ? [] : from.live(now);
    for await (const part of source) {
      if (performance.now() > giveUpAt) throw new Error(`it took longer than ${limitMs} ms`);
      const { ledger } = part;
      const lookIn =
        (store: UsageStore) =>
        (counters: LedgerPart["counters"]): Promise<readonly number[]> =>
          shown(store, { ledger, counters }, now);
      const { counters, amountsOver } = await joinedPart(
        part,
        { from: lookIn(from.store), to: lookIn(to) },
        now,
      );
      const before = { ledger, counters, amounts: await shown(to, { ledger, counters }, now) };
      copied.push({ part, before });
      await set(to, { ledger, counters, amounts: amountsOver(before.amounts) }, now);
    }
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    try {
      await undo();
    } catch {
      throw new Error(`${said}; what was copied before that could not be taken back and is counted twice`, {
        cause,
      });
    }
    throw cause;
  }

  return {
    counters: copied.reduce((sum, { part }) => sum + part.counters.length, 0),
    async finish() {
      for (const { part } of copied)
        await set(from.store, { ...part, amounts: part.amounts.map(() => 0) }, now);
    },
    undo,
  };
}

/** Whether what is counted in one of them is seen in the other. A mark that could not be taken away ends by itself. */
async function isOnePlace(from: UsageStore, to: UsageStore, now: number): Promise<boolean> {
  const bucket = Math.floor(now / MARK_MS);
  const counters = [{ id: "mark", bucket, expiresAt: (bucket + 2) * MARK_MS }];
  const mark = { ledger: `move:${randomUUID()}`, counters, amounts: [1] };
  await set(from, mark, now);
  try {
    const [seen] = await shown(to, mark, now);
    return seen === 1;
  } finally {
    await set(from, { ...mark, amounts: [0] }, now);
  }
}

/** What the counters hold, by a step: a mere reading may lag behind. */
function shown(
  store: UsageStore,
  { ledger, counters }: Omit<LedgerPart, "amounts">,
  now: number,
): Promise<readonly number[]> {
  return store.transact({
    ledger,
    counters,
    now,
    decide: (amounts) => ({ result: amounts.slice(), additions: amounts.map(() => 0) }),
  });
}

/** Makes the counters hold these amounts. Whether a lost reply was one of success does not matter: the same once more is the same. */
async function set(store: UsageStore, { ledger, counters, amounts }: LedgerPart, now: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await store.transact({
        ledger,
        counters,
        now,
        decide: (before) => ({
          result: undefined,
          additions: amounts.map((amount, i) => amount - before[i]!),
        }),
      });
    } catch (error) {
      if (!(error instanceof StoreError) || error.applied === "no" || tries === TRIES) throw error;
    }
  }
}
