import { skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import type { PlanDraft } from "./planDraft.js";

/** What is being typed, by connection. It outlives a look at another page, and ends with the tab or the session. */
export interface PlanDrafts {
  readonly byConnection: ReadonlyMap<string, PlanDraft>;
  /** Undefined: it is done with. */
  keep(connectionId: string, draft: PlanDraft | undefined): void;
}

export function usePlanDrafts(): PlanDrafts {
  const queries = useQueryClient();
  // Nothing is fetched: the cache is what lives as long as the session.
  const { data = NONE } = useQuery<Drafts>({ queryKey: KEY, queryFn: skipToken, gcTime: Infinity });
  return {
    byConnection: data,
    keep(connectionId, draft) {
      queries.setQueryData<Drafts>(KEY, (drafts = NONE) => {
        const kept = new Map(drafts);
        kept.delete(connectionId);
        return draft === undefined ? kept : kept.set(connectionId, draft);
      });
    },
  };
}

type Drafts = ReadonlyMap<string, PlanDraft>;

const KEY = ["plan-drafts"] as const;
const NONE: Drafts = new Map();
