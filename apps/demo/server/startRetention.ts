import type { Logger, UsageStore } from "@quota/engine";

/**
 * Drops consumption that expired longer ago than it is to be kept: once at the start, then every hour.
 *
 * @returns what stops it, and waits for the round that is on its way.
 */
export function startRetention({
  store,
  retentionDays,
  clock,
  logger,
}: {
  readonly store: Pick<UsageStore, "forget">;
  readonly retentionDays: number;
  readonly clock: { now(): number };
  readonly logger: Logger;
}): () => Promise<void> {
  let round = sweep();
  const timer = setInterval(() => {
    round = round.then(sweep);
  }, HOUR_MS).unref();

  async function sweep(): Promise<void> {
    try {
      await store.forget(clock.now() - retentionDays * 24 * HOUR_MS);
    } catch (error) {
      logger.warn(
        { scope: "quota:retention", error },
        "Old consumption could not be dropped; tried again in an hour.",
      );
    }
  }

  return async () => {
    clearInterval(timer);
    await round;
  };
}

const HOUR_MS = 3_600_000;
