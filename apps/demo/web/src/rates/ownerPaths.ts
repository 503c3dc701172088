import { BUDGET_PATHS } from "../budgets/budgetPaths.js";

/** The paths of the fields that the form of a team or an organisation shows. */
export function ownerPaths(kind: "organisation" | "team"): readonly string[] {
  return [...(kind === "team" ? ["name", "orgId"] : ["name"]), "rpm", "tpm", ...BUDGET_PATHS];
}
