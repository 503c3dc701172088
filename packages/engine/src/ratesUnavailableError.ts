/**
 * Rate admission could not be answered: the store failed, did not answer in time, or knows a newer plan that could not be loaded.
 * Nobody passes then; the edge answers 503. What went wrong below is its `cause`.
 */
export class RatesUnavailableError extends Error {
  /** Whether something may have been charged all the same. */
  readonly applied: "no" | "unknown";

  constructor(message: string, options: { readonly applied: "no" | "unknown"; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = "RatesUnavailableError";
    this.applied = options.applied;
  }
}
