import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { BudgetJson } from "./budgetJson.js";
import { EVERY_MS } from "./createQueries.js";
import { request } from "./request.js";

/** A root of the rate plan, as `GET /api/orgs` shows it. */
export interface Organisation {
  readonly id: string;
  readonly name: string;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly budget: BudgetJson | null;
  readonly version: number;
  readonly createdAt: string;
}

const ORGANISATIONS_KEY = ["orgs"] as const;

export function useOrganisations(everyMs: number = EVERY_MS.pools): UseQueryResult<readonly Organisation[]> {
  return useQuery({
    queryKey: ORGANISATIONS_KEY,
    queryFn: ({ signal }) => request<readonly Organisation[]>("/api/orgs", { signal }),
    refetchInterval: everyMs,
  });
}
