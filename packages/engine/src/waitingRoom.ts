import type { EpochMs } from "@quota/core";
import type { Lease } from "./lease.js";
import { LONGEST_TIMER_MS } from "./longestTimer.js";
import type { Admission, QuotaEngine, QuotaRequest } from "./quotaEngine.js";
import type { RatedAdmission, RatedEngine, RatedRefusal } from "./ratedAdmission.js";
import { createWaitingLine, type WaitingLine } from "./waitingLine.js";

/** Holds requests whose refusal clears soon, instead of refusing them: an agent loses a turn over a 429 of 12 seconds. */
export interface WaitingRoom<Answer extends RatedAdmission = Admission> {
  /**
   * {@link QuotaEngine.admit}, with patience: a refusal that clears within `waitUpTo` milliseconds waits its turn. Turns are kept per
   * connection and key, first come, first served: a newcomer stands behind whoever waits already. A refusal that does
   * not clear in time, and one past `maxPerKey` waiting requests, is answered at once.
   *
   * Without patience (`waitUpTo` 0 or left out) it is one plain admission.
   *
   * @throws the signal's reason when it is aborted. No hold is left then.
   */
  admit(
    request: QuotaRequest,
    patience?: { readonly waitUpTo?: number | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<Answer>;
  /** {@link QuotaEngine.settle}; whoever waits for requests in flight is then asked again. */
  settle: QuotaEngine["settle"];
  /** {@link QuotaEngine.release}; whoever waits for requests in flight is then asked again. */
  release: QuotaEngine["release"];
  /** How many requests wait. */
  readonly waiting: number;
}

export interface WaitingRoomOptions<
  Engine extends RatedEngine = Pick<QuotaEngine, "admit" | "preview" | "settle" | "release">,
> {
  readonly engine: Engine;
  /** The engine's clock. Default: the system's. */
  readonly clock?: { now(): EpochMs } | undefined;
  /** How many requests of one key may wait at a connection; default 20. */
  readonly maxPerKey?: number | undefined;
}

/**
 * Makes a waiting room in front of an engine. Settle and release through it, so that it sees requests end; those that end
 * elsewhere (another process, the bare engine) are noticed within a second.
 *
 * @example
 * const room = createWaitingRoom({ engine });
 * const { decision, lease } = await room.admit({ apiKeyId, connectionId, provider }, { waitUpTo: 10_000, signal });
 * if (lease) await room.release(lease);
 */
export function createWaitingRoom(options: WaitingRoomOptions): WaitingRoom;
export function createWaitingRoom(options: WaitingRoomOptions<RatedEngine>): WaitingRoom<RatedAdmission>;
export function createWaitingRoom({
  engine,
  clock = { now: () => Date.now() },
  maxPerKey = 20,
}: WaitingRoomOptions<RatedEngine>): WaitingRoom<RatedAdmission> {
  const byConnection = new Map<string, ConnectionLines>();

  function linesAt(connectionId: string): ConnectionLines {
    let lines = byConnection.get(connectionId);
    if (lines === undefined) {
      lines = { ofKey: new Map(), asking: false, again: false };
      byConnection.set(connectionId, lines);
    }
    return lines;
  }

  async function admit(request: QuotaRequest, patience: Parameters<WaitingRoom["admit"]>[1] = {}) {
    const { waitUpTo = 0, signal } = patience;
    if (!(waitUpTo > 0)) return engine.admit(request);
    signal?.throwIfAborted();
    const deadline = clock.now() + Math.min(waitUpTo, LONGEST_TIMER_MS);
    const line = byConnection.get(request.connectionId)?.ofKey.get(request.apiKeyId);
    const first = line === undefined ? await engine.admit(request) : await lookAhead(request, line.refusal);
    if (signal?.aborted) {
      if (first.lease) await release(first.lease);
      signal.throwIfAborted();
    }
    if (first.decision.status !== "refused" || !clearsBy(first.decision, deadline)) return first;
    return joinLine({ request, refusal: first.decision, deadline, signal });
  }

  /** Behind others nobody is admitted, but whoever waits in vain need not wait. */
  async function lookAhead(
    request: QuotaRequest,
    refusalOfLine: RatedRefusal,
  ): Promise<{ readonly decision: RatedRefusal; readonly lease?: undefined }> {
    const decision = await engine.preview(request);
    return { decision: decision.status === "refused" ? decision : refusalOfLine };
  }

  function joinLine(place: {
    readonly request: QuotaRequest;
    readonly refusal: RatedRefusal;
    readonly deadline: EpochMs;
    readonly signal: AbortSignal | undefined;
  }): Promise<RatedAdmission> | RatedAdmission {
    const { request, refusal } = place;
    const lines = linesAt(request.connectionId);
    let line = lines.ofKey.get(request.apiKeyId);
    if (line === undefined) {
      line = createWaitingLine({
        engine: { admit: (asked) => engine.admit(asked), preview: (asked) => engine.preview(asked), release },
        clock,
        clearsBy,
        emptied: () => leave(request),
      });
      lines.ofKey.set(request.apiKeyId, line);
    }
    return line.length >= maxPerKey ? { decision: refusal } : line.join(place);
  }

  function leave({ connectionId, apiKeyId }: QuotaRequest): void {
    const lines = byConnection.get(connectionId);
    lines?.ofKey.delete(apiKeyId);
    if (lines?.ofKey.size === 0) byConnection.delete(connectionId);
  }

  /** Asks the first of every line again, one line after the other; what ends meanwhile makes one more round, not one each. */
  async function closed({ connectionId }: Lease): Promise<void> {
    const lines = byConnection.get(connectionId);
    if (lines === undefined) return;
    lines.again = true;
    if (lines.asking) return;
    lines.asking = true;
    while (lines.again) {
      lines.again = false;
      for (const line of [...lines.ofKey.values()]) await line.somethingEnded();
    }
    lines.asking = false;
  }

  async function release(lease: Lease): Promise<void> {
    await engine.release(lease);
    void closed(lease);
  }

  return {
    admit,
    release,
    async settle(lease, actual) {
      await engine.settle(lease, actual);
      void closed(lease);
    },
    get waiting() {
      let sum = 0;
      for (const { ofKey } of byConnection.values()) for (const { length } of ofKey.values()) sum += length;
      return sum;
    },
  };
}

interface ConnectionLines {
  readonly ofKey: Map<string, WaitingLine>;
  /** A round is under way. */
  asking: boolean;
  /** Something ended since the round began. */
  again: boolean;
}

function clearsBy(refusal: RatedRefusal, deadline: EpochMs): boolean {
  if (refusal.reason === "in-flight" || refusal.reason === "contended") return true;
  return refusal.retryAt !== undefined && refusal.retryAt <= deadline;
}
