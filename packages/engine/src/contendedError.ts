/**
 * So many neighbours changed the same counters at once that no verdict held. Contention is not an outage: the engine
 * refuses the request as `contended` (ask again in a second) and never lets it meet the policy for a failed store.
 */
export class ContendedError extends Error {
  constructor(message = "The same counters were changed by others, again and again; nothing was written.") {
    super(message);
    this.name = "ContendedError";
  }
}
