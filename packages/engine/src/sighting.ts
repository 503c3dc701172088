import {
  GRAINS_PER_UNIT,
  toGrains,
  WINDOW_MS,
  WINDOWS,
  type DimensionName,
  type EpochMs,
  type Grains,
  type ProviderReading,
  type WindowName,
  type WindowSighting,
} from "@quota/core";
import { FULL } from "./windowState.js";

/** What a reading says of one dimension, in whole numbers. */
export interface Sighting extends WindowSighting {
  readonly name: DimensionName;
  readonly utilization: number;
  /** Undefined where the provider does not say. */
  readonly limit: Grains | undefined;
}

/** More than this many windows' worth of fullness says nothing more. */
const MOST_WINDOWS = 10;

/** No window is more than so many times as long as it is called: a month has up to 31 days. No reset is further away than that. */
const LONGER = 1.05;

/**
 * What a reading says of a dimension; undefined where it is of none: of a model or an overage, of a window that plans do not have, or of
 * one that has ended since.
 */
export function sightingOf(reading: ProviderReading, now: EpochMs): Sighting | undefined {
  const { unit, window, utilization, resetsAt } = reading;
  if (!isOfPlans(reading)) return undefined;
  if (resetsAt !== undefined && Math.round(resetsAt) <= now) return undefined;
  return {
    name: `${unit}/${window as WindowName}`,
    utilization,
    seen: Math.round(Math.min(utilization, MOST_WINDOWS) * FULL),
    limit: limitOf(reading),
    resetsAt:
      resetsAt === undefined
        ? undefined
        : Math.min(Math.round(resetsAt), now + Math.ceil(WINDOW_MS[window as WindowName] * LONGER)),
    receivedAt: Math.round(reading.receivedAt),
  };
}

/** Whether a reading is of a window that plans have, and of the whole account. */
export function isOfPlans({ scope, window }: ProviderReading): boolean {
  return scope === undefined && WINDOWS.includes(window as WindowName);
}

/**
 * Whether a reading is newer than what was seen of its window. What was seen in a future that is further away than clocks differ was seen
 * by a clock that was wrong: it does not keep everybody else's readings out until then.
 */
export function isNewer(
  { receivedAt }: Pick<Sighting, "receivedAt">,
  { seenAt }: { readonly seenAt: EpochMs },
  now: EpochMs,
): boolean {
  return receivedAt > seenAt || seenAt > now + CLOCKS_DIFFER_MS;
}

/** By how much the clocks of two processes may differ. */
const CLOCKS_DIFFER_MS = 60_000;

function limitOf({ unit, limit }: ProviderReading): Grains | undefined {
  if (limit === undefined || !(limit > 0) || !(limit * GRAINS_PER_UNIT[unit] < Number.MAX_SAFE_INTEGER))
    return undefined;
  const whole = unit === "requests" || unit === "tokens" ? Math.floor(limit) : limit;
  return whole > 0 ? toGrains(unit, whole, "limit") : undefined;
}
