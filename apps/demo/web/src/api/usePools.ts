import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { PoolJson } from "@quota/http";
import { EVERY_MS } from "./createQueries.js";
import { request } from "./request.js";

export const POOLS_KEY = ["pools"] as const;

/** All pools, as `GET /api/quota/pools` shows them. */
export function usePools(): UseQueryResult<readonly PoolJson[]> {
  return useQuery({
    queryKey: POOLS_KEY,
    queryFn: ({ signal }) => request<readonly PoolJson[]>("/api/quota/pools", { signal }),
    refetchInterval: EVERY_MS.pools,
  });
}
