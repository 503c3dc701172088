import { StoreError, type PoolDirectory, type QuotaEngine } from "@quota/engine";
import type { Pool, PoolUsage } from "@quota/core";
import type { ApiKeys } from "../apiKeys.js";
import type { DecisionLog } from "../decisions/createDecisionLog.js";
import type { QuotaStore, QuotaStoreStatus } from "../quotaStore/quotaStore.js";
import type { LoginNeeded, LoginWatch } from "../signals/createLoginWatch.js";

export interface OverviewParts {
  readonly engine: Pick<QuotaEngine, "usage">;
  readonly pools: Pick<PoolDirectory, "list">;
  readonly keys: Pick<ApiKeys, "list">;
  readonly decisions: Pick<DecisionLog, "refusalsLastHour">;
  readonly quotaStore: Pick<QuotaStore, "status">;
  readonly logins: Pick<LoginWatch, "needed">;
  /** Whether there are simulated clients. */
  readonly traffic: boolean;
  readonly now: () => number;
}

/** The gateway in a few numbers. */
export interface Overview {
  /**
   * What is younger than 5 s is given again, and whoever asks while it is read waits for the same reading. Pools whose use cannot be read are
   * left out of `keysBorrowing` and `fullest`: `store` says why.
   */
  read(): Promise<OverviewJson>;
}

export interface OverviewJson {
  readonly generatedAt: number;
  readonly pools: number;
  readonly keys: number;
  /** Keys that use more than their share somewhere. */
  readonly keysBorrowing: number;
  /** The fullest dimension of all pools; missing where none has a limit. */
  readonly fullest?: {
    readonly poolId: string;
    readonly poolName: string;
    readonly unit: string;
    readonly window: string;
    readonly globalUsedPercent: number;
  };
  /** In this process; those that were turned away with the store among them. */
  readonly refusalsLastHour: number;
  readonly store: {
    readonly driver: QuotaStoreStatus["asked"]["driver"];
    readonly serving: QuotaStoreStatus["serving"];
    readonly state: QuotaStoreStatus["state"];
    readonly reason?: string;
  };
  readonly logins: readonly LoginNeeded[];
  readonly traffic: boolean;
}

const FRESH_FOR_MS = 5000;

export function createOverview(parts: OverviewParts): Overview {
  const { engine, pools, keys, decisions, quotaStore, logins, traffic, now } = parts;
  let latest: OverviewJson | undefined;
  let reading: Promise<OverviewJson> | undefined;

  async function gather(): Promise<OverviewJson> {
    const listed = await pools.list();
    const borrowing = new Set<string>();
    let fullest: OverviewJson["fullest"];
    for await (const [pool, { dimensions }] of readable(listed))
      for (const { dimension, globalUsedPercent = -1, perKey } of dimensions) {
        for (const key of perKey) if (key.borrowing) borrowing.add(key.apiKeyId);
        if (globalUsedPercent <= (fullest?.globalUsedPercent ?? -1)) continue;
        const { unit, window } = dimension;
        fullest = { poolId: pool.id, poolName: pool.name, unit, window, globalUsedPercent };
      }
    const { asked, serving, state, reason } = quotaStore.status();
    return {
      generatedAt: now(),
      pools: listed.length,
      keys: keys.list().length,
      keysBorrowing: borrowing.size,
      ...(fullest !== undefined && { fullest }),
      refusalsLastHour: decisions.refusalsLastHour(),
      store: { driver: asked.driver, serving, state, ...(reason !== undefined && { reason }) },
      logins: logins.needed(),
      traffic,
    };
  }

  /** One pool after the other; they have one store, and where it does not answer for one of them nobody waits for it again. */
  async function* readable(listed: readonly Pool[]): AsyncGenerator<readonly [Pool, PoolUsage]> {
    for (const pool of listed) {
      let usage: PoolUsage | undefined;
      try {
        usage = await engine.usage(pool.id);
      } catch (error) {
        if (error instanceof StoreError) return;
        throw error;
      }
      if (usage !== undefined) yield [pool, usage];
    }
  }

  return {
    async read() {
      if (latest !== undefined && Math.abs(now() - latest.generatedAt) < FRESH_FOR_MS) return latest;
      reading ??= gather().finally(() => (reading = undefined));
      return (latest = await reading);
    },
  };
}
