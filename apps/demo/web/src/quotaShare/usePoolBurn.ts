import type { BurnJson } from "@quota/http";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "../api/createQueries.js";
import { poolPath } from "../api/poolPath.js";
import { request } from "../api/request.js";

/** How fast a pool is used, and how fast it was, while its chart is looked at. */
export function usePoolBurn(poolId: string): UseQueryResult<BurnJson> {
  return useQuery({
    queryKey: ["pools", poolId, "burn"],
    queryFn: ({ signal }) => request<BurnJson>(`${poolPath(poolId)}/burn`, { signal }),
    refetchInterval: EVERY_MS.usage * 2,
  });
}
