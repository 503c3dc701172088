import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { request } from "../api/request.js";
import { TRAFFIC_KEY, type Traffic, type TrafficClient } from "./useTraffic.js";

export interface ClientChange {
  readonly apiKeyId: string;
  readonly running: boolean;
  readonly perSecond?: number;
  readonly connectionId: string;
}

/** Starts simulated clients, stops them, or changes what they do. */
export function useChangeClient(): UseMutationResult<
  readonly TrafficClient[],
  Error,
  readonly ClientChange[]
> {
  const queries = useQueryClient();
  return useMutation({
    // One after the other: leaving the field of a rate on the way to "Stop" must not be written after the stop.
    scope: { id: "traffic" },
    mutationFn: (changes) =>
      Promise.all(
        changes.map(({ apiKeyId, ...change }) =>
          request<TrafficClient>(`/api/demo/traffic/${encodeURIComponent(apiKeyId)}`, {
            method: "PUT",
            body: change,
          }),
        ),
      ),
    async onSuccess(changed) {
      const byId = new Map(changed.map((client) => [client.apiKeyId, client]));
      // What was asked before it was changed must not be shown after.
      await queries.cancelQueries({ queryKey: TRAFFIC_KEY });
      queries.setQueryData<Traffic>(
        TRAFFIC_KEY,
        (before) =>
          before && {
            ...before,
            clients: before.clients.map((one) => byId.get(one.apiKeyId) ?? one),
          },
      );
    },
    // Where one of several was refused the others are changed all the same.
    onSettled: () => void queries.invalidateQueries({ queryKey: TRAFFIC_KEY }),
  });
}
