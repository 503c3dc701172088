import { QUARTER_MS, quarterFrom, subjectName } from "@quota/core";
import type { KeptBudget } from "./budgetRows.js";
import { budgetSums } from "./budgetSums.js";
import { PAYER_COLUMNS } from "./payerColumns.js";
import type { PostgresTransaction } from "./postgresTransaction.js";
import { storedText } from "./storedText.js";

/**
 * Makes the periods of a budget anew, from its `wholeFrom` on, of what is in the ledger and what is pending; or takes them away where it has none any more.
 * Within a transaction that nobody writes either beside.
 */
export async function rebuildPeriods(
  transaction: PostgresTransaction,
  { name, kept }: { readonly name: string; readonly kept: KeptBudget | undefined },
): Promise<void> {
  const subject = storedText(name);
  await transaction.run("DELETE FROM budget_periods WHERE subject = $1", [subject]);
  if (kept === undefined) return;
  const { kind, id } = kept.subject;
  const from = kept.wholeFrom;
  const first = quarterFrom(from);
  interface Amount {
    readonly started_at: string;
    readonly amount: string;
  }
  const spent = await transaction.rows<Amount>(
    `SELECT quarter AS started_at, amount FROM spend_by_start WHERE subject = $1 AND quarter >= $2
     UNION ALL
     -- Of the quarter that the first moment lies in: what was not purged.
     SELECT $3::int8, coalesce(sum(event.cost), 0) FROM spend_events AS event JOIN spend_accounts AS account USING (account)
     WHERE event.started_at >= $3 AND event.started_at < $2 AND account.${PAYER_COLUMNS[kind]} = $4`,
    [subject, first, from, storedText(id)],
  );
  // Summed up by quarters as well: there may be very many.
  const pending = await transaction.rows<Amount>(
    `SELECT max(started_at) AS started_at, sum(amount) AS amount FROM pending_spend
     WHERE started_at >= $2 AND $1 = ANY(subjects) GROUP BY started_at / ${String(QUARTER_MS)}`,
    [subject, from],
  );
  const sums = budgetSums(new Map([[name, kept]]));
  for (const { started_at, amount } of spent)
    sums.raise([subjectName(kept.subject)], Number(started_at), { spent: BigInt(amount) });
  for (const { started_at, amount } of pending)
    sums.raise([subjectName(kept.subject)], Number(started_at), { pending: BigInt(amount) });
  await sums.write(transaction);
}
