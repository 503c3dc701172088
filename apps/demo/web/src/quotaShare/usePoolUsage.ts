import type { UsageJson } from "@quota/http";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "../api/createQueries.js";
import { poolPath } from "../api/poolPath.js";
import { request } from "../api/request.js";

/** What the keys of a pool use, read anew every five seconds while it is looked at. */
export function usePoolUsage(
  poolId: string,
  { isSeen }: { readonly isSeen: boolean },
): UseQueryResult<UsageJson> {
  return useQuery({
    queryKey: ["pools", poolId, "usage"],
    queryFn: ({ signal }) => request<UsageJson>(`${poolPath(poolId)}/usage`, { signal }),
    enabled: isSeen,
    refetchInterval: EVERY_MS.usage,
  });
}
