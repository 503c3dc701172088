import type { EpochMs } from "@quota/core";
import { inRange } from "./inRange.js";
import { LONGEST_TIMER_MS } from "./longestTimer.js";
import type { Logger } from "./quotaEngine.js";
import type { UsageStore } from "./usageStore.js";

export interface RetentionOptions {
  readonly store: Pick<UsageStore, "forget">;
  /** How long a counter is kept after it expired, in days. Default 14; 0 drops it at once. A function is asked by every sweep. */
  readonly retentionDays?: number | (() => number) | undefined;
  readonly clock?: { now(): EpochMs } | undefined;
  /** Default one hour. */
  readonly everyMs?: number | undefined;
  readonly logger?: Logger | undefined;
}

/** A running retention. */
export interface Retention {
  /** Drops what is due now, or waits for the sweep that is under way; how many counters. A failure is logged and reads `"failed"`: the next sweep makes up for it. */
  sweep(): Promise<number | "failed">;
  /** Starts no further sweep; resolves when none is under way. Call it before the store is closed. */
  stop(): Promise<void>;
}

/**
 * Drops counters that have expired **and** are older than the retention, at once and then every `everyMs`, one sweep at a
 * time. The timer does not keep the process alive.
 *
 * @throws {QuotaConfigError} for days or an interval out of range.
 * @example
 * const retention = startRetention({ store, retentionDays: 14, logger });
 */
export function startRetention(options: RetentionOptions): Retention {
  const { store, retentionDays = 14, clock = { now: () => Date.now() }, everyMs = HOUR_MS, logger } = options;
  const asked = typeof retentionDays === "function" ? retentionDays : (): number => retentionDays;
  const days = (): number =>
    inRange({ field: "retentionDays", value: asked(), from: 0, to: 36_500, unit: "days" });
  days();
  inRange({ field: "everyMs", value: everyMs, from: 1, to: LONGEST_TIMER_MS, unit: "milliseconds" });
  let underWay: Promise<number | "failed"> | undefined;

  const sweep = (): Promise<number | "failed"> =>
    (underWay ??= forget().finally(() => (underWay = undefined)));
  const timer = setInterval(() => void sweep(), everyMs);
  timer.unref();
  void sweep();

  return {
    sweep,
    async stop() {
      clearInterval(timer);
      await underWay;
    },
  };

  async function forget(): Promise<number | "failed"> {
    try {
      return await store.forget(Math.floor(clock.now() - days() * DAY_MS));
    } catch (err) {
      logger?.warn(
        { scope: "quota:retention", err },
        "Old usage could not be dropped; it is tried again later.",
      );
      return "failed";
    }
  }
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
