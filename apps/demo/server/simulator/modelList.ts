import type { JsonObject } from "./jsonObject.js";

/** GET /v1/models, in the shape the caller's dialect knows. */
export function modelList(models: readonly string[], dialect: "openai" | "anthropic"): JsonObject {
  if (dialect === "openai") {
    return {
      object: "list",
      data: models.map((id) => ({ id, object: "model", created: 1_700_000_000, owned_by: "simulator" })),
    };
  }
  return {
    data: models.map((id) => ({ type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" })),
    has_more: false,
    first_id: models[0] ?? null,
    last_id: models.at(-1) ?? null,
  };
}
