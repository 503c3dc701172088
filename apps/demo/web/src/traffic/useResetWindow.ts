import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { request } from "../api/request.js";

/** Lets the simulated provider give an account's windows back before their time. */
export function useResetWindow(): UseMutationResult<unknown, Error, string> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (connectionId) =>
      request("/api/demo/traffic/reset", { method: "POST", body: { connectionId } }),
    // What everybody has used is another number now, wherever it is shown.
    onSuccess: () => void queries.invalidateQueries(),
  });
}
