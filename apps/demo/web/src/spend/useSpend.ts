import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "../api/createQueries.js";
import { request } from "../api/request.js";
import type { SpendGrouping, SpendJson } from "./spendJson.js";
import { spendRange } from "./spendRange.js";

/** What was spent in the last so many UTC days, today among them. */
export function useSpend(groupBy: SpendGrouping, days: number): UseQueryResult<SpendJson> {
  return useQuery({
    queryKey: ["spend", groupBy, days],
    queryFn: ({ signal }) => {
      const { from, to } = spendRange(days, Date.now());
      return request<SpendJson>(`/api/spend?${new URLSearchParams({ groupBy, from, to }).toString()}`, {
        signal,
      });
    },
    refetchInterval: EVERY_MS.usage * 2,
    // Of another range, until this one is there; never of another grouping.
    placeholderData: (before) => (before?.groupBy === groupBy ? before : undefined),
  });
}
