import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "../api/createQueries.js";
import { request } from "../api/request.js";

export const TRAFFIC_KEY = ["traffic"] as const;

/** What `GET /api/demo/traffic` says: the simulated clients, and the pools that they may ask. */
export interface Traffic {
  readonly clients: readonly TrafficClient[];
  /** `name` is the pool's. */
  readonly connections: readonly { readonly id: string; readonly name: string }[];
}

export interface TrafficClient {
  readonly apiKeyId: string;
  readonly connectionId: string;
  readonly perSecond: number;
  readonly running: boolean;
  readonly sent: number;
  readonly passed: number;
  readonly refused: number;
  readonly failed: number;
  /** The gateway's code for the last refusal. */
  readonly lastRefusal?: string;
}

/** Read anew every second while a client runs. */
export function useTraffic(): UseQueryResult<Traffic> {
  return useQuery({
    queryKey: TRAFFIC_KEY,
    queryFn: ({ signal }) => request<Traffic>("/api/demo/traffic", { signal }),
    refetchInterval: ({ state }) => (isAnyRunning(state.data) ? 1_000 : EVERY_MS.usage),
  });
}

function isAnyRunning(traffic: Traffic | undefined): boolean {
  return traffic?.clients.some(({ running }) => running) === true;
}
