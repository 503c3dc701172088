import { BUDGET_PATHS } from "../budgets/budgetPaths.js";

/** The paths of the fields that a key's form shows. */
export const KEY_PATHS: readonly string[] = ["name", "teamId", "orgId", "rpm", "tpm", ...BUDGET_PATHS];
