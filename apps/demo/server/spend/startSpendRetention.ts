import {
  startRetention,
  type Logger,
  type Retention,
  type SpendLedger,
  type SpendQueue,
} from "@quota/engine";

export interface SpendRetentionOptions {
  readonly ledger: Pick<SpendLedger, "purge">;
  readonly queue: Pick<SpendQueue, "forgetAcknowledged">;
  /** How long the details of an event are kept after it ended, in days. */
  readonly detailDays: number;
  readonly clock: { now(): number };
  readonly logger?: Logger | undefined;
}

/** How long a queue knows an id that it has handed over: the ledger knows it for ever. */
const ID_DAYS = 1;

/** Drops details of spend, and ids that the queue has handed over, when they are old: at once, and then every hour. */
export function startSpendRetention({
  ledger,
  queue,
  detailDays,
  clock,
  logger,
}: SpendRetentionOptions): Pick<Retention, "stop"> & {
  sweep(): Promise<Record<"details" | "ids", number | "failed">>;
} {
  const details = startRetention({
    store: { forget: (before) => ledger.purge(before) },
    retentionDays: detailDays,
    clock,
    logger,
  });
  const ids = startRetention({
    store: { forget: (before) => queue.forgetAcknowledged(before) },
    retentionDays: ID_DAYS,
    clock,
    logger,
  });
  return {
    async sweep() {
      return { details: await details.sweep(), ids: await ids.sweep() };
    },
    async stop() {
      await details.stop();
      await ids.stop();
    },
  };
}
