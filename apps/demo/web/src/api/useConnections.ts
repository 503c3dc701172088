import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "./createQueries.js";
import { request } from "./request.js";

/** A provider account as `GET /api/connections` shows it; how it proves itself is never shown. */
export interface Connection {
  readonly id: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly models?: readonly string[];
  readonly dialects: readonly string[];
  readonly version: number;
  readonly createdAt: string;
  /** What is known of it by now; not in the answers to changes. */
  readonly live?: ConnectionLive;
}

/** What all gateways together have seen of a connection of late. */
export interface ConnectionLive {
  /** While it has failed too often; absent: it has not. */
  readonly cooldownUntil?: string;
  /** Until the head of an answer, on the average of the newest; absent: there was none in the last hour. */
  readonly latencyMs?: number;
  /** In this UTC minute. */
  readonly tokensThisMinute: number;
}

const CONNECTIONS_KEY = ["connections"] as const;

/** Asked anew as often as its reader says; what does not look at `live` need not ask often. */
export function useConnections(everyMs: number = EVERY_MS.pools): UseQueryResult<readonly Connection[]> {
  return useQuery({
    queryKey: CONNECTIONS_KEY,
    queryFn: ({ signal }) => request<readonly Connection[]>("/api/connections", { signal }),
    refetchInterval: everyMs,
  });
}
