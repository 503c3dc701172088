import type { PoolJson, ShadowJson } from "@quota/http";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "../api/createQueries.js";
import { poolPath } from "../api/poolPath.js";
import { request } from "../api/request.js";

/** How often a pool's rule and its shadow rule agreed, while it is looked at. */
export function usePoolShadow(
  { id, shadow }: Pick<PoolJson, "id" | "shadow">,
  { isSeen }: { readonly isSeen: boolean },
): UseQueryResult<ShadowJson> {
  return useQuery({
    queryKey: ["pools", id, "shadow"],
    queryFn: ({ signal }) => request<ShadowJson>(`${poolPath(id)}/shadow`, { signal }),
    enabled: isSeen && shadow !== undefined,
    refetchInterval: EVERY_MS.usage,
  });
}
