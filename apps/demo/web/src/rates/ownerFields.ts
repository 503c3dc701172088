import { budgetChange, budgetFields, type BudgetFields, type Budgeted } from "../budgets/budgetFields.js";
import { limitChange, limitFields, type LimitFields, type Limited } from "./limitFields.js";

/** What a form has of a team or an organisation, as it is typed. */
export type OwnerFields = LimitFields & BudgetFields & Readonly<Record<"name" | "orgId", string>>;

/** A team, or an organisation, which is in no other. */
export interface Owner extends Limited, Budgeted {
  readonly id: string;
  readonly name: string;
  readonly orgId?: string | null;
}

export function ownerFields(owner: Owner): OwnerFields {
  return { name: owner.name, orgId: owner.orgId ?? "", ...limitFields(owner), ...budgetFields(owner) };
}

/** What is asked for: the fields that are not as they were. */
export function ownerChange(typed: OwnerFields, before: Owner): Readonly<Record<string, unknown>> {
  const known = ownerFields(before);
  return {
    ...(typed.name !== known.name && { name: typed.name }),
    ...(typed.orgId !== known.orgId && { orgId: typed.orgId === "" ? null : typed.orgId }),
    ...limitChange(typed, before),
    ...budgetChange(typed, known),
  };
}
