import { readProviderSignals, type ProviderSignals } from "@quota/core";
import type { SignalSource } from "@quota/engine";
import type { Logger } from "pino";
import { request as send, type Dispatcher } from "undici";
import { SIMULATOR, type Connections } from "../connections.js";
import { jsonWithin } from "../jsonWithin.js";
import { addressBehind } from "../simulated.js";
import { authHeaders, refusesSecret, type UpstreamAuth, type UpstreamSecrets } from "../upstreamAuth.js";
import { usageEndpointOf, type UsageEndpoint } from "./usageEndpointOf.js";

/** Asks providers' usage endpoints, with the credentials of the connections themselves. */
export function createUsageEndpoints({
  connections,
  secrets,
  simulatorUrl,
  dispatcher,
  now,
  log,
}: {
  readonly connections: Pick<Connections, "get" | "authOf">;
  readonly secrets: UpstreamSecrets;
  /** Where this process's simulator listens, if it runs one. */
  readonly simulatorUrl: string | undefined;
  readonly dispatcher: Dispatcher;
  readonly now: () => number;
  readonly log: Logger;
}): SignalSource {
  return {
    async fetch(connectionId, signal) {
      const connection = connections.get(connectionId);
      // The simulator has usage endpoints where it is one of the providers, and nowhere else.
      if (connection === undefined || connection.baseUrl === SIMULATOR) return undefined;
      const { provider } = connection;
      const baseUrl = addressBehind(connection.baseUrl, simulatorUrl);
      const auth = connections.authOf(connectionId);
      const endpoint = baseUrl === undefined ? undefined : usageEndpointOf({ provider, baseUrl, auth });
      if (endpoint === undefined) return undefined;
      const secret = await secrets.secretOf(connectionId, auth);
      const { statusCode, headers, body } = await send(endpoint.url, {
        method: endpoint.method,
        headers: headersFor({ endpoint, auth, provider, secret }),
        body: endpoint.body ?? null,
        dispatcher,
        signal,
      });
      if (statusCode !== 200) {
        // Nobody reads it, so nobody else would hear of its abortion. A redirect is not followed: no credential goes elsewhere.
        body.on("error", () => undefined).destroy();
        if (NOT_THERE.has(statusCode)) {
          log.debug(
            { connection: connectionId, status: statusCode },
            "the provider has no usage endpoint here",
          );
          return undefined;
        }
        if (refusesSecret(statusCode)) secrets.forget(connectionId);
        // What its windows are is not told by the endpoint's own refusals, but when to come again is.
        const { retryAfterMs } = readProviderSignals({
          provider,
          status: statusCode,
          headers,
          receivedAt: now(),
        });
        return {
          readings: [],
          notes: [`The usage endpoint answered ${statusCode}.`],
          ...(retryAfterMs !== undefined && { retryAfterMs }),
        };
      }
      const answer = await jsonWithin(body, LONGEST_ANSWER_BYTES);
      signal.throwIfAborted();
      return paused(
        readProviderSignals({ provider, status: statusCode, headers, body: answer, receivedAt: now() }),
        endpoint,
      );
    },
  };
}

const LONGEST_ANSWER_BYTES = 262_144;

const NOT_THERE: ReadonlySet<number> = new Set([404, 405, 410, 501]);

function headersFor({
  endpoint,
  auth,
  provider,
  secret,
}: {
  readonly endpoint: UsageEndpoint;
  readonly auth: UpstreamAuth;
  readonly provider: string;
  readonly secret: string | undefined;
}): Map<string, string> {
  const headers = new Map([
    ["accept", "application/json"],
    ["accept-encoding", "identity"],
    ["user-agent", "quota-gateway"],
    ...Object.entries(endpoint.headers ?? {}),
    ...authHeaders({ auth, provider, secret }),
  ]);
  const proof = headers.get("authorization");
  if (endpoint.bareSecret === true && proof !== undefined)
    headers.set("authorization", proof.replace(/^Bearer /u, ""));
  return headers;
}

function paused(signals: ProviderSignals, { pauseMs }: UsageEndpoint): ProviderSignals {
  if (pauseMs === undefined) return signals;
  return { ...signals, retryAfterMs: Math.max(pauseMs, signals.retryAfterMs ?? 0) };
}
