import type { ProviderSignals } from "@quota/core";

/** Asks a provider how full its windows are, where it has an endpoint for that. */
export interface SignalSource {
  /**
   * What the provider says of a connection's windows now. `undefined`: this connection has no such endpoint. Signals without a
   * reading count as a failure; their `retryAfterMs` is kept to.
   *
   * Nobody waits for it but the next fetch.
   *
   * @param signal aborts when the answer is not waited for any longer.
   * @throws {Error} when the provider did not answer. The message is logged: no secret belongs in it.
   */
  fetch(connectionId: string, signal: AbortSignal): Promise<ProviderSignals | undefined>;
}
