import { lendingSpec, type Lending } from "@quota/core";
import type { LendingPreviewJson } from "@quota/http";
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "../api/createQueries.js";
import { poolPath } from "../api/poolPath.js";
import { request } from "../api/request.js";

/** What every key could use now under another rule. What was known of the rule before it stays until the answer is there. */
export function useLendingPreview(
  poolId: string,
  lending: Lending | undefined,
): UseQueryResult<LendingPreviewJson> {
  const spec = lending && lendingSpec(lending);
  return useQuery({
    queryKey: ["lendingPreview", poolId, JSON.stringify(spec)],
    queryFn: ({ signal }) =>
      request<LendingPreviewJson>(`${poolPath(poolId)}/lending/preview`, {
        method: "POST",
        body: { lending: spec },
        signal,
      }),
    enabled: lending !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS.usage,
  });
}
