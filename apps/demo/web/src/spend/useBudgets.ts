import type { BudgetJson } from "../api/budgetJson.js";
import { EVERY_MS } from "../api/createQueries.js";
import { useKeys } from "../api/useKeys.js";
import { useOrganisations } from "../api/useOrganisations.js";
import { useTeams } from "../api/useTeams.js";

export interface OwnedBudget {
  readonly kind: "organisation" | "team" | "key";
  readonly id: string;
  readonly name: string;
  readonly budget: BudgetJson;
}

/** The budgets of all organisations, teams and keys, the fullest first; those that can be read, where others cannot. */
export function useBudgets(): {
  readonly budgets: readonly OwnedBudget[] | undefined;
  readonly error: Error | null;
  refetch(): void;
} {
  const lists = [
    { kind: "organisation", list: useOrganisations(EVERY_MS.usage * 2) },
    { kind: "team", list: useTeams(EVERY_MS.usage * 2) },
    { kind: "key", list: useKeys(EVERY_MS.usage * 2) },
  ] as const;
  const read = lists.flatMap(({ kind, list: { data = [] } }) =>
    data.flatMap(({ id, name, budget }) => (budget === null ? [] : [{ kind, id, name, budget }])),
  );
  const failed = lists.find(({ list }) => list.data === undefined && list.error !== null);
  const isKnown = lists.some(({ list }) => list.data !== undefined);
  const isWhole = lists.every(({ list }) => list.data !== undefined || list.error !== null);
  return {
    budgets: isKnown && isWhole ? read.sort((a, b) => fullness(b) - fullness(a)) : undefined,
    error: failed?.list.error ?? null,
    refetch() {
      for (const { list } of lists) void list.refetch();
    },
  };
}

/** For their order alone. */
function fullness({ budget: { limitUsd, spentUsd, pendingUsd } }: OwnedBudget): number {
  const used = Number(spentUsd) + Number(pendingUsd);
  return used === 0 ? 0 : used / Number(limitUsd);
}
