import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "./createQueries.js";
import { request } from "./request.js";

/** A provider account as `GET /api/connections` shows it; how it proves itself is never shown. */
export interface Connection {
  readonly id: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly models?: readonly string[];
  readonly dialects: readonly string[];
  readonly version: number;
  readonly createdAt: string;
}

const CONNECTIONS_KEY = ["connections"] as const;

export function useConnections(): UseQueryResult<readonly Connection[]> {
  return useQuery({
    queryKey: CONNECTIONS_KEY,
    queryFn: ({ signal }) => request<readonly Connection[]>("/api/connections", { signal }),
    refetchInterval: EVERY_MS.pools,
  });
}
