import { createHash } from "node:crypto";
import { MAX_ID_LENGTH } from "@quota/core";

/** What a node of the gateway's rate plan is. A refusal's text begins with this word. */
export type RateKind = "organisation" | "team" | "key";

/**
 * A node's id in the rate plan: an organisation, a team and a key may bear one id, and are three nodes. An id that would grow too
 * long by that is replaced by its hash, under a mark that no other id can have in that place.
 */
export function rateNodeId(kind: RateKind, id: string): string {
  const plain = `${kind}:${id}`;
  if (plain.length <= MAX_ID_LENGTH) return plain;
  return `${kind}#${createHash("sha256").update(id).digest("hex")}`;
}
