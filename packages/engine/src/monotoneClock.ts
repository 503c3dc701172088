import { QuotaConfigError, type EpochMs } from "@quota/core";

/** The time in whole milliseconds, never earlier than it has been: a clock that steps back must not open a bucket again. */
export function monotoneClock(clock: { now(): EpochMs }): () => EpochMs {
  let latest = 0;
  return () => {
    const now = Math.floor(clock.now());
    if (!Number.isSafeInteger(now))
      throw new QuotaConfigError({
        code: "clock-invalid",
        field: "clock",
        problem: `now() answered ${String(now)}.`,
        remedy: "Answer milliseconds since 1970.",
      });
    if (now > latest) latest = now;
    return latest;
  };
}
