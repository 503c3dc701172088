import type { PlanJson } from "@quota/http";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "../api/createQueries.js";
import { request } from "../api/request.js";

export const PLANS_KEY = ["plans"] as const;

/** A plan as the gateway shows it. */
export interface SeenPlan extends PlanJson {
  /** Of what it says: a change that is based on it is refused (412) once the plan says something else. */
  readonly etag: string;
}

/** The resolved plan of every connection. */
export function usePlans(): UseQueryResult<readonly SeenPlan[]> {
  return useQuery({
    queryKey: PLANS_KEY,
    queryFn: ({ signal }) => request<readonly SeenPlan[]>("/api/quota/plans", { signal }),
    refetchInterval: EVERY_MS.pools,
  });
}
