import type { EpochMs } from "@quota/core";
import { inRange } from "./inRange.js";
import { nextTurn } from "./nextTurn.js";
import type { Logger } from "./quotaEngine.js";
import type { SpendLedger } from "./spendLedger.js";
import type { DamagedSpend, SpendPosition, SpendQueue } from "./spendQueue.js";

export interface SpendFlusherOptions {
  readonly queue: Pick<SpendQueue, "peekSpend" | "ackSpend">;
  readonly ledger: Pick<SpendLedger, "commit" | "keepDeadLetter">;
  readonly clock?: { now(): EpochMs } | undefined;
  readonly logger?: Logger | undefined;
  /** How many events are committed together at most; default 1000, and no more than 5000: a transaction keeps others from the ledger. */
  readonly batch?: number | undefined;
  /** How often a queue is looked at that is empty, since others may hand in, too. Default 1000 ms, and no less. */
  readonly idleMs?: number | undefined;
  /** Spreads the tries of several flushers after a failure: answers from 0 to 1. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** A running flusher. */
export interface SpendFlusher {
  status(): SpendFlusherStatus;
  /** Something was handed in: it is looked for within a moment, once for all that comes meanwhile. After a failure it changes nothing. */
  kick(): void;
  /** Goes on now, whatever it waits for, until nothing waits or it cannot go on. */
  flush(): Promise<"drained" | "damaged" | "failed" | "stopped">;
  /**
   * Keeps the damaged head in the ledger, with the reason, and takes it out of the queue; its money is no longer hot. False where the head is not
   * damaged, or another by now. What can be read is never set aside.
   *
   * @throws what the queue or the ledger throws. It may be asked for again.
   */
  quarantine(position: SpendPosition, why?: string): Promise<boolean>;
  /** Begins no further batch; resolves when none is under way. Call it before the queue and the ledger are closed. */
  stop(): Promise<void>;
}

export interface SpendFlusherStatus {
  readonly state: "flushing" | "idle" | "failing" | "damaged" | "stopped";
  /** The damaged head that it waits at. */
  readonly stoppedAt: DamagedSpend | undefined;
  /** The last failure, unless it has worked since, and how many there were in a row. */
  readonly failure: { readonly at: EpochMs; readonly cause: unknown; readonly inARow: number } | undefined;
  /** Events that this flusher brought into the ledger, and those that it had already. */
  readonly added: number;
  readonly known: number;
  /** When the queue was last seen to be empty, or was emptied. */
  readonly drainedAt: EpochMs | undefined;
}

/**
 * Carries events from the queue to the ledger, oldest first: peek, commit, acknowledge. Any number may run on one queue, in any number of processes.
 *
 * - A commit that fails leaves the queue as it was. Whoever dies between the commit and the acknowledgement leaves events that the ledger knows: the
 *   next one commits them without charging anybody twice, and acknowledges them.
 * - Full batches follow each other at once; else it rests until it is kicked, or for a second. After a failure it waits longer each time, up to 30 s.
 * - At a damaged head it stops, and says so. It looks again every 5 s: somebody may have set it aside, here or elsewhere.
 *
 * Its timers do not keep the process alive.
 *
 * @throws {QuotaConfigError} for an option that is out of range.
 * @example
 * const flusher = startSpendFlusher({ queue, ledger, logger });
 * await queue.enqueueSpend(event, Date.now());
 * flusher.kick();
 */
export function startSpendFlusher(options: SpendFlusherOptions): SpendFlusher {
  const { queue, ledger, clock = { now: () => Date.now() }, logger, random = Math.random } = options;
  const { batch = 1000, idleMs = LEAST_IDLE_MS } = options;
  inRange({ field: "batch", value: batch, from: 1, to: MOST_AT_ONCE, unit: "events" });
  inRange({ field: "idleMs", value: idleMs, from: LEAST_IDLE_MS, to: 3_600_000, unit: "milliseconds" });

  let running: Promise<Outcome> | undefined;
  let outcome: Outcome = "drained";
  let timer: NodeJS.Timeout | undefined;
  let kicked = false;
  let stopped = false;
  let stoppedAt: DamagedSpend | undefined;
  let failure: SpendFlusherStatus["failure"];
  let drainedAt: EpochMs | undefined;
  let added = 0;
  let known = 0;

  function run(): Promise<Outcome> {
    clearTimeout(timer);
    running ??= drain().then((how) => {
      running = undefined;
      outcome = how;
      if (!stopped) restFor(kicked && how === "drained" ? GATHERING_MS : restAfter(how));
      return how;
    });
    return running;
  }

  function restFor(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void run(), ms);
    timer.unref();
  }

  function restAfter(how: Outcome): number {
    if (how === "damaged") return LOOK_AGAIN_MS;
    if (how === "failed")
      return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failure!.inARow - 1)) * (0.5 + random() / 2);
    // Where another one is at work, there is time enough to take over from it.
    return idleMs;
  }

  async function drain(): Promise<Outcome> {
    for (;;) {
      if (stopped) return "stopped";
      kicked = false;
      let how: Outcome | "more";
      try {
        how = await carry();
      } catch (cause) {
        failure = { at: clock.now(), cause, inARow: (failure?.inARow ?? 0) + 1 };
        const text =
          "Spend waits in the queue: it could not be carried to the ledger, and is tried again soon.";
        logger?.warn({ scope: "quota:spend", err: cause, inARow: failure.inARow }, text);
        return "failed";
      }
      failure = undefined;
      if (how !== "more") return how;
      await nextTurn();
    }
  }

  /** One batch. */
  async function carry(): Promise<Outcome | "more"> {
    const { items, damaged } = await queue.peekSpend(batch);
    const [head] = items;
    if (head === undefined) {
      noteDamage(damaged);
      if (damaged !== undefined) return "damaged";
      drainedAt = clock.now();
      return "drained";
    }
    noteDamage(undefined);
    const committed = await ledger.commit(
      items.map(({ event }) => event),
      clock.now(),
    );
    added += committed.added;
    known += committed.known;
    if (!(await queue.ackSpend(head.position, items.length))) return "outrun";
    if (damaged !== undefined || items.length >= batch) return "more";
    drainedAt = clock.now();
    return "drained";
  }

  function noteDamage(damaged: DamagedSpend | undefined): void {
    const isNews = damaged !== undefined && damaged.position !== stoppedAt?.position;
    stoppedAt = damaged;
    if (!isNews) return;
    const { position, why, requestId } = damaged;
    const text = "Spend waits in the queue: its head is damaged, and must be set aside.";
    logger?.warn({ scope: "quota:spend", position, why, requestId }, text);
  }

  void run();

  return {
    status() {
      const waits = outcome === "failed" ? "failing" : outcome === "damaged" ? "damaged" : "idle";
      const state = stopped ? "stopped" : running !== undefined ? "flushing" : waits;
      return { state, stoppedAt, failure, added, known, drainedAt };
    },
    kick() {
      if (kicked || stopped) return;
      kicked = true;
      if (running === undefined && outcome === "drained") restFor(GATHERING_MS);
    },
    async flush() {
      // What is under way may have looked before the last event came.
      await running;
      for (;;) {
        const how = await run();
        if (how !== "outrun") return how;
      }
    },
    async quarantine(position, why) {
      const { items, damaged } = await queue.peekSpend(1);
      if (items.length > 0 || damaged?.position !== position) return false;
      const letter = why === undefined ? damaged : { ...damaged, why: `${damaged.why} Set aside: ${why}` };
      await ledger.keepDeadLetter(letter, clock.now());
      const isGone = await queue.ackSpend(position, 1);
      if (!stopped) void run();
      return isGone;
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** How a run ended: `"outrun"` where another flusher has acknowledged meanwhile. */
type Outcome = "drained" | "outrun" | "damaged" | "failed" | "stopped";

const LEAST_IDLE_MS = 1000;
const MOST_AT_ONCE = 5000;
/** What is handed in within this time is committed together: nobody waits for it. */
const GATHERING_MS = 20;
const LOOK_AGAIN_MS = 5000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
