import type { PlanJson } from "@quota/http";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "../api/createQueries.js";
import { request } from "../api/request.js";

export const PLANS_KEY = ["plans"] as const;

/** The resolved plan of every connection. */
export function usePlans(): UseQueryResult<readonly PlanJson[]> {
  return useQuery({
    queryKey: PLANS_KEY,
    queryFn: ({ signal }) => request<readonly PlanJson[]>("/api/quota/plans", { signal }),
    refetchInterval: EVERY_MS.pools,
  });
}
