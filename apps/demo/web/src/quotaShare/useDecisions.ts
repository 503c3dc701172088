import type { DecisionJson, RateRefusalJson } from "@quota/http";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "../api/createQueries.js";
import { request } from "../api/request.js";

/** A refusal, or a request that nobody could judge, as `GET /api/decisions` shows it. */
export interface LoggedDecision {
  readonly id: string;
  readonly at: number;
  readonly apiKeyId: string;
  readonly connectionId: string;
  /** A pool’s, or that of a limit per minute. */
  readonly decision: DecisionJson | RateRefusalJson;
}

/** The newest 200 of a connection, or of one key there. */
export function useDecisions(
  connectionId: string,
  apiKeyId: string | undefined,
): UseQueryResult<readonly LoggedDecision[]> {
  const asked = new URLSearchParams({ connectionId, ...(apiKeyId !== undefined && { apiKeyId }) });
  return useQuery({
    queryKey: ["decisions", connectionId, apiKeyId],
    queryFn: ({ signal }) =>
      request<readonly LoggedDecision[]>(`/api/decisions?${asked.toString()}`, { signal }),
    refetchInterval: EVERY_MS.usage,
  });
}
