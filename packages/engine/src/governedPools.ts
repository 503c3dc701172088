import {
  governPool,
  grains,
  resolvePlan,
  type Dimension,
  type EpochMs,
  type GovernedPool,
  type Pool,
} from "@quota/core";
import { isPending, type Awaitable } from "./awaitable.js";
import { poolLedger } from "./counterId.js";
import { poolMoment, type PoolMoment } from "./poolMoment.js";
import type { QuotaCaller, QuotaEngineOptions } from "./quotaEngine.js";
import { sharesPrint } from "./sharesPrint.js";
import type { LedgerId } from "./usageStore.js";
import { NO_WINDOWS, type KnownWindows } from "./windowState.js";

/** A pool with its shares, its ledger and the counters of the moment. */
export interface LivePool {
  /** As planned; `momentAt` has the limits that readings have filled in. */
  readonly governed: GovernedPool;
  readonly ledger: LedgerId;
  /** What this process knows of the ledger's windows; whoever learns more of them puts it here. */
  readonly windows: { known: KnownWindows };
  momentAt(now: EpochMs): PoolMoment;
  /** What stands for each dimension's shares, where reserves are kept; see {@link sharesPrint}. */
  printsAt(now: EpochMs): readonly number[];
}

/** Finds the pool that governs a connection; what is computed from it is computed once per change. */
export interface GovernedPools {
  ofConnection(caller: Pick<QuotaCaller, "connectionId" | "provider">): Awaitable<LivePool | undefined>;
  of(pool: Pool, provider: string): Awaitable<LivePool>;
}

/** Above this many connections what is remembered is computed anew, so that memory stays bounded. */
const MAX_REMEMBERED = 10_000;

/** @param options.leaseMs how long a lease generation is. */
export function createGovernedPools(
  options: Pick<QuotaEngineOptions, "pools" | "plans"> & { readonly leaseMs: number },
): GovernedPools {
  const { pools, plans, leaseMs } = options;
  interface Known {
    readonly pool: Pool;
    readonly provider: string;
    readonly override: readonly Dimension[] | undefined;
    readonly live: LivePool;
  }
  const known = new Map<string, Known>();
  /** A pool that changes keeps its ledger, and what is agreed on there. */
  const windowsOf = new Map<LedgerId, { known: KnownWindows }>();

  function liveOf(pool: Pool, provider: string, override: readonly Dimension[] | undefined): LivePool {
    const { connectionId } = pool;
    const before = known.get(connectionId);
    if (before?.provider === provider && before.override === override && isSame(before.pool, pool))
      return before.live;
    const governed = governPool({ pool, plan: resolvePlan({ connectionId, provider, override }) });
    const live = livePool({ governed, windows: windowsIn(poolLedger(pool)), leaseMs });
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(connectionId, { pool, provider, override, live });
    return live;
  }

  function windowsIn(ledger: LedgerId): { known: KnownWindows } {
    const found = windowsOf.get(ledger) ?? { known: NO_WINDOWS };
    if (windowsOf.size >= MAX_REMEMBERED) windowsOf.clear();
    windowsOf.set(ledger, found);
    return found;
  }

  function of(pool: Pool, provider: string): Awaitable<LivePool> {
    const override = plans.get(pool.connectionId);
    if (isPending(override)) return override.then((found) => liveOf(pool, provider, found));
    return liveOf(pool, provider, override);
  }

  return {
    of,
    ofConnection({ connectionId, provider }) {
      const pool = pools.ofConnection(connectionId);
      if (isPending(pool)) return pool.then((found) => found && of(found, provider));
      return pool && of(pool, provider);
    },
  };
}

function isSame(a: Pool, b: Pool): boolean {
  return a === b || (a.incarnation === b.incarnation && a.version === b.version);
}

function livePool({
  governed,
  windows,
  leaseMs,
}: {
  readonly governed: GovernedPool;
  readonly windows: { known: KnownWindows };
  readonly leaseMs: number;
}): LivePool {
  let moment: PoolMoment | undefined;
  let laidOutAfter: KnownWindows | undefined;
  let filled = governed;
  let prints = printsOf(governed);
  const live: LivePool = {
    governed,
    ledger: poolLedger(governed.pool),
    windows,
    printsAt(now) {
      live.momentAt(now);
      return prints;
    },
    momentAt(now) {
      if (windows.known !== laidOutAfter) {
        laidOutAfter = windows.known;
        const before = filled;
        filled = withSeenLimits(governed, laidOutAfter);
        if (filled !== before) prints = printsOf(filled);
        moment = undefined;
      }
      const laidOut = { governed: filled, prints, windows: laidOutAfter, leaseMs };
      // Who read the clock and then waited for the pool may have been overtaken: it is counted where its own time says.
      if (moment !== undefined && now < moment.goodFrom) return poolMoment(laidOut, now);
      if (moment === undefined || now >= moment.goodUntil) moment = poolMoment(laidOut, now);
      return moment;
    },
  };
  return live;
}

/** Worked out where reserves are kept alone: it takes a look at every key. */
function printsOf(governed: GovernedPool): readonly number[] {
  const { lending, shadow, dimensions } = governed;
  if (lending.rule !== "reserve" && shadow?.rule !== "reserve") return [];
  return dimensions.map((_dimension, i) => sharesPrint(governed, i));
}

/** Shares out the limits that readings carried, where the plan knows none. */
function withSeenLimits(governed: GovernedPool, { states }: KnownWindows): GovernedPool {
  const { pool, plan } = governed;
  const dimensions = plan.dimensions.map((dimension) => {
    const seen = states.get(dimension.name)?.limit ?? 0;
    if (dimension.limit !== "unknown" || seen === 0) return dimension;
    return { ...dimension, limit: grains(seen, dimension.name) };
  });
  const isFilled = dimensions.some((dimension, i) => dimension !== plan.dimensions[i]);
  return isFilled ? governPool({ pool, plan: { ...plan, dimensions } }) : governed;
}
