import { useQuery } from "@tanstack/react-query";
import { request } from "./request.js";
import { KEYS_KEY, type ApiKey } from "./useKeys.js";

/** Every key's ordinal, of which its colour is made; empty until the keys are read. */
export function useKeyOrdinals(): ReadonlyMap<string, number> {
  const { data } = useQuery({
    queryKey: KEYS_KEY,
    queryFn: ({ signal }) => request<readonly ApiKey[]>("/api/keys", { signal }),
    select: ordinalsOf,
    staleTime: 30_000,
  });
  return data ?? NONE;
}

function ordinalsOf(keys: readonly ApiKey[]): ReadonlyMap<string, number> {
  return new Map(keys.map(({ id, ordinal }) => [id, ordinal]));
}

const NONE: ReadonlyMap<string, number> = new Map();
