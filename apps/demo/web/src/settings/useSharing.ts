import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "../api/createQueries.js";
import { request } from "../api/request.js";

/** The numbers in force, each with who says so. */
export type Sharing = Readonly<Record<SharingName, SharingNumber>>;

export type SharingName = "saturationThreshold" | "softDeprioritizeFactor" | "consumptionRetentionDays";

export interface SharingNumber {
  readonly value: number;
  readonly source: "database" | "environment" | "default";
  /** What it may be. */
  readonly least: number;
  readonly most: number;
  /** The variable that says it in the environment. */
  readonly variable: string;
}

export const SHARING_PATH = "/api/settings/sharing";
export const SHARING_KEY = ["settings", "sharing"] as const;

export function useSharing(): UseQueryResult<Sharing> {
  return useQuery({
    queryKey: SHARING_KEY,
    queryFn: ({ signal }) => request<Sharing>(SHARING_PATH, { signal }),
    refetchInterval: EVERY_MS.usage,
  });
}
