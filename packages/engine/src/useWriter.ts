import type { EpochMs } from "@quota/core";
import type { AgreedWindows } from "./agreedWindows.js";
import type { BurnMeter } from "./burnMeter.js";
import type { GovernedPools, LivePool } from "./governedPools.js";
import type { OutagePolicy } from "./outagePolicy.js";
import { createRememberedUse, NOTHING, type UnwrittenUse } from "./rememberedUse.js";
import { addTo, settlementAdditions, type Additions } from "./settlementStep.js";
import { StoreError } from "./storeError.js";
import type { StoreWatch } from "./storeWatch.js";
import type { UsageStore } from "./usageStore.js";
import { MOVED } from "./windowState.js";

/** Writes use to the store; what cannot be written is remembered and tried again until it is. */
export interface UseWriter {
  /** How many keys have use that is not written yet. */
  readonly remembered: number;
  /** Never rejects: whoever settles is not to be troubled with the store. */
  write(use: UnwrittenUse): Promise<void>;
  /** Waits for the writes under way, tries once more to write what is remembered, and stops trying. */
  close(): Promise<void>;
}

/** How often what could not be written is tried again. */
const RETRY_EVERY_MS = 500;

export function createUseWriter(tools: {
  readonly store: UsageStore;
  readonly governedPools: GovernedPools;
  readonly leaseMs: number;
  readonly watch: StoreWatch;
  readonly burn: BurnMeter;
  readonly windows: Pick<AgreedWindows, "within">;
  readonly outage: Pick<OutagePolicy, "written" | "unwritten" | "lost">;
  readonly now: () => EpochMs;
}): UseWriter {
  const { store, governedPools, leaseMs, watch, burn, windows, outage, now } = tools;
  const unwritten = createRememberedUse();
  let retry: NodeJS.Timeout | undefined;
  let retrying: Promise<void> | undefined;
  let closed = false;
  /** How many writes that began before the close are under way, and whom the last of them wakes. */
  let writing = 0;
  let ended: (() => void) | undefined;

  /** @param again it could not be written before. */
  async function write(use: UnwrittenUse, again = false): Promise<void> {
    let settled: { readonly live: LivePool; readonly additions: Additions } | undefined;
    const at = now();
    const awaited = !closed;
    if (awaited) writing += 1;
    try {
      const found = await poolFor(use, at);
      if (found === undefined) return;
      let live = found;
      const { actual, hold } = use;
      const settlement = { apiKeyId: use.caller.apiKeyId, actual, hold };
      let additions = settlementAdditions({ ...settlement, live }, leaseMs, at);
      settled = { live, additions };
      let before = live.momentAt(at).isDue
        ? MOVED
        : await addTo({ store, ledger: live.ledger, additions }, at);
      if (before === MOVED) {
        const agrees = use.live === undefined ? "all" : "new";
        before = await windows.within({ live, agrees }, at, async () => {
          live = (await poolFor(use, at)) ?? found;
          additions = settlementAdditions({ ...settlement, live }, leaseMs, at);
          settled = { live, additions };
          return addTo({ store, ledger: live.ledger, additions }, at);
        });
      }
      watch.works();
      noteBurn({ live, additions, before }, at);
      outage.written(use, { live, additions, before }, at);
    } catch (cause) {
      if (cause instanceof StoreError && cause.applied === "unknown") {
        const consequence = "a settlement may be lost; it is not sent again, since it may have been written";
        watch.failed({ cause, at, consequence });
        outage.lost(use);
        return;
      }
      watch.failed({ cause, at, consequence: "use is remembered and added when the store is back" });
      unwritten.remember(use);
      if (settled !== undefined) outage.unwritten(use, { ...settled, again }, at);
      tryLater();
    } finally {
      if (awaited) writing -= 1;
      if (writing === 0) ended?.();
    }
  }

  /**
   * Reserves are reckoned with the shares that the pool has now, whatever it had when the request was let in. Where the plan counts in something
   * else now, what was held lies where the old one says.
   */
  async function poolFor({ live, caller }: UnwrittenUse, at: EpochMs): Promise<LivePool | undefined> {
    if (live === undefined) return governedPools.ofConnection(caller);
    if (live.momentAt(at).hasAgreedShares) return live;
    const now = await governedPools.ofConnection(caller);
    return now?.ledger === live.ledger && countsAlike(now, live) ? now : live;
  }

  /** All at once: stores commit together what waits together, and a store that is still away is waited for once. */
  async function writeRemembered(): Promise<void> {
    await Promise.all(
      unwritten.takeAll().map(async ({ caller, live, actual, holds, budgeted }) => {
        await write({ caller, live, actual, hold: holds[0], budgeted }, true);
        for (const hold of holds.slice(1)) await write({ caller, live, actual: NOTHING, hold }, true);
      }),
    );
  }

  function tryLater(): void {
    if (closed || retry !== undefined) return;
    retry = setTimeout(() => {
      retrying = writeRemembered().finally(() => {
        retry = undefined;
        retrying = undefined;
        if (unwritten.size > 0) tryLater();
      });
    }, RETRY_EVERY_MS);
    retry.unref();
  }

  function noteBurn(
    written: { readonly live: LivePool; readonly additions: Additions; readonly before: readonly number[] },
    at: EpochMs,
  ): void {
    const { live, additions, before } = written;
    for (const { dimension, everyone, settledAt } of live.momentAt(at).dimensions) {
      const counter = everyone[settledAt]!;
      const i = additions.counters.indexOf(counter);
      if (i < 0) continue;
      const amount = before[i]! + additions.amounts[i]!;
      burn.note({ ledger: live.ledger, dimension: dimension.name, counter, amount }, at);
    }
  }

  return {
    get remembered() {
      return unwritten.size;
    },
    write: (use) => write(use),
    async close() {
      closed = true;
      clearTimeout(retry);
      await retrying;
      if (writing > 0) await new Promise<void>((resolve) => (ended = resolve));
      await writeRemembered();
    },
  };
}

/** Whether two pools count in the same dimensions, in windows cut alike. */
function countsAlike(a: LivePool, b: LivePool): boolean {
  const shapeOf = ({ governed }: LivePool): string =>
    JSON.stringify(governed.dimensions.map(({ name, shape, anchor }) => [name, shape, anchor]));
  return shapeOf(a) === shapeOf(b);
}
