import type { Budget, Fault, SpendSubject } from "@quota/core";
import type { BudgetLedger } from "@quota/engine";
import { parsedBudget } from "./budgetBody.js";
import { budgetJson, type BudgetJson } from "./budgetJson.js";

/** Who may have a budget. */
export type BudgetKind = Extract<SpendSubject["kind"], "key" | "team" | "organisation">;

/** The budgets of keys, teams and organisations, as their resources have them. */
export interface BudgetDesk {
  /** The same things with their budgets as they stand, or null. @throws {StoreError} where the ledger cannot be read. */
  shown<Owner extends { readonly id: string }>(
    kind: BudgetKind,
    owners: readonly Owner[],
  ): Promise<readonly Budgeted<Owner>[]>;
  shownOne<Owner extends { readonly id: string }>(kind: BudgetKind, owner: Owner): Promise<Budgeted<Owner>>;
  /** What is wrong with a body's member `budget`. */
  faults(body: Readonly<Record<string, unknown>>): readonly Fault[];
  /** Gives this budget, which has no faults; undefined leaves the one that is there, null takes it away. In force at once. */
  give(subject: SpendSubject & { readonly kind: BudgetKind }, budget: unknown): Promise<void>;
}

export type Budgeted<Owner> = Owner & { readonly budget: BudgetJson | null };

export function createBudgetDesk({
  budgets,
  now,
}: {
  readonly budgets: Pick<BudgetLedger, "list" | "standing" | "set">;
  readonly now: () => number;
}): BudgetDesk {
  return {
    async shown(kind, owners) {
      const standings = (await budgets.list(now())).filter(({ subject }) => subject.kind === kind);
      const byId = new Map(standings.map((standing) => [standing.subject.id, budgetJson(standing)]));
      return owners.map((owner) => ({ ...owner, budget: byId.get(owner.id) ?? null }));
    },
    async shownOne(kind, owner) {
      const standing = await budgets.standing({ kind, id: owner.id }, now());
      return { ...owner, budget: standing === undefined ? null : budgetJson(standing) };
    },
    faults({ budget }) {
      // What is no object has a fault of its shape.
      if (budget === null || typeof budget !== "object" || Array.isArray(budget)) return [];
      const parsed = parsedBudget(budget, now());
      return parsed.ok ? [] : parsed.faults;
    },
    async give(subject, budget) {
      const parsed = parsedBudget(budget, now());
      if (!parsed.ok) throw new TypeError(`A budget that was checked is none: ${parsed.faults[0]!.message}`);
      const wanted: Budget | null | undefined = parsed.value;
      if (wanted !== undefined) await budgets.set(subject, wanted ?? undefined, now());
    },
  };
}
