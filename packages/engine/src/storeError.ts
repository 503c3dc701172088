/**
 * The store could not do what was asked of it. Meets one policy, in the engine: quota sharing fails open unless told otherwise.
 * The driver's own error is its `cause`.
 */
export class StoreError extends Error {
  /** Whether the step may have been applied all the same: a reply lost after a commit must not be answered by asking again. */
  readonly applied: "no" | "unknown";

  constructor(message: string, options: { readonly applied: "no" | "unknown"; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = "StoreError";
    this.applied = options.applied;
  }
}
