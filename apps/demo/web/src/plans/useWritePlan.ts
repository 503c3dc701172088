import type { PlanJson } from "@quota/http";
import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { request } from "../api/request.js";
import { isSamePlan } from "./planDraft.js";
import { planPath } from "./planPath.js";
import { PLANS_KEY } from "./usePlans.js";

/** What somebody wants, and the plan as they saw it. */
export interface PlanWrite {
  readonly seen: PlanJson;
  readonly wanted: { readonly dimensions: readonly unknown[] } | "revert";
}

/** `changed`: somebody else was there first, so nothing was written; the list of plans has what they made of it. */
export type PlanWritten = "written" | "changed";

/**
 * Writes a plan, unless it is no longer what its editor has seen. A plan has no version that the gateway could compare, so the look comes
 * just before the write: of two who save in the same instant, the later one wins, and both see what it became.
 */
export function useWritePlan(): UseMutationResult<PlanWritten, Error, PlanWrite> {
  const queries = useQueryClient();
  return useMutation({
    async mutationFn({ seen, wanted }) {
      const path = planPath(seen.connectionId);
      if (!isSamePlan(seen, await request<PlanJson>(path))) return "changed";
      await (wanted === "revert"
        ? request(path, { method: "DELETE" })
        : request(path, { method: "PUT", body: wanted }));
      return "written";
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: PLANS_KEY });
      // Shares, pools and totals follow from plans.
      void queries.invalidateQueries();
    },
  });
}
