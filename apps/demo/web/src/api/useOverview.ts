import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "./createQueries.js";
import { request } from "./request.js";

/** What `GET /api/overview` says of all pools together. */
export interface Overview {
  readonly generatedAt: number;
  readonly pools: number;
  readonly keys: number;
  readonly keysBorrowing: number;
  readonly fullest?: {
    readonly poolId: string;
    readonly poolName: string;
    readonly unit: string;
    readonly window: string;
    readonly globalUsedPercent: number;
  };
  readonly refusalsLastHour: number;
  readonly store: {
    readonly driver: string;
    readonly serving: string;
    readonly state: "ok" | "degraded" | "failing";
    readonly reason?: string;
  };
  /** The connections whose providers do not take their credentials; why, in a sentence. */
  readonly logins: readonly { readonly connectionId: string; readonly reason: string }[];
  /** Whether there are simulated clients to start. */
  readonly traffic: boolean;
}

export function useOverview(): UseQueryResult<Overview> {
  return useQuery({
    queryKey: ["overview"],
    queryFn: ({ signal }) => request<Overview>("/api/overview", { signal }),
    // It is made of the use of every pool there is.
    refetchInterval: ({ state }) => ((state.data?.pools ?? 0) > 10 ? EVERY_MS.pools : EVERY_MS.usage * 2),
  });
}
