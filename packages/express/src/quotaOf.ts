import type { Amounts, Decision } from "@quota/core";
import type { Lease } from "@quota/engine";
import { EventEmitter } from "node:events";

/** What a handler knows of, and may say about, the request that the middleware let in. */
export interface QuotaHandle {
  readonly decision: Decision;
  readonly lease: Lease;
  /**
   * Bytes of the upstream's answer, not compressed, as they come. The first call ends the middleware's own look at what passes
   * through the response: a gateway that changes what it passes on feeds the meter itself.
   */
  observe(chunk: Uint8Array): void;
  /** The upstream has begun to answer: from here on a client that leaves pays for what was produced. */
  upstream(statusCode: number): void;
  /** The upstream broke off, timed out or sent nonsense: nothing is charged, unless its usage is known. */
  failed(): void;
  /**
   * All that says what the request took was observed: it is charged now, and `onCharged` told, before the bytes that complete the answer leave. What happens
   * to the response from here on changes nothing of it. A promise where that takes a while; it never rejects. Only the first call counts.
   */
  conclude(): void | Promise<void>;
  /** Whether what was observed is an answer from its beginning to its end. */
  isWhole(): boolean;
  /**
   * What the request really took, in units; it counts more than what a meter saw. A unit left out costs what was estimated.
   *
   * @throws {InvalidAmountError} for an amount that cannot be counted; nothing is kept of it.
   */
  report(amounts: Amounts): void;
}

/** The handle of a request that {@link quota} let in; undefined where it did not look at it (`OPTIONS`, not mounted here). */
export function quotaOf(response: object): QuotaHandle | undefined {
  let handle: QuotaHandle | undefined;
  if (response instanceof EventEmitter)
    response.emit(ASKED, (last: QuotaHandle) => {
      handle = last;
    });
  return handle;
}

/** Ties a handle, made when it is asked for, to a response: most handlers never ask. Of several, the one that was tied last is found. */
export function tieHandle(response: EventEmitter, handle: () => QuotaHandle): void {
  response.on(ASKED, (answer: (handle: QuotaHandle) => void) => answer(handle()));
}

/** A listener, for what a member or a WeakMap would cost: see {@link tapResponse}. */
const ASKED = Symbol("quota.handle");
