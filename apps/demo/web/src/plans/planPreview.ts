import type { DimensionSpec } from "@quota/core";
import type { PlanJson } from "@quota/http";
import { request } from "../api/request.js";
import { planPath } from "./planPath.js";

/** What a plan would change, as the gateway reckons it. */
export interface PlanPreview {
  readonly connectionId: string;
  readonly provider: string;
  readonly source: PlanJson["source"];
  /** Undefined: nobody shares this connection yet. */
  readonly poolId?: string;
  readonly dimensions: readonly PreviewedDimension[];
}

export interface PreviewedDimension extends DimensionSpec {
  readonly change: "added" | "removed" | "changed" | "same";
  readonly perKey: readonly PreviewedKey[];
}

/** Undefined is not known: a limit that is unknown has no shares. Amounts in units. */
export interface PreviewedKey {
  readonly apiKeyId: string;
  readonly used?: number;
  readonly fairShare?: number;
  readonly fairShareBefore?: number;
}

/** Asks what these dimensions would change, or what going back to the catalog would; writes nothing. */
export function previewPlan(
  connectionId: string,
  asked: { readonly dimensions: readonly unknown[] } | { readonly revert: true },
): Promise<PlanPreview> {
  return request(`${planPath(connectionId)}/preview`, { method: "POST", body: asked });
}
