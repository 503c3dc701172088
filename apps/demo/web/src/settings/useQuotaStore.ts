import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "../api/createQueries.js";
import { request } from "../api/request.js";

/** What counts use, as `GET /api/settings/quota-store` tells it. The address of Redis is never told. */
export interface QuotaStoreStatus {
  /** What was asked for, and who asked. */
  readonly driver: StoreDriver;
  readonly source: "database" | "environment" | "default";
  readonly redisUrlConfigured: boolean;
  /** What counts now. */
  readonly serving: StoreDriver | "none";
  readonly state: "ok" | "degraded" | "failing";
  readonly reason?: string;
  readonly lastError?: { readonly at: string; readonly said: string };
}

export type StoreDriver = "sqlite" | "redis";

export const QUOTA_STORE_PATH = "/api/settings/quota-store";
export const QUOTA_STORE_KEY = ["settings", "quota-store"] as const;

export function useQuotaStore(): UseQueryResult<QuotaStoreStatus> {
  return useQuery({
    queryKey: QUOTA_STORE_KEY,
    queryFn: ({ signal }) => request<QuotaStoreStatus>(QUOTA_STORE_PATH, { signal }),
    refetchInterval: EVERY_MS.usage,
  });
}
