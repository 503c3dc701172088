/**
 * A right to one request, and the hold that goes with it. A value of the process that admitted: give it back to the same engine's
 * `settle` or `release`, once (more often changes nothing).
 */
export interface Lease {
  readonly apiKeyId: string;
  readonly connectionId: string;
  /** The pool that judged; undefined where none did. */
  readonly poolId: string | undefined;
  /** `"open"` until it is settled or released. */
  readonly state: "open" | "settled" | "released";
}
