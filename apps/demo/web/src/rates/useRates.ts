import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "../api/createQueries.js";
import { request } from "../api/request.js";
import type { RateWarning } from "./rateWarning.js";

/** The whole rate plan in the current minute, as `GET /api/rates` shows it. */
export interface Rates {
  /** By the gateway's clock. */
  readonly generatedAt: number;
  readonly revision: number;
  /** When the minute turns, in milliseconds since the epoch. */
  readonly resetsAt: number;
  readonly nodes: readonly RateNode[];
  readonly warnings?: readonly RateWarning[];
}

export type RateKind = "organisation" | "team" | "key";

export interface RateNode {
  readonly kind: RateKind;
  readonly id: string;
  readonly name: string;
  readonly parent?: { readonly kind: RateKind; readonly id: string };
  readonly version: number;
  /** Requests. */
  readonly rpm: RateDimension;
  /** Tokens. */
  readonly tpm: RateDimension;
}

export interface RateDimension {
  /** Null: no limit of its own. */
  readonly limit: number | null;
  readonly used: number | "uncounted";
  /** What limited nodes below have not used: kept for them. */
  readonly heldForChildren: number;
  /** What is left to those below without a limit of their own. */
  readonly left: number | "unlimited";
}

const RATES_KEY = ["rates"] as const;

export function useRates(): UseQueryResult<Rates> {
  return useQuery({
    queryKey: RATES_KEY,
    queryFn: ({ signal }) => request<Rates>("/api/rates", { signal }),
    refetchInterval: EVERY_MS.usage,
  });
}
