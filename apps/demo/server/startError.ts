/** Why the gateway does not start, in one sentence a newcomer can act on. */
export class StartError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "StartError";
  }
}
