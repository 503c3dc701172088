import { parsePoolTerms } from "@quota/core";
import { draftSpec } from "./draftSpec.js";
import { fieldFaults, type FieldFaults } from "./fieldFaults.js";
import type { PoolDraft } from "./poolDraft.js";

/** What the gateway would say is wrong with a draft, by its own rule. Whether caps fit the plan it alone knows. */
export function draftFaults(connectionId: string, draft: PoolDraft): FieldFaults {
  const spec = draftSpec(connectionId, draft);
  const parsed = parsePoolTerms(spec);
  if (parsed.ok) return NONE;
  const faults = parsed.faults.map((fault) => {
    if (fault.code !== "id-missing") return fault;
    return { ...fault, message: fault.path === "name" ? "Give the pool a name." : "Choose a connection." };
  });
  return fieldFaults(
    faults,
    spec.allocations.map(({ apiKeyId }) => apiKeyId),
  );
}

/** Nothing is wrong. */
const NONE: FieldFaults = { fields: new Map(), rows: new Map(), elsewhere: [] };
