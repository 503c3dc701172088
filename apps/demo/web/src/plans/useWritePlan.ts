import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { isStale, request } from "../api/request.js";
import { planPath } from "./planPath.js";
import { PLANS_KEY, type SeenPlan } from "./usePlans.js";

/** What somebody wants, and the plan as they saw it. */
export interface PlanWrite {
  readonly seen: SeenPlan;
  readonly wanted: { readonly dimensions: readonly unknown[] } | "revert";
}

/** `changed`: somebody else was there first, so nothing was written; the list of plans has what they made of it. */
export type PlanWritten = "written" | "changed";

/** Writes a plan, unless it is no longer what its editor has seen. */
export function useWritePlan(): UseMutationResult<PlanWritten, Error, PlanWrite> {
  const queries = useQueryClient();
  return useMutation({
    async mutationFn({ seen, wanted }) {
      const write =
        wanted === "revert" ? { method: "DELETE" as const } : { method: "PUT" as const, body: wanted };
      try {
        await request(planPath(seen.connectionId), { ...write, ifMatch: seen.etag });
        return "written";
      } catch (error) {
        if (isStale(error)) return "changed";
        throw error;
      }
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: PLANS_KEY });
      // Shares, pools and totals follow from plans.
      void queries.invalidateQueries();
    },
  });
}
