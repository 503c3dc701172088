import { budgetSpan, periodOpens, type BudgetStanding, type EpochMs } from "@quota/core";
import type { KeptBudget } from "./budgetRows.js";
import type { PostgresTransaction } from "./postgresTransaction.js";
import { storedText, textStored } from "./storedText.js";

/** What changes in the period that requests of one moment belong to. */
export interface PeriodChange {
  readonly spent?: bigint;
  readonly pending?: bigint;
}

/** The periods of budgets that are locked, as one transaction changes them. */
export interface BudgetSums {
  /** Requests of these subjects that started at this moment take more, or less, of the periods that they belong to. */
  raise(subjects: readonly string[], startedAt: EpochMs, by: PeriodChange): void;
  /** With what was raised so far. */
  standing(name: string, now: EpochMs): BudgetStanding | undefined;
  write(transaction: PostgresTransaction): Promise<void>;
}

interface Sums {
  spent: bigint;
  pending: bigint;
}

/** @param read what `readPeriods` has found, for whoever asks for standings. */
export function budgetSums(
  budgets: ReadonlyMap<string, KeptBudget | "damaged">,
  read: PeriodsRead = { sums: new Map(), undated: new Map() },
): BudgetSums {
  const changes = new Map<string, Map<EpochMs, Sums>>();
  const soundOf = (name: string): KeptBudget | undefined => {
    const kept = budgets.get(name);
    // What a damaged budget's periods are is not known; they are made anew when it is stored again.
    return kept === "damaged" ? undefined : kept;
  };

  return {
    raise(subjects, startedAt, by) {
      for (const name of subjects) {
        const kept = soundOf(name);
        const opens = kept && periodOpens(kept.budget, startedAt);
        if (opens !== undefined && opens >= kept!.wholeFrom) add(changes, { name, opens }, by);
      }
    },

    standing(name, now) {
      const kept = soundOf(name);
      if (kept === undefined) return undefined;
      const { subject, budget } = kept;
      const span = budgetSpan(budget, now);
      const [before, change] = [read.sums, changes].map((all) => all.get(name)?.get(span.opens));
      return {
        subject,
        budget,
        span,
        spent: (before?.spent ?? 0n) + (change?.spent ?? 0n) + (read.undated.get(name) ?? 0n),
        pending: (before?.pending ?? 0n) + (change?.pending ?? 0n),
      };
    },

    async write({ run }) {
      const rows = [...changes].flatMap(([name, periods]) =>
        [...periods]
          .filter(([, { spent, pending }]) => spent !== 0n || pending !== 0n)
          .map(([opens, sums]) => [storedText(name), opens, String(sums.spent), String(sums.pending)]),
      );
      if (rows.length === 0) return;
      await run(
        `INSERT INTO budget_periods (subject, opens, spent, pending)
         SELECT * FROM unnest($1::text[], $2::int8[], $3::int8[], $4::int8[])
         ON CONFLICT (subject, opens) DO UPDATE SET spent = budget_periods.spent + excluded.spent,
           pending = budget_periods.pending + excluded.pending`,
        [0, 1, 2, 3].map((i) => rows.map((row) => row[i])),
      );
    },
  };
}

export interface PeriodsRead {
  readonly sums: Map<string, Map<EpochMs, Sums>>;
  readonly undated: Map<string, bigint>;
}

/** How many periods are read of a budget: a clock may be behind the one that has opened the newest. */
const NEWEST = 4;

/** The newest periods of these subjects, and what they spent without saying when. To be asked after their budgets were locked. */
export async function readPeriods(
  { rows }: Pick<PostgresTransaction, "rows">,
  names: readonly string[],
): Promise<PeriodsRead> {
  const read: PeriodsRead = { sums: new Map(), undated: new Map() };
  if (names.length === 0) return read;
  const found = await rows<{
    subject: string;
    opens: string;
    spent: string;
    pending: string;
    undated: string;
  }>(
    `SELECT asked.subject, period.opens, period.spent, period.pending, coalesce(payer.undated, 0) AS undated
     FROM unnest($1::text[]) AS asked (subject)
     LEFT JOIN spend_subjects AS payer USING (subject)
     LEFT JOIN LATERAL (
       SELECT opens, spent, pending FROM budget_periods WHERE subject = asked.subject ORDER BY opens DESC LIMIT ${String(NEWEST)}
     ) AS period ON true`,
    [names.map(storedText)],
  );
  for (const { subject, opens, spent, pending, undated } of found) {
    const name = textStored(subject);
    read.undated.set(name, BigInt(undated));
    // A subject without periods has a row without one.
    if ((opens as string | null) !== null)
      add(read.sums, { name, opens: Number(opens) }, { spent: BigInt(spent), pending: BigInt(pending) });
  }
  return read;
}

function add(
  to: Map<string, Map<EpochMs, Sums>>,
  { name, opens }: { readonly name: string; readonly opens: EpochMs },
  { spent = 0n, pending = 0n }: PeriodChange,
): void {
  const periods = to.get(name) ?? new Map<EpochMs, Sums>();
  to.set(name, periods);
  const sums = periods.get(opens) ?? { spent: 0n, pending: 0n };
  periods.set(opens, { spent: sums.spent + spent, pending: sums.pending + pending });
}
