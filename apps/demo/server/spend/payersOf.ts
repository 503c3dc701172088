import { idFault, isRecord, type SpendSubject } from "@quota/core";
import type { PlacedApiKey } from "../apiKeys.js";
import type { RequestContext } from "../requestContext.js";

/**
 * Who pays for a request: its key, and the team and the organisation that this belongs to now; besides, who and what the client says it is for, in OpenAI's `user` or
 * Anthropic's `metadata.user_id`, and in the header `x-quota-project`, where that could be an id.
 */
export function payersOf(
  key: Pick<PlacedApiKey, "id" | "teamId" | "orgId">,
  { json, project }: { readonly json: RequestContext["json"]; readonly project: unknown },
): readonly SpendSubject[] {
  const payers: SpendSubject[] = [{ kind: "key", id: key.id }];
  const add = (kind: SpendSubject["kind"], id: unknown): void => {
    if (idFault(id, "") === undefined) payers.push({ kind, id: id as string });
  };
  add("team", key.teamId);
  add("user", json?.["user"] ?? memberOf(json?.["metadata"], "user_id"));
  add("organisation", key.orgId);
  add("project", project);
  return payers;
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}
