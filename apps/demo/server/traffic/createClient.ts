/** What became of one request. `reason` is the gateway's code for a refusal. */
export type Outcome =
  | { readonly kind: "passed" }
  | { readonly kind: "refused"; readonly reason: string | undefined }
  | { readonly kind: "failed" };

/** What a client has met since the gateway started. */
export interface ClientCounts {
  /** Passed, refused, failed, under way, or given up when the client was stopped. */
  readonly sent: number;
  readonly passed: number;
  /** 429: by the pool, by a limit per minute, or by the provider. */
  readonly refused: number;
  /** Everything else that is no answer. */
  readonly failed: number;
  /** It was time for another one, and twenty were under way already. */
  readonly skipped: number;
  /** Why the last one that was refused was: `quota_fair_share`. */
  readonly lastRefusal?: string | undefined;
}

/** One simulated client: so many requests a second, whatever becomes of them. */
export interface Client {
  isRunning(): boolean;
  counts(): ClientCounts;
  /** From now on so many a second. What is under way goes on. */
  start(perSecond: number): void;
  /** Sends no more, and gives up what is under way. */
  stop(): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** A client that waits for this many answers sends nothing new: it would pile up where requests wait. */
const MOST_IN_FLIGHT = 20;

/**
 * @param tools.toAsk whom to ask; undefined where there is nobody any more: then the client stops.
 * @param tools.ask asks once, the first time with 1.
 */
export function createClient<Asked extends object>({
  toAsk,
  ask,
}: {
  readonly toAsk: () => Asked | undefined;
  readonly ask: (asked: Asked, serial: number, signal: AbortSignal) => Promise<Outcome>;
}): Client {
  const counts = { sent: 0, passed: 0, refused: 0, failed: 0, skipped: 0 };
  const underWay = new Set<Promise<void>>();
  let lastRefusal: string | undefined;
  let running: { readonly timer: NodeJS.Timeout; readonly giveUp: AbortController } | undefined;

  function stop(): void {
    if (running === undefined) return;
    clearInterval(running.timer);
    running.giveUp.abort();
    running = undefined;
  }

  function next({ signal }: AbortController): void {
    if (underWay.size >= MOST_IN_FLIGHT) {
      counts.skipped += 1;
      return;
    }
    const asked = toAsk();
    if (asked === undefined) return stop();
    counts.sent += 1;
    const counted = ask(asked, counts.sent, signal).then((outcome) => {
      if (signal.aborted) return;
      // An answer may be the first that tells: a key that was disabled while its request was on the way is met with a 401.
      if (toAsk() === undefined) return stop();
      counts[outcome.kind] += 1;
      if (outcome.kind === "refused") lastRefusal = outcome.reason;
    });
    underWay.add(counted);
    void counted.then(() => underWay.delete(counted));
  }

  /** Keeps the pace where the machine does not: what it was late with is sent together, and more than a second of it never. */
  function pace(perSecond: number, giveUp: AbortController): () => void {
    const began = performance.now();
    let offered = 0;
    return () => {
      const due = 1 + Math.floor(((performance.now() - began) / 1000) * perSecond);
      for (offered = Math.max(offered, due - Math.ceil(perSecond)); offered < due; offered += 1)
        if (!giveUp.signal.aborted) next(giveUp);
    };
  }

  return {
    isRunning: () => running !== undefined,
    counts: () => ({ ...counts, ...(lastRefusal !== undefined && { lastRefusal }) }),
    start(perSecond) {
      const giveUp = running?.giveUp ?? new AbortController();
      clearInterval(running?.timer);
      const offer = pace(perSecond, giveUp);
      running = { timer: setInterval(offer, 1000 / perSecond).unref(), giveUp };
      offer();
    },
    stop,
    async idle() {
      await Promise.all(underWay);
    },
  };
}
