/** Why the store stays what it is. */
export class StoreChangeRefused extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "StoreChangeRefused";
  }
}
