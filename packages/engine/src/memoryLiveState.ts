import type { EpochMs } from "@quota/core";
import { LATENCY_KEPT_MS, LATENCY_SAMPLES, type LiveState } from "./liveState.js";

/** What one deployment counts in one UTC minute. */
interface MinuteCount {
  readonly minute: EpochMs;
  readonly count: number;
}

interface Sample {
  readonly ms: number;
  readonly at: EpochMs;
}

const MINUTE_MS = 60_000;

/**
 * Keeps what is known of deployments in this process: the reference for every other live state.
 *
 * @example
 * const live = createMemoryLiveState();
 * await live.recordFailure("kimi-1", { allowed: 3, cooldownMs: 5_000 }, Date.now());
 */
export function createMemoryLiveState(): LiveState {
  const failures = new Map<string, MinuteCount>();
  const cooldowns = new Map<string, EpochMs>();
  const samples = new Map<string, readonly Sample[]>();
  const usage = new Map<string, MinuteCount>();
  const requests = new Map<string, MinuteCount>();
  const tokens = new Map<string, MinuteCount>();

  return {
    async recordFailure(id, { allowed, cooldownMs }, now) {
      if (!(allowed >= 1)) return;
      if (raise({ counts: failures, id, by: 1 }, now) < allowed) return;
      cooldowns.set(id, Math.max(now + cooldownMs, cooldowns.get(id) ?? 0));
    },

    async cooled(ids, now) {
      return present(ids, (id) => {
        const until = cooldowns.get(id);
        return until !== undefined && until > now ? until : undefined;
      });
    },

    async addLatency(id, ms, now) {
      if (!isAmount(ms)) return;
      const kept = [...(samples.get(id) ?? []), { ms, at: now }].sort((a, b) => a.at - b.at);
      samples.set(id, kept.slice(-LATENCY_SAMPLES));
    },

    async latencies(ids, now) {
      return present(ids, (id) => {
        const recent = (samples.get(id) ?? []).filter(({ at }) => at > now - LATENCY_KEPT_MS);
        if (recent.length === 0) return undefined;
        return recent.reduce((total, { ms }) => total + ms, 0) / recent.length;
      });
    },

    async addUsage(id, amount, now) {
      if (isAmount(amount)) raise({ counts: usage, id, by: amount }, now);
    },

    async usages(ids, now) {
      return present(ids, (id) => {
        const counted = usage.get(id);
        return counted?.minute === minuteOf(now) ? counted.count : undefined;
      });
    },

    async hitRpm(id, now) {
      return raise({ counts: requests, id, by: 1 }, now);
    },

    async hitTpm(id, amount, now) {
      return raise({ counts: tokens, id, by: isAmount(amount) ? amount : 0 }, now);
    },
  };
}

function raise(
  { counts, id, by }: { readonly counts: Map<string, MinuteCount>; readonly id: string; readonly by: number },
  now: EpochMs,
): number {
  const minute = minuteOf(now);
  const before = counts.get(id);
  const count = (before?.minute === minute ? before.count : 0) + by;
  counts.set(id, { minute, count });
  return count;
}

function minuteOf(now: EpochMs): EpochMs {
  return Math.floor(now / MINUTE_MS) * MINUTE_MS;
}

function isAmount(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}

function present<Value>(
  ids: readonly string[],
  find: (id: string) => Value | undefined,
): ReadonlyMap<string, Value> {
  const found = new Map<string, Value>();
  for (const id of ids) {
    const value = find(id);
    if (value !== undefined) found.set(id, value);
  }
  return found;
}
