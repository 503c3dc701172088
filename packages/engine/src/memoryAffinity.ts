import type { EpochMs } from "@quota/core";
import type { Affinity } from "./affinity.js";

/**
 * Keeps short-lived texts in this process: the reference for every other affinity.
 *
 * @example
 * const affinity = createMemoryAffinity();
 * await affinity.compareAffinity({ key: "session-7", expected: undefined, value: "kimi-1", ttlMs: 60_000 }, Date.now());
 */
export function createMemoryAffinity(): Affinity {
  const kept = new Map<string, { readonly value: string; readonly expiresAt: EpochMs }>();

  return {
    async readAffinity(key, now) {
      return read(key, now);
    },
    async compareAffinity({ key, expected, value, ttlMs }, now) {
      if (read(key, now) !== expected) return false;
      kept.set(key, { value, expiresAt: now + ttlMs });
      return true;
    },
    async getString(key, now) {
      return read(key, now);
    },
    async setString({ key, value, ttlMs }, now) {
      kept.set(key, { value, expiresAt: now + ttlMs });
    },
  };

  function read(key: string, now: EpochMs): string | undefined {
    const entry = kept.get(key);
    if (entry === undefined || entry.expiresAt > now) return entry?.value;
    kept.delete(key);
    return undefined;
  }
}
