import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "../api/createQueries.js";
import { request } from "../api/request.js";

/** An item of the queue that was set aside, as `GET /api/spend/dead-letters` shows it. */
export interface DeadLetterJson {
  readonly id: string;
  readonly raw: string;
  readonly why: string;
  readonly requestId?: string;
  readonly keptAt: string;
  readonly state: "open" | "retried" | "kept-aside";
}

export function useDeadLetters(): UseQueryResult<readonly DeadLetterJson[]> {
  return useQuery({
    queryKey: ["spend", "dead-letters"],
    queryFn: ({ signal }) => request<readonly DeadLetterJson[]>("/api/spend/dead-letters", { signal }),
    refetchInterval: EVERY_MS.pools,
  });
}
