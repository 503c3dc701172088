import { estimateInGrains, type EpochMs } from "@quota/core";
import type { AgreedWindows } from "./agreedWindows.js";
import type { BurnMeter } from "./burnMeter.js";
import { compareLending } from "./compareLending.js";
import { ContendedError } from "./contendedError.js";
import { explainPool } from "./explainPool.js";
import type { GovernedPools, LivePool } from "./governedPools.js";
import type { KeptReadings } from "./keptReadings.js";
import type { PoolDirectory } from "./poolDirectory.js";
import type { QuotaCaller, QuotaEngine } from "./quotaEngine.js";
import { readPoolBurn } from "./readPoolBurn.js";
import { readPoolUsage } from "./readPoolUsage.js";
import { StalePoolError } from "./stalePoolError.js";
import type { UsageStore } from "./usageStore.js";

/** What an engine shows of its pools. Nothing of it is on the path of a request. */
export type PoolLooks = Pick<QuotaEngine, "usage" | "burn" | "explain" | "compareLending">;

export function createPoolLooks(tools: {
  readonly store: UsageStore;
  readonly pools: Pick<PoolDirectory, "get">;
  readonly governedPools: GovernedPools;
  readonly windows: Pick<AgreedWindows, "look" | "within">;
  readonly burn: BurnMeter;
  readonly kept: KeptReadings;
  readonly now: () => EpochMs;
  readonly thresholdNow: () => number | undefined;
  readonly validCaller: (caller: QuotaCaller) => QuotaCaller;
  readonly providerOf: (connectionId: string) => string;
  /** Somebody looks at what a provider said last. */
  readonly touch: (connectionId: string) => void;
}): PoolLooks {
  const { store, pools, governedPools, windows, burn, kept, now, thresholdNow } = tools;

  /** A pool with its windows as the ledger has them now. */
  async function lookAt(
    poolId: string,
    apiKeyId?: string,
  ): Promise<{ readonly live: LivePool; readonly at: EpochMs } | undefined> {
    const pool = await pools.get(poolId);
    if (pool === undefined) return undefined;
    const { connectionId } = pool;
    const provider = tools.providerOf(connectionId);
    if (apiKeyId !== undefined) tools.validCaller({ apiKeyId, connectionId, provider });
    tools.touch(connectionId);
    const live = await governedPools.of(pool, provider);
    const at = now();
    await windows.look(live, at);
    if (!live.momentAt(at).hasAgreedShares && !opensWithUse(live)) await agreeOnShares(live, at);
    return { live, at };
  }

  /** So that a page shows what reserves there are as soon as the rule is chosen, and not with the next request only. */
  async function agreeOnShares(live: LivePool, at: EpochMs): Promise<void> {
    try {
      await windows.within({ live }, at, () => Promise.resolve());
    } catch (error) {
      // Then whoever sends the next request does.
      if (!(error instanceof ContendedError || error instanceof StalePoolError)) throw error;
    }
  }

  return {
    async usage(poolId) {
      const looked = await lookAt(poolId);
      if (looked === undefined) return undefined;
      const { live, at } = looked;
      const signals = kept.of(live.governed.pool.connectionId, at);
      return readPoolUsage({ live, store, burn, saturationThreshold: thresholdNow(), signals }, at);
    },
    async burn(poolId) {
      const looked = await lookAt(poolId);
      return looked && readPoolBurn({ live: looked.live, store, burn }, looked.at);
    },
    async explain(poolId, { apiKeyId, estimate = {} }) {
      const costs = estimateInGrains(estimate, "estimate");
      const looked = await lookAt(poolId, apiKeyId);
      if (looked === undefined) return undefined;
      const asked = { live: looked.live, store, apiKeyId, costs, saturationThreshold: thresholdNow() };
      return explainPool(asked, looked.at);
    },
    async compareLending(poolId, to) {
      const looked = await lookAt(poolId);
      if (looked === undefined) return undefined;
      const { live, at } = looked;
      return compareLending({ live, store, burn, saturationThreshold: thresholdNow(), signals: [], to }, at);
    },
  };
}

/** Who only looks must not be taken for the one who uses a window first. */
function opensWithUse({ governed: { dimensions } }: LivePool): boolean {
  return dimensions.some(({ anchor }) => anchor === "first-use");
}
