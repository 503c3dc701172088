import { StoreError } from "@quota/engine";
import type { Departure } from "./departure.js";

/**
 * What an error of the client means for the step that was asked. A reply is the server's word that nothing was done: scripts
 * check before they write, and a write that is refused is the first one, or they say `HALFWAY`. Anything that happens to the connection after the
 * command has left leaves open whether it was carried out. */
export function storeFault(cause: unknown, departed: Departure): StoreError {
  if (cause instanceof StoreError) return cause;
  const said = cause instanceof Error ? cause.message : String(cause);
  const applied = departed === "stayed" || isRefusal(cause) ? "no" : "unknown";
  return new StoreError(`Redis failed: ${said}.`, { applied, cause });
}

/** An answer of the server that nothing was done, as opposed to something that happened on the way. */
function isRefusal(cause: unknown): boolean {
  if (!(cause instanceof Error) || cause.message.startsWith("HALFWAY ")) return false;
  return cause.name === "ReplyError" || /^Too many Cluster redirections\..* ReplyError: /.test(cause.message);
}
