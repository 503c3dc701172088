import { idProblem, QuotaConfigError } from "@quota/core";
import type { QuotaCaller } from "./quotaEngine.js";

/** Above this many, ids that were found in order are checked anew, so that memory stays bounded. */
const MAX_KNOWN = 50_000;

/**
 * Checks who asks. An id is looked at closely once; after that it is known.
 *
 * @throws {QuotaConfigError} (from what is returned) naming the id that is none.
 */
export function callerCheck(): (caller: QuotaCaller) => QuotaCaller {
  const known = new Set<unknown>();

  function check(id: unknown, field: string): void {
    const found = idProblem(id);
    if (found !== undefined) throw new QuotaConfigError({ field, ...found });
    if (known.size >= MAX_KNOWN) known.clear();
    known.add(id);
  }

  return ({ apiKeyId, connectionId, provider }) => {
    if (!known.has(apiKeyId)) check(apiKeyId, "apiKeyId");
    if (!known.has(connectionId)) check(connectionId, "connectionId");
    if (!known.has(provider)) check(provider, "provider");
    return { apiKeyId, connectionId, provider };
  };
}
