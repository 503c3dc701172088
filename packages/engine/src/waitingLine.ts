import type { EpochMs } from "@quota/core";
import type { QuotaRequest } from "./quotaEngine.js";
import type { RatedAdmission, RatedEngine, RatedRefusal } from "./ratedAdmission.js";

/** The requests of one key at one connection that wait their turn. Only the first is asked about. */
export interface WaitingLine {
  readonly length: number;
  /** The latest refusal of whoever is, or was, first. */
  readonly refusal: RatedRefusal;
  join(place: Place): Promise<RatedAdmission>;
  /** A request to this connection ended: the first is asked about now, if that can matter to it. */
  somethingEnded(): Promise<void>;
}

/** A request in the line, with what refused it and how long it waits. */
export interface Place {
  readonly request: QuotaRequest;
  readonly refusal: RatedRefusal;
  readonly deadline: EpochMs;
  readonly signal: AbortSignal | undefined;
}

/** How often a request is asked about that waits for others to end, since they may end in another process. */
const LOOK_AGAIN_MS = 1000;

export function createWaitingLine(tools: {
  readonly engine: Pick<RatedEngine, "admit" | "preview" | "release">;
  readonly clock: { now(): EpochMs };
  readonly clearsBy: (refusal: RatedRefusal, deadline: EpochMs) => boolean;
  /** Nobody waits any more. */
  readonly emptied: () => void;
}): WaitingLine {
  const { engine, clock, clearsBy } = tools;
  const line: Waiter[] = [];
  let refusal!: RatedRefusal;
  /** The first is being asked about. */
  let asking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function join(place: Place): Promise<RatedAdmission> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        ...place,
        resolve,
        reject,
        gone: false,
        abort: undefined,
        deadlineTimer: undefined,
      };
      const { signal } = place;
      if (signal !== undefined) {
        waiter.abort = () => giveUp(waiter);
        signal.addEventListener("abort", waiter.abort, { once: true });
      }
      line.push(waiter);
      if (line.length === 1) {
        refusal = place.refusal;
        waitAtHead(waiter);
      } else {
        waiter.deadlineTimer = setTimeout(
          () => void runOut(waiter),
          Math.max(1, place.deadline - clock.now()),
        );
        waiter.deadlineTimer.unref();
      }
    });
  }

  function waitAtHead(waiter: Waiter): void {
    const now = clock.now();
    const { retryAt } = waiter.refusal;
    const next = waitsForOthers(waiter.refusal)
      ? Math.min(now + LOOK_AGAIN_MS, waiter.deadline)
      : (retryAt ?? now);
    timer = setTimeout(() => void askHead(), Math.max(1, Math.ceil(next - now)));
    timer.unref();
  }

  /** Asks about whoever is first, until somebody has to wait. */
  function askHead(): Promise<void> {
    asking ??= askOn().finally(() => (asking = undefined));
    return asking;
  }

  async function askOn(): Promise<void> {
    clearTimeout(timer);
    for (let head = line[0]; head !== undefined; head = line[0]) {
      clearTimeout(head.deadlineTimer);
      let answer: RatedAdmission;
      try {
        answer = await engine.admit(head.request);
      } catch (error) {
        if (!head.gone) leave(head).reject(error);
        continue;
      }
      if (head.gone) {
        if (answer.lease) await engine.release(answer.lease);
        continue;
      }
      const { decision } = answer;
      if (decision.status === "refused") {
        refusal = decision;
        if (clock.now() < head.deadline && clearsBy(decision, head.deadline)) {
          head.refusal = decision;
          waitAtHead(head);
          return;
        }
      }
      leave(head).resolve(answer);
    }
  }

  /** Its time is up before its turn came: refused with its own numbers, as far as they refuse it. */
  async function runOut(waiter: Waiter): Promise<void> {
    leave(waiter);
    try {
      const decision = await engine.preview(waiter.request);
      waiter.resolve({ decision: decision.status === "refused" ? decision : refusal });
    } catch (error) {
      waiter.reject(error);
    }
  }

  function giveUp(waiter: Waiter): void {
    const wasFirst = line[0] === waiter;
    leave(waiter).reject(waiter.signal?.reason);
    if (wasFirst) void askHead();
  }

  function leave(waiter: Waiter): Waiter {
    waiter.gone = true;
    line.splice(line.indexOf(waiter), 1);
    clearTimeout(waiter.deadlineTimer);
    if (waiter.abort) waiter.signal?.removeEventListener("abort", waiter.abort);
    if (line.length === 0) {
      clearTimeout(timer);
      tools.emptied();
    }
    return waiter;
  }

  return {
    get length() {
      return line.length;
    },
    get refusal() {
      return refusal;
    },
    join,
    async somethingEnded() {
      // What is being asked now may have looked before the request ended.
      await asking;
      const head = line[0];
      if (head !== undefined && waitsForOthers(head.refusal)) await askHead();
    },
  };
}

interface Waiter extends Place {
  refusal: RatedRefusal;
  readonly resolve: (admission: RatedAdmission) => void;
  readonly reject: (reason: unknown) => void;
  /** It has its answer, or does not want one any more. */
  gone: boolean;
  abort: (() => void) | undefined;
  deadlineTimer: NodeJS.Timeout | undefined;
}

function waitsForOthers({ reason }: RatedRefusal): boolean {
  return reason === "in-flight" || reason === "contended";
}
