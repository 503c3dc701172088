/** The ledger knows of a newer version of the pool than whoever asks: that one must be loaded first. */
export class StalePoolError extends Error {
  constructor() {
    super("The pool has been changed since it was read.");
    this.name = "StalePoolError";
  }
}
