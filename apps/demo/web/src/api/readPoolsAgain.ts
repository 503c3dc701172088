import type { QueryClient } from "@tanstack/react-query";
import { POOLS_KEY } from "./usePools.js";

/** Everything that a pool's number may stand in. */
export function readPoolsAgain(queries: QueryClient): void {
  for (const queryKey of [POOLS_KEY, ["overview"], ["plans"]]) void queries.invalidateQueries({ queryKey });
}
