import { budgetSpec, subjectName, type BudgetSpec } from "@quota/core";
import type { BudgetLedger } from "@quota/engine";
import type { Config } from "../config/createConfig.js";
import type { BudgetDesk, BudgetKind } from "./createBudgetDesk.js";

/**
 * A configuration with the budgets of its keys, teams and organisations, which are kept in the ledger. Who comes without a member `budget` keeps the one that is
 * there; with null, or where the owner is gone, it goes.
 */
export function budgetedConfig(
  config: Config,
  {
    budgets,
    budgetDesk,
    now,
  }: {
    readonly budgets: Pick<BudgetLedger, "list">;
    readonly budgetDesk: Pick<BudgetDesk, "give">;
    readonly now: () => number;
  },
): Config {
  return {
    async read() {
      const [read, standings] = await Promise.all([config.read(), budgets.list(now())]);
      const specs = new Map(
        standings.map(({ subject, budget }) => [subjectName(subject), budgetSpec(budget)]),
      );
      const withBudget = <Owner extends { readonly id: string }>(
        kind: BudgetKind,
        owners: readonly Owner[],
      ): (Owner & {
        readonly budget: BudgetSpec | null;
      })[] =>
        owners.map((owner) => ({ ...owner, budget: specs.get(subjectName({ kind, id: owner.id })) ?? null }));
      return {
        ...read,
        organisations: withBudget("organisation", read.organisations),
        teams: withBudget("team", read.teams),
        keys: withBudget("key", read.keys),
      };
    },
    async replace(parsed) {
      await config.replace(parsed);
      const { organisations, teams, keys } = parsed;
      const owners = { organisation: organisations, team: teams, key: keys };
      const staying = new Set<string>();
      for (const kind of ["organisation", "team", "key"] as const)
        for (const { id, budget } of owners[kind]) {
          staying.add(subjectName({ kind, id }));
          await budgetDesk.give({ kind, id }, budget);
        }
      for (const { subject } of await budgets.list(now())) {
        const { kind, id } = subject;
        if (kind === "user" || kind === "project" || staying.has(subjectName(subject))) continue;
        await budgetDesk.give({ kind, id }, null);
      }
    },
  };
}
