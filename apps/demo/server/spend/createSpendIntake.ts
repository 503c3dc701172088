import type { SpendEvent } from "@quota/core";
import { InvalidInputError, type SpendQueue } from "@quota/engine";
import type { Logger } from "pino";

/** The way of events into the queue. */
export interface SpendIntake {
  /**
   * Hands the event in, and then corrects what is pending for its budgets by `answer`. Resolves when that is done, or after two seconds: an answer that waits for it is
   * not lost. What the queue does not take goes to the spare one; what neither takes is kept in memory and tried again until it is taken. Never rejects.
   */
  take(event: SpendEvent, answer: () => Promise<void>): Promise<void>;
  status(): IntakeStatus;
  /** Waits for what is under way, and tries what is kept once more. What is left is written to the log, event by event. */
  close(): Promise<void>;
}

export interface IntakeStatus {
  /** Events that were handed in, by their outcome. */
  readonly taken: Readonly<Record<SpendEvent["outcome"], number>>;
  /** Of them, those whose model has no price. */
  readonly unpriced: number;
  /** Times that the queue did not take an event. */
  readonly failures: number;
  /** Of the events that were handed in, those that the spare queue took. */
  readonly spared: number;
  /** Events that wait in memory, since no queue took them. */
  readonly kept: number;
}

const LONGEST_WAIT_MS = 2_000;
/** How long the queue may take where there is a spare one; and how long it is not asked again after that. */
const SPARE_AFTER_MS = 1_000;
const FIRST_RETRY_MS = 250;
/** Not long: what is kept goes with the process. */
const LONGEST_RETRY_MS = 2_000;
/** Beyond it, events go to the log: memory has an end too. */
const MOST_KEPT = 100_000;

export function createSpendIntake({
  queue,
  onQueued,
  spare,
  now,
  log,
}: {
  readonly queue: Pick<SpendQueue, "enqueueSpend">;
  /** Something waits to be written to the ledger. */
  readonly onQueued: () => void;
  /** A queue on this machine that leads to the same ledger, where the other is on another. The ledger takes once what is in both. */
  readonly spare?:
    { readonly queue: Pick<SpendQueue, "enqueueSpend">; readonly onQueued: () => void } | undefined;
  readonly now: () => number;
  readonly log: Logger;
}): SpendIntake {
  const taken = { answered: 0, "client-left": 0, failed: 0 };
  let unpriced = 0;
  let failures = 0;
  let spared = 0;
  let isResting = false;
  let kept: SpendEvent[] = [];
  let delay = FIRST_RETRY_MS;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;
  let trying: Promise<void> | undefined;
  const underWay = new Set<Promise<void>>();

  /**
   * The event goes first. Whoever is killed between the two leaves what was held, which goes with its lease or with the commit of the event; the other way
   * round, the cost of an event that is nowhere would be pending for ever.
   */
  async function handIn(event: SpendEvent, answer: () => Promise<void>): Promise<void> {
    await queueOrKeep(event);
    await correct(event, answer);
  }

  async function queueOrKeep(event: SpendEvent): Promise<void> {
    // Behind those that wait already: nobody's answer waits for a queue that is known to be away.
    if (kept.length > 0) return keep(event);
    try {
      await enqueue(event);
    } catch (error) {
      if (error instanceof InvalidInputError) return lost(event);
      log.warn(
        { scope: "gateway:spend", error, requestId: event.requestId },
        "The spend queue does not take an event; it is kept in memory and tried again.",
      );
      keep(event);
    }
  }

  /** What is pending is right again with the commit of the event at the latest, so nothing else depends on this. */
  async function correct({ requestId }: SpendEvent, answer: () => Promise<void>): Promise<void> {
    try {
      await answer();
    } catch (error) {
      log.warn(
        { scope: "gateway:spend", error, requestId },
        "What is pending for a budget could not be corrected; it stays as estimated until the ledger has the event.",
      );
    }
  }

  async function enqueue(event: SpendEvent): Promise<void> {
    if (!(await isTakenByQueue(event))) {
      await spare!.queue.enqueueSpend(event, now());
      spared += 1;
      spare!.onQueued();
    } else onQueued();
    taken[event.outcome] += 1;
    if (event.cost === "unpriced") unpriced += 1;
  }

  /** False where it is for the spare queue. */
  async function isTakenByQueue(event: SpendEvent): Promise<boolean> {
    if (isResting) return false;
    try {
      const queued = queue.enqueueSpend(event, now());
      if (spare === undefined) await queued;
      else if (!(await isDoneWithin(SPARE_AFTER_MS, queued)))
        throw new Error(`The queue did not answer within ${String(SPARE_AFTER_MS)} ms.`);
      return true;
    } catch (error) {
      failures += 1;
      if (spare === undefined || error instanceof InvalidInputError) throw error;
      log.warn(
        { scope: "gateway:spend", error },
        "The spend queue does not take an event; for a second, events wait in the file of this machine instead.",
      );
      isResting = true;
      setTimeout(() => (isResting = false), SPARE_AFTER_MS).unref();
      return false;
    }
  }

  function keep(event: SpendEvent): void {
    if (kept.length >= MOST_KEPT || closed) return lost(event);
    // A process that is killed writes nothing any more.
    log.warn({ scope: "gateway:spend", event }, "An event is in memory alone until the queue is back.");
    kept.push(event);
    retry ??= setTimeout(() => void tryAgain(), delay).unref();
  }

  function lost(event: SpendEvent): void {
    log.error({ scope: "gateway:spend", event }, "An event could not be handed in; commit it by hand.");
  }

  /** Once at a time: two would hand the same event in, and take two away for it. */
  function tryAgain(): Promise<void> {
    return (trying ??= handInKept().finally(() => (trying = undefined)));
  }

  async function handInKept(): Promise<void> {
    const waiting = kept;
    while (waiting.length > 0) {
      try {
        await enqueue(waiting[0]!);
      } catch (error) {
        // No time makes it one that a queue takes: nothing waits behind it.
        if (!(error instanceof InvalidInputError)) break;
        lost(waiting[0]!);
      }
      waiting.shift();
    }
    delay = waiting.length > 0 ? Math.min(delay * 2, LONGEST_RETRY_MS) : FIRST_RETRY_MS;
    retry = waiting.length > 0 && !closed ? setTimeout(() => void tryAgain(), delay).unref() : undefined;
  }

  return {
    async take(event, answer) {
      const done = handIn(event, answer).finally(() => underWay.delete(done));
      underWay.add(done);
      await isDoneWithin(LONGEST_WAIT_MS, done);
    },
    status: () => ({ taken: { ...taken }, unpriced, failures, spared, kept: kept.length }),
    async close() {
      while (underWay.size > 0) await Promise.all(underWay);
      closed = true;
      await trying;
      clearTimeout(retry);
      await tryAgain();
      for (const event of kept) lost(event);
      kept = [];
    },
  };
}

async function isDoneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), patience]);
  } finally {
    clearTimeout(timer);
  }
}
