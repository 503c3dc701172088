import { setMaxListeners } from "node:events";
import type { Logger } from "pino";
import { Agent, request as send } from "undici";
import type { Outcome } from "./createClient.js";
import type { DrivenAccount } from "./drivenAccount.js";

/** The gateway as its clients see it. */
export interface FrontDoor {
  /** Sends one request and reads the answer to its end. What goes wrong is an outcome, too. */
  ask(asked: {
    readonly account: DrivenAccount;
    readonly secret: string;
    readonly stream: boolean;
    readonly signal: AbortSignal;
  }): Promise<Outcome>;
  /** Asks for the list of models, which costs nothing and is never refused by a pool: its answer carries what the provider tells, too. */
  listModels(asked: { readonly connectionId: string; readonly secret: string }): Promise<void>;
  /** Gives up whatever is under way. */
  close(): Promise<void>;
}

/** The provider takes a second for it. */
const SLOW = { "x-simulate-chunks": "10", "x-simulate-chunk-delay-ms": "100" };

/** @param tools.gatewayUrl asked when there is something to send, since the gateway must listen first. */
export function createFrontDoor({
  gatewayUrl,
  log,
}: {
  readonly gatewayUrl: () => string;
  readonly log: Logger;
}): FrontDoor {
  const agent = new Agent({ connections: 64 });

  return {
    async ask({ account, secret, stream, signal }) {
      // A client's requests are all given up together, and each of them listens for it.
      setMaxListeners(0, signal);
      try {
        const { statusCode, headers, body } = await send(gatewayUrl() + account.path, {
          method: "POST",
          headers: {
            authorization: `Bearer ${secret}`,
            "content-type": "application/json",
            "x-quota-connection": account.connectionId,
            ...(stream && SLOW),
          },
          body: JSON.stringify(account.body(stream)),
          dispatcher: agent,
          signal,
        });
        await body.text();
        if (statusCode === 200) return { kind: "passed" };
        if (statusCode === 429) return { kind: "refused", reason: headers["x-quota-reason"]?.toString() };
        log.debug({ status: statusCode }, "a simulated client got no answer");
      } catch (error) {
        if (!signal.aborted) log.debug({ error }, "a simulated client got no answer");
      }
      return { kind: "failed" };
    },
    async listModels({ connectionId, secret }) {
      const { body } = await send(`${gatewayUrl()}/v1/models`, {
        headers: { authorization: `Bearer ${secret}`, "x-quota-connection": connectionId },
        dispatcher: agent,
      });
      await body.text();
    },
    close: () => agent.destroy(),
  };
}
