import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { request } from "./request.js";

/** What `GET /api/session` says. */
export interface Session {
  readonly signedIn: boolean;
  readonly expiresAt?: number;
}

export const SESSION_KEY = ["session"] as const;

/** Whether this browser is signed in. */
export function useSession(): UseQueryResult<Session> {
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: ({ signal }) => request<Session>("/api/session", { signal }),
    refetchInterval: (query) => (query.state.error === null ? 60_000 : 5_000),
  });
}
