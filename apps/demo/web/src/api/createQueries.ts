import { QueryCache, QueryClient } from "@tanstack/react-query";
import type { LostConnection } from "./lostConnection.js";
import { RequestFailure } from "./request.js";
import { SESSION_KEY } from "./useSession.js";

/**
 * What pages have read, and how they read it: nothing while the tab is hidden, what is shown stays until the new is there, and who is
 * signed out anywhere is signed out everywhere.
 */
export function createQueries(lost: LostConnection): QueryClient {
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError(error) {
        if (!(error instanceof RequestFailure)) return;
        if (error.problem.status === "unreachable") lost.lose();
        if (error.problem.status === 401) void queries.invalidateQueries({ queryKey: SESSION_KEY });
      },
      onSuccess: () => lost.recover(),
    }),
    defaultOptions: {
      queries: {
        // The gateway may be on this machine, whatever the browser thinks of the network.
        networkMode: "always",
        retry: false,
        refetchOnWindowFocus: true,
        refetchIntervalInBackground: false,
        staleTime: 1_000,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
  return queries;
}

/** How often what is read anew, while it is looked at. */
export const EVERY_MS = { pools: 30_000, usage: 5_000 } as const;
