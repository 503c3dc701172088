import { readProviderSignals } from "@quota/core";
import type { QuotaEngine } from "@quota/engine";
import type { Logger } from "pino";
import type { Connection } from "../connections.js";
import type { UpstreamAnswer } from "../forward.js";
import type { LoginWatch } from "./createLoginWatch.js";
import { tellsLimit } from "./tellsLimit.js";

/**
 * Lets the engine know what every answer of an upstream says of the account behind it, errors too. Nobody waits for it, and nothing of it
 * reaches the client, whatever the provider writes.
 */
export function feedSignals({
  engine,
  logins,
  now,
  log,
}: {
  readonly engine: Pick<QuotaEngine, "observe">;
  readonly logins: Pick<LoginWatch, "answered">;
  readonly now: () => number;
  readonly log: Logger;
}): (answer: UpstreamAnswer, connection: Connection) => void {
  return ({ status, headers, body }, { id, provider }) => {
    const failed = (error: unknown): void =>
      log.warn({ connection: id, error }, "what the provider says of its windows could not be kept");
    try {
      const signals = readProviderSignals({ provider, status, headers, body, receivedAt: now() });
      const { readings, notes } = signals;
      logins.answered(id, tellsLimit(status, signals) ? 429 : status);
      if (notes.length > 0) log.debug({ connection: id, notes }, "the provider says what is not understood");
      if (readings.length > 0) engine.observe(id, readings).catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}
