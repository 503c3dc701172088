import { useAt, type EpochMs, type Reading } from "@quota/core";
import {
  everyonesAmounts,
  keyCounters,
  keysAmounts,
  spentCounters,
  type DimensionMoment,
} from "./dimensionMoment.js";
import type { LivePool } from "./governedPools.js";
import { nextTurn } from "./nextTurn.js";
import type { Counter, LedgerId, UsageStore } from "./usageStore.js";

/** Everything that is counted of one dimension of a pool, for display. */
export interface DimensionReading {
  readonly total: Reading;
  /** In the order of the pool's allocations. */
  readonly keys: readonly KeyReading[];
}

/** What is counted of one key. */
export interface KeyReading {
  readonly apiKeyId: string;
  readonly used: Reading;
  /** What its reserve has given up or spent; undefined where none is kept. */
  readonly spent: number | undefined;
}

/** At most this much is read in one turn of the event loop, so that a pool of thousands of keys does not hold up requests. */
const COUNTERS_AT_ONCE = 2000;

export async function readDimension(
  asked: { readonly live: LivePool; readonly store: UsageStore; readonly moment: DimensionMoment },
  now: EpochMs,
): Promise<DimensionReading> {
  const { live, store, moment } = asked;
  const { buckets, reserve } = moment;
  const size = buckets.length;
  const keys = [...live.governed.standings.keys()];
  const perKey = reserve === undefined ? size : 2 * size;
  const counters = [
    ...moment.everyone,
    ...keys.flatMap((key) =>
      reserve === undefined
        ? keyCounters(moment, key)
        : [...keyCounters(moment, key), ...spentCounters(moment, key)],
    ),
  ];
  const amounts = await readInParts(store, live.ledger, counters);
  return {
    total: { buckets, amounts: everyonesAmounts(moment, amounts, 0) },
    keys: keys.map((apiKeyId, n) => {
      const from = size + n * perKey;
      const spent = { buckets, amounts: amounts.slice(from + size, from + 2 * size) };
      return {
        apiKeyId,
        used: { buckets, amounts: keysAmounts(moment, amounts, from) },
        spent: reserve === undefined ? undefined : useAt(spent, now),
      };
    }),
  };
}

async function readInParts(
  store: UsageStore,
  ledger: LedgerId,
  counters: readonly Counter[],
): Promise<readonly number[]> {
  const amounts: number[] = [];
  for (let from = 0; from < counters.length; from += COUNTERS_AT_ONCE) {
    if (from > 0) await nextTurn();
    amounts.push(...(await store.read(ledger, counters.slice(from, from + COUNTERS_AT_ONCE))));
  }
  return amounts;
}
