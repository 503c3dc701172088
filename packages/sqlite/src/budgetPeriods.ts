import { budgetSpan, periodOpens, subjectName, type BudgetStanding, type EpochMs } from "@quota/core";
import type { Database } from "better-sqlite3";
import type { KeptBudget } from "./budgetRows.js";
import type { PendingSpend } from "./pendingSpend.js";
import type { SpendEntries } from "./spendEntries.js";

/** What changes in the period that requests of one moment belong to. */
export interface PeriodChange {
  readonly spent?: bigint;
  readonly pending?: bigint;
}

/** `budget_periods`: what is spent and pending in each period of a budget. Changes are gathered until `write`. */
export interface BudgetPeriods {
  /** Requests that started at this moment take more, or less, of the periods that they belong to. */
  raise(kept: KeptBudget, startedAt: EpochMs, by: PeriodChange): void;
  write(): void;
  /** Forgets what was gathered. */
  undo(): void;
  /** The current period, as far as it was written: rows that have expired and are still there count. */
  standing(kept: KeptBudget, now: EpochMs): BudgetStanding;
  /** Makes the rows of a budget anew, from this moment's period on, of what is in the ledger and what is pending. */
  rebuild(kept: KeptBudget): void;
  /** Takes all of a budget's rows away. */
  drop(name: string): void;
}

interface Sums {
  spent: bigint;
  pending: bigint;
}

export function budgetPeriods(
  connection: Database,
  { entries, pending }: { readonly entries: SpendEntries; readonly pending: PendingSpend },
): BudgetPeriods {
  const one = connection
    .prepare<[string, number], [spent: bigint, pending: bigint]>(
      "SELECT spent, pending FROM budget_periods WHERE subject = ? AND opens = ?",
    )
    .raw()
    .safeIntegers();
  const raise = connection.prepare(
    "UPDATE budget_periods SET spent = spent + ?, pending = pending + ? WHERE subject = ? AND opens = ?",
  );
  const insert = connection.prepare(
    "INSERT INTO budget_periods (subject, opens, spent, pending) VALUES (?, ?, ?, ?)",
  );
  const drop = connection.prepare("DELETE FROM budget_periods WHERE subject = ?");
  const gathered = new Map<KeptBudget, Map<EpochMs, Sums>>();

  return {
    raise(kept, startedAt, { spent = 0n, pending: held = 0n }) {
      const opens = periodOpens(kept.budget, startedAt);
      if (opens === undefined) return;
      const periods = gathered.get(kept) ?? new Map<EpochMs, Sums>();
      gathered.set(kept, periods);
      add(periods, opens, { spent, pending: held });
    },

    write() {
      for (const [kept, periods] of gathered)
        for (const [opens, by] of periods) {
          if (by.spent === 0n && by.pending === 0n) continue;
          const name = subjectName(kept.subject);
          // A row for a period before those that are whole would tell of this change alone: it is left to be reckoned when it is asked for.
          if (raise.run(by.spent, by.pending, name, opens).changes === 0 && opens >= kept.wholeFrom)
            insert.run(name, opens, by.spent, by.pending);
        }
      gathered.clear();
    },

    undo: () => gathered.clear(),

    standing(kept, now) {
      const { subject, budget, wholeFrom } = kept;
      const name = subjectName(subject);
      const span = budgetSpan(budget, now);
      const [spent, held] = one.get(name, span.opens) ??
        (span.opens >= wholeFrom ? undefined : reckoned(kept, span.opens)) ?? [0n, 0n];
      return { subject, budget, span, spent: spent + entries.undated(name), pending: held };
    },

    rebuild(kept) {
      const name = subjectName(kept.subject);
      drop.run(name);
      for (const [opens, { spent, pending: held }] of sumsFrom(kept, kept.wholeFrom))
        insert.run(name, opens, spent, held);
    },

    drop: (name) => void drop.run(name),
  };

  /** A period from before the budget was given, asked for by a clock that was set back. */
  function reckoned(kept: KeptBudget, opens: EpochMs): readonly [spent: bigint, pending: bigint] | undefined {
    const sums = sumsFrom(kept, opens).get(opens);
    return sums && [sums.spent, sums.pending];
  }

  function sumsFrom({ subject, budget }: KeptBudget, from: EpochMs): Map<EpochMs, Sums> {
    const periods = new Map<EpochMs, Sums>();
    const count = (startedAt: EpochMs, by: Sums): void => {
      const opens = periodOpens(budget, startedAt);
      if (opens !== undefined && opens >= from) add(periods, opens, by);
    };
    for (const { startedAt, amount } of entries.since(subject, from))
      count(startedAt, { spent: amount, pending: 0n });
    for (const { startedAt, amount } of pending.of(subjectName(subject)))
      count(startedAt, { spent: 0n, pending: amount });
    return periods;
  }
}

function add(periods: Map<EpochMs, Sums>, opens: EpochMs, by: Readonly<Sums>): void {
  const sums = periods.get(opens);
  if (sums === undefined) periods.set(opens, { ...by });
  else {
    sums.spent += by.spent;
    sums.pending += by.pending;
  }
}
