import type { PlanChangeJson } from "@quota/http";
import { request } from "../api/request.js";
import { planPath } from "./planPath.js";

/** Asks what these dimensions would change, or what going back to the catalog would; writes nothing. */
export function previewPlan(
  connectionId: string,
  asked: { readonly dimensions: readonly unknown[] } | { readonly revert: true },
): Promise<PlanChangeJson> {
  return request(`${planPath(connectionId)}/preview`, { method: "POST", body: asked });
}
