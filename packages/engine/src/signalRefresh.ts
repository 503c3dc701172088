import type { EpochMs, ProviderReading } from "@quota/core";
import { STALE_AFTER_MS } from "./keptReadings.js";
import type { Logger } from "./quotaEngine.js";
import type { SignalSource } from "./signalSource.js";

/** Keeps what is known of providers' windows fresh, in the background of the requests that need it. */
export interface SignalRefresh {
  /** Somebody needs a connection's readings. Starts a fetch where they are stale and nothing speaks against it; nobody waits for it. */
  touch(connectionId: string): void;
  /** Aborts what is being fetched and starts no more; resolves when what was fetched before is kept. */
  close(): Promise<void>;
}

export interface SignalRefreshOptions {
  readonly source: SignalSource;
  /** Keeps what was read. */
  readonly observe: (connectionId: string, readings: readonly ProviderReading[]) => Promise<void>;
  /** When the newest reading of a connection was received, wherever it came from: answers carry readings, too. */
  readonly newestAt: (connectionId: string) => EpochMs | undefined;
  readonly now: () => EpochMs;
  readonly logger?: Logger | undefined;
  /** Default: when readings are called stale. */
  readonly staleAfterMs?: number | undefined;
  /** Calls back after so many milliseconds, unless what it returns was called before. Default: a timer that keeps no process alive. */
  readonly after?: ((ms: number, then: () => void) => () => void) | undefined;
}

/** How many fetches are under way at once, over all connections. */
const MAX_AT_ONCE = 8;
const MAX_CONNECTIONS = 10_000;
const TIME_OUT_MS = 10_000;
/** Waits after failures: this, then twice as long each time, until the longest. */
const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 900_000;
/** A connection without an endpoint may get one when it is edited. */
const NO_ENDPOINT_MS = 600_000;

/** A provider is asked about a connection by one fetch at a time, and after a failure exponentially later. */
export function createSignalRefresh(options: SignalRefreshOptions): SignalRefresh {
  const {
    source,
    observe,
    newestAt,
    now,
    logger,
    staleAfterMs = STALE_AFTER_MS,
    after = afterTimer,
  } = options;
  // In the order of their last fetch, so that the first one is the least missed.
  const connections = new Map<string, Asked>();
  // Due, while as many as may be are being asked: first come, first served.
  const line = new Set<string>();
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  let asking = 0;

  function touch(connectionId: string): void {
    if (closing.signal.aborted) return;
    const at = now();
    let asked = connections.get(connectionId);
    if (asked !== undefined && (asked.asking || at < asked.dueAt)) return;
    const staleAt = (newestAt(connectionId) ?? -Infinity) + staleAfterMs;
    asked ??= remembered(connectionId);
    if (at < staleAt) asked.dueAt = staleAt;
    else if (asking < MAX_AT_ONCE) start(connectionId, asked);
    else line.add(connectionId);
  }

  function remembered(connectionId: string): Asked {
    const asked: Asked = { dueAt: -Infinity, failures: 0, asking: false };
    if (connections.size >= MAX_CONNECTIONS) {
      for (const [id, { asking: isAsking }] of connections) {
        if (isAsking) continue;
        connections.delete(id);
        line.delete(id);
        break;
      }
    }
    connections.set(connectionId, asked);
    return asked;
  }

  function start(connectionId: string, asked: Asked): void {
    asked.asking = true;
    asking += 1;
    connections.delete(connectionId);
    connections.set(connectionId, asked);
    const done = ask(connectionId, asked).finally(() => {
      underWay.delete(done);
      asked.asking = false;
      asking -= 1;
      next();
    });
    underWay.add(done);
  }

  function next(): void {
    // What a reading from elsewhere has made needless meanwhile is not asked any more.
    for (const connectionId of line) {
      if (asking >= MAX_AT_ONCE) return;
      line.delete(connectionId);
      touch(connectionId);
    }
  }

  async function ask(connectionId: string, asked: Asked): Promise<void> {
    try {
      const signals = await inTime(connectionId);
      if (signals === undefined) {
        asked.dueAt = now() + NO_ENDPOINT_MS;
        return;
      }
      if (signals.readings.length === 0) {
        fail({ connectionId, asked, waitMs: signals.retryAfterMs, cause: notesOf(signals.notes) });
        return;
      }
      await observe(connectionId, signals.readings);
      asked.failures = 0;
      asked.dueAt = now() + Math.max(staleAfterMs, bounded(signals.retryAfterMs));
    } catch (cause) {
      if (!closing.signal.aborted) fail({ connectionId, asked, cause });
    }
  }

  function fail(failure: {
    readonly connectionId: string;
    readonly asked: Asked;
    readonly waitMs?: number | undefined;
    readonly cause: unknown;
  }): void {
    const { connectionId, asked, waitMs, cause } = failure;
    const backOffMs = Math.min(FIRST_WAIT_MS * 2 ** asked.failures, LONGEST_WAIT_MS);
    asked.failures += 1;
    const againMs = Math.max(backOffMs, bounded(waitMs));
    asked.dueAt = now() + againMs;
    logger?.warn(
      { scope: "quota:signals", connectionId, err: cause, againMs },
      "A provider could not be asked how full its windows are; what is known of them grows old.",
    );
  }

  /** @throws {Error} also when the source does not heed its signal. */
  async function inTime(connectionId: string): ReturnType<SignalSource["fetch"]> {
    const patience = new AbortController();
    const giveUp = (reason: string): void => patience.abort(new Error(reason));
    const closed = (): void => giveUp("Nobody waits for it any longer.");
    const cancel = after(TIME_OUT_MS, () =>
      giveUp(`There was no answer within ${String(TIME_OUT_MS / 1000)} s.`),
    );
    closing.signal.addEventListener("abort", closed);
    try {
      return await new Promise((resolve, reject) => {
        patience.signal.addEventListener("abort", () => reject(patience.signal.reason as Error));
        source.fetch(connectionId, patience.signal).then(resolve, reject);
      });
    } finally {
      cancel();
      closing.signal.removeEventListener("abort", closed);
    }
  }

  return {
    touch,
    async close() {
      closing.abort();
      line.clear();
      await Promise.all(underWay);
    },
  };
}

interface Asked {
  /** Not asked again before. */
  dueAt: EpochMs;
  /** In a row. */
  failures: number;
  asking: boolean;
}

/** A provider that wants to be left alone longer than that is asked all the same: seldom enough. */
function bounded(waitMs = 0): number {
  return waitMs > 0 ? Math.min(waitMs, LONGEST_WAIT_MS) : 0;
}

function notesOf(notes: readonly string[]): Error {
  return new Error(notes.length === 0 ? "Its answer names no window." : notes.join(" "));
}

function afterTimer(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
