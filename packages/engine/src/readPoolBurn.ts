import { everyoneOf, useAt, type EpochMs, type PoolBurn, type Reading } from "@quota/core";
import type { BurnMeter } from "./burnMeter.js";
import { everyonesAmounts } from "./dimensionMoment.js";
import type { LivePool } from "./governedPools.js";
import { noteBurn } from "./noteBurn.js";
import type { UsageStore } from "./usageStore.js";

/** Reads what everybody uses of a pool, and tells how fast that was growing. Costs the same however many keys there are. */
export async function readPoolBurn(
  { live, store, burn }: { readonly live: LivePool; readonly store: UsageStore; readonly burn: BurnMeter },
  now: EpochMs,
): Promise<PoolBurn> {
  const { governed, dimensions: moments } = live.momentAt(now);
  const amounts = await store.read(
    live.ledger,
    moments.flatMap(({ everyone }) => everyone),
  );
  let from = 0;
  const dimensions = moments.map((moment) => {
    const { dimension, buckets, outside } = moment;
    const total: Reading = { buckets, amounts: everyonesAmounts(moment, amounts, from) };
    from += buckets.length;
    noteBurn({ burn, ledger: live.ledger, moment, total }, now);
    const { name, limit } = dimension;
    const used = useAt(everyoneOf({ total, dimension, outside }, now), now);
    const of = { ledger: live.ledger, dimension: name };
    return { dimension, used, burnRate: burn.rate({ ...of, limit, used }), samples: burn.curve(of) };
  });
  return { poolId: governed.pool.id, generatedAt: now, dimensions };
}
