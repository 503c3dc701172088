import type { Amounts, Decision } from "@quota/core";
import type { Lease } from "@quota/engine";

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
   * What the request really took, in units; it counts more than what a meter saw. A unit left out costs what was estimated.
   *
   * @throws {InvalidAmountError} for an amount that cannot be counted; nothing is kept of it.
   */
  report(amounts: Amounts): void;
}

/** The handle of a request that {@link quota} let in; undefined where it did not look at it (`OPTIONS`, not mounted here). */
export function quotaOf(response: object): QuotaHandle | undefined {
  return HANDLES.get(response)?.();
}

/** Ties a handle, made when it is asked for, to a response: most handlers never ask. Of several, the one that was tied last is found. */
export function tieHandle(response: object, handle: () => QuotaHandle): void {
  HANDLES.set(response, handle);
}

/** Not a member of the response: see {@link tapResponse} for what that would cost. */
const HANDLES = new WeakMap<object, () => QuotaHandle>();
