import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { BudgetJson } from "./budgetJson.js";
import { EVERY_MS } from "./createQueries.js";
import { request } from "./request.js";

/** Several keys under one limit, as `GET /api/teams` shows them. */
export interface Team {
  readonly id: string;
  readonly name: string;
  /** The organisation it belongs to, with every key in it. */
  readonly orgId: string | null;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly budget: BudgetJson | null;
  readonly version: number;
  readonly createdAt: string;
}

const TEAMS_KEY = ["teams"] as const;

export function useTeams(everyMs: number = EVERY_MS.pools): UseQueryResult<readonly Team[]> {
  return useQuery({
    queryKey: TEAMS_KEY,
    queryFn: ({ signal }) => request<readonly Team[]>("/api/teams", { signal }),
    refetchInterval: everyMs,
  });
}
