import { budgetLedgerChecks } from "./budgetLedgerChecks.js";
import { opening, runChecks } from "./runChecks.js";
import type { SpendBooksUnderTest } from "./spendBooksUnderTest.js";

/**
 * Runs the contract of a budget ledger as vitest tests.
 *
 * @param open makes an empty one, and says how to dispose of it; called once per test.
 * @example
 * describeBudgetLedger("my books", async () => ({ ...createMyBooks(), dispose: async () => {} }));
 */
export function describeBudgetLedger(name: string, open: () => Promise<SpendBooksUnderTest>): void {
  runChecks(`${name} is a budget ledger`, budgetLedgerChecks, opening(open));
}
