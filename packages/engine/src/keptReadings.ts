import type { EpochMs, KeptReading, ProviderReading } from "@quota/core";
import { limitOfReading } from "./limitOfReading.js";

/** The newest reading of every window of every connection, whether or not a plan has such a window. */
export interface KeptReadings {
  /** Keeps what is newer than what is kept; answers that. */
  keep(connectionId: string, readings: readonly ProviderReading[]): readonly ProviderReading[];
  of(connectionId: string, now: EpochMs): readonly KeptReading[];
  /** When the newest of a connection's readings was received. */
  newestAt(connectionId: string): EpochMs | undefined;
}

/** How old a reading may be before it is stale. */
export const STALE_AFTER_MS = 30_000;

const MAX_CONNECTIONS = 10_000;
/** More windows than any provider names; the names are the provider's to choose. */
const MAX_WINDOWS = 64;

export function createKeptReadings(): KeptReadings {
  const connections = new Map<string, Map<string, ProviderReading>>();

  function of(connectionId: string): Map<string, ProviderReading> {
    const found = connections.get(connectionId) ?? new Map<string, ProviderReading>();
    connections.delete(connectionId);
    connections.set(connectionId, found);
    if (connections.size > MAX_CONNECTIONS) connections.delete(connections.keys().next().value!);
    return found;
  }

  return {
    keep(connectionId, readings) {
      if (readings.length === 0) return [];
      const kept = of(connectionId);
      const newer: ProviderReading[] = [];
      for (const reading of readings) {
        const name = limitOfReading(reading);
        const before = kept.get(name);
        if (before !== undefined && !isNewer(reading, before)) continue;
        // The one that was said the longest ago goes first.
        if (before !== undefined) kept.delete(name);
        else if (kept.size >= MAX_WINDOWS) kept.delete(kept.keys().next().value!);
        kept.set(name, reading);
        newer.push(reading);
      }
      return newer;
    },
    of: (connectionId, now) =>
      [...(connections.get(connectionId)?.values() ?? [])].map((reading) => ({
        reading,
        stale: now - reading.receivedAt > STALE_AFTER_MS,
      })),
    newestAt(connectionId) {
      let newest: EpochMs | undefined;
      for (const { receivedAt } of connections.get(connectionId)?.values() ?? [])
        newest = Math.max(newest ?? receivedAt, receivedAt);
      return newest;
    },
  };
}

/** Newer, or the fuller of two of one moment: an answer may tell one window twice. */
function isNewer(reading: ProviderReading, before: ProviderReading): boolean {
  const laterMs = reading.receivedAt - before.receivedAt;
  return laterMs > 0 || (laterMs === 0 && reading.utilization > before.utilization);
}
