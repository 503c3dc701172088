import { useQuery, type UseQueryResult } from "@tanstack/react-query";
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
  readonly version: number;
  readonly createdAt: string;
}

const TEAMS_KEY = ["teams"] as const;

export function useTeams(): UseQueryResult<readonly Team[]> {
  return useQuery({
    queryKey: TEAMS_KEY,
    queryFn: ({ signal }) => request<readonly Team[]>("/api/teams", { signal }),
    refetchInterval: EVERY_MS.pools,
  });
}
