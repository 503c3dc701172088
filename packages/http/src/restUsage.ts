import {
  fromGrains,
  type DimensionUsage,
  type KeyUsage,
  type PoolUsage,
  type ProviderReading,
  type Unit,
  type WindowReading,
} from "@quota/core";
import { withoutUndefined } from "./withoutUndefined.js";

/** A pool's usage for the REST API. Amounts are in units; without a limit there are no shares, and `globalUsedPercent` is null. */
export function usageJson({ poolId, generatedAt, dimensions, burnRate, signals }: PoolUsage): UsageJson {
  return {
    poolId,
    generatedAt,
    dimensions: dimensions.map(dimensionJson),
    burnRate,
    signals: signals.map(({ reading, stale }) => ({ ...reading, stale })),
  };
}

/** What {@link usageJson} makes. */
export interface UsageJson extends Omit<PoolUsage, "dimensions" | "signals"> {
  readonly dimensions: readonly DimensionUsageJson[];
  /** What the provider said last, window by window, also of windows that the plan does not have. */
  readonly signals: readonly (ProviderReading & { readonly stale: boolean })[];
}

/** One dimension of {@link UsageJson}: the members of `DimensionUsage`, in units. */
export interface DimensionUsageJson {
  readonly unit: Unit;
  readonly window: string;
  readonly limit: number | "unknown";
  readonly limitFrom: DimensionUsage["limitFrom"];
  readonly anchoredBy: DimensionUsage["anchoredBy"];
  readonly reading?: WindowReading;
  readonly lending: DimensionUsage["lending"];
  readonly mode: DimensionUsage["mode"];
  readonly strictFrom?: number;
  readonly globalUsedPercent: number | null;
  readonly used: number;
  readonly consumedTotal: number;
  readonly measured: number;
  readonly attributed: number;
  readonly provisional: number;
  readonly unallocated: number;
  readonly held: number;
  readonly outside: number;
  readonly free?: number;
  readonly reserved?: number;
  readonly spare?: number;
  readonly windowFrom?: number;
  readonly elapsed?: number;
  readonly opensAt?: number;
  readonly burnRate: DimensionUsage["burnRate"];
  readonly perKey: readonly KeyUsageJson[];
}

/** One key of {@link DimensionUsageJson}: the members of `KeyUsage`, in units. */
export interface KeyUsageJson {
  readonly apiKeyId: string;
  readonly consumed: number;
  readonly held: number;
  readonly fairShare?: number;
  readonly deficit?: number;
  readonly borrowing: boolean;
  readonly remaining?: number;
  readonly reserve?: number;
  readonly available: number | "unlimited";
  readonly retryAt?: number;
}

function dimensionJson(usage: DimensionUsage): DimensionUsageJson {
  const { dimension, limitFrom, anchoredBy, reading, lending, mode, strictFrom, globalUsedPercent } = usage;
  const { free, reserved, spare, windowFrom, elapsed, opensAt, burnRate, perKey } = usage;
  const { unit, window, limit } = dimension;
  const units = (amount: number): number => fromGrains(unit, amount);
  return {
    unit,
    window,
    limit: limit === "unknown" ? limit : units(limit),
    limitFrom,
    anchoredBy,
    ...(reading !== undefined && { reading }),
    lending,
    mode,
    ...(strictFrom !== undefined && { strictFrom }),
    globalUsedPercent: globalUsedPercent ?? null,
    used: units(usage.used),
    consumedTotal: units(usage.consumedTotal),
    measured: units(usage.measured),
    attributed: units(usage.attributed),
    provisional: units(usage.provisional),
    unallocated: units(usage.unallocated),
    held: units(usage.held),
    outside: units(usage.outside),
    ...(free !== undefined && { free: units(free) }),
    ...(reserved !== undefined && { reserved: units(reserved) }),
    ...(spare !== undefined && { spare: units(spare) }),
    ...(windowFrom !== undefined && { windowFrom }),
    ...(elapsed !== undefined && { elapsed }),
    ...(opensAt !== undefined && { opensAt }),
    burnRate: { perSecond: units(burnRate.perSecond), timeToExhaustionMs: burnRate.timeToExhaustionMs },
    perKey: perKey.map((key) => keyJson(key, units)),
  };
}

function keyJson(key: KeyUsage, units: (amount: number) => number): KeyUsageJson {
  const { apiKeyId, borrowing, available, retryAt } = key;
  const known = (amount: number | undefined): number | undefined =>
    amount === undefined ? undefined : units(amount);
  return withoutUndefined({
    apiKeyId,
    consumed: units(key.consumed),
    held: units(key.held),
    fairShare: known(key.fairShare),
    deficit: known(key.deficit),
    borrowing,
    remaining: known(key.remaining),
    reserve: known(key.reserve),
    available: available === "unlimited" ? available : units(available),
    retryAt,
  });
}
