import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { EVERY_MS } from "../api/createQueries.js";
import { request } from "../api/request.js";

/** How what was spent gets into the ledger, as `GET /api/spend/queue` shows it. */
export interface SpendQueueJson {
  /** Null where the queue does not answer. */
  readonly waiting: number | null;
  readonly oldestAt: string | null;
  /** Events that the queue did not take: this gateway keeps them in memory, and tries again. */
  readonly kept: number;
  readonly flusher: {
    readonly state: "flushing" | "idle" | "failing" | "damaged" | "stopped";
    readonly failure: { readonly at: string; readonly why: string; readonly inARow: number } | null;
    readonly stoppedAt: DamagedItemJson | null;
    /** When the queue was last empty. */
    readonly drainedAt: string | null;
  };
}

/** The item at the head of the queue that cannot be read. */
export interface DamagedItemJson {
  readonly position: string;
  readonly why: string;
  readonly raw: string;
  readonly requestId?: string;
}

export const SPEND_QUEUE_KEY = ["spend", "queue"] as const;

export function useSpendQueue(): UseQueryResult<SpendQueueJson> {
  return useQuery({
    queryKey: SPEND_QUEUE_KEY,
    queryFn: ({ signal }) => request<SpendQueueJson>("/api/spend/queue", { signal }),
    refetchInterval: EVERY_MS.usage,
  });
}
