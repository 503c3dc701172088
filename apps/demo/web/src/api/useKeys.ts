import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { BudgetJson } from "./budgetJson.js";
import { EVERY_MS } from "./createQueries.js";
import { request } from "./request.js";

/** A key as `GET /api/keys` shows it. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** Its colour on every page is made of this. */
  readonly ordinal: number;
  readonly disabled: boolean;
  /** A demo key: public knowledge, so it opens nothing but a gateway on a loopback address. */
  readonly loopbackOnly: boolean;
  readonly teamId: string | null;
  readonly orgId: string | null;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly budget: BudgetJson | null;
  readonly version: number;
  readonly createdAt: string;
}

export const KEYS_KEY = ["keys"] as const;

export function useKeys(everyMs: number = EVERY_MS.pools): UseQueryResult<readonly ApiKey[]> {
  return useQuery({
    queryKey: KEYS_KEY,
    queryFn: ({ signal }) => request<readonly ApiKey[]>("/api/keys", { signal }),
    refetchInterval: everyMs,
  });
}
