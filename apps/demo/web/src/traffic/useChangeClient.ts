import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { request } from "../api/request.js";
import { TRAFFIC_KEY, type Traffic, type TrafficClient } from "./useTraffic.js";

export interface ClientChange {
  readonly apiKeyId: string;
  readonly running: boolean;
  readonly perSecond?: number;
  readonly connectionId: string;
}

/** Starts a simulated client, stops it, or changes what it does. */
export function useChangeClient(): UseMutationResult<TrafficClient, Error, ClientChange> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ apiKeyId, ...change }) =>
      request<TrafficClient>(`/api/demo/traffic/${encodeURIComponent(apiKeyId)}`, {
        method: "PUT",
        body: change,
      }),
    async onSuccess(client) {
      // What was asked before it was changed must not be shown after.
      await queries.cancelQueries({ queryKey: TRAFFIC_KEY });
      queries.setQueryData<Traffic>(
        TRAFFIC_KEY,
        (before) =>
          before && {
            ...before,
            clients: before.clients.map((one) => (one.apiKeyId === client.apiKeyId ? client : one)),
          },
      );
      void queries.invalidateQueries({ queryKey: TRAFFIC_KEY });
    },
  });
}
