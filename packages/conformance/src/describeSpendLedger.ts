import { spendLedgerChecks } from "./spendLedgerChecks.js";
import { opening, runChecks } from "./runChecks.js";
import type { SpendBooksUnderTest } from "./spendBooksUnderTest.js";

/**
 * Runs the contract of a spend ledger as vitest tests.
 *
 * @param open makes an empty one, and says how to dispose of it; called once per test.
 * @example
 * describeSpendLedger("my books", async () => ({ ...createMyBooks(), dispose: async () => {} }));
 */
export function describeSpendLedger(name: string, open: () => Promise<SpendBooksUnderTest>): void {
  runChecks(`${name} is a spend ledger`, spendLedgerChecks, opening(open));
}
