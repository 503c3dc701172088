import { subjectName, type EpochMs, type SpendEvent } from "@quota/core";
import type { SpendLedger } from "@quota/engine";
import { deadLetters } from "./deadLetters.js";
import { orStoreError } from "./orStoreError.js";
import { patiently } from "./patiently.js";
import { purgeSpend } from "./purgeSpend.js";
import { readSpend } from "./readSpend.js";
import type { SpendBookParts } from "./spendBookParts.js";

/** The ledger of `createSqliteSpendBooks`. */
export function sqliteSpendLedger({
  db,
  rows,
  entries,
  periods,
  held,
  writesOf,
}: SpendBookParts): SpendLedger {
  const { connection, file, lockWaitMs } = db;
  const letters = deadLetters(connection);
  const writes = writesOf("spend ledger");

  return {
    async commit(events, now) {
      return (await writes.add(() => enterAll(events, now))) as Entered;
    },

    total: (subject) => read(() => entries.total(subjectName(subject))),

    spend: (asked) => read(() => readSpend(connection, asked)),

    async keepDeadLetter(letter, now) {
      await writes.add(() => letters.keep(letter, now));
    },

    deadLetters: () => read(() => letters.list()),

    async closeDeadLetter(id, as, now) {
      return (await writes.add(() => closeLetter(id, as, now))) as boolean;
    },

    async purge(before) {
      writes.refuseWhenClosed();
      return await orStoreError(file, () => purgeSpend(db, before));
    },

    close: () => writes.close(),
  };

  function enterAll(events: readonly SpendEvent[], now: EpochMs): Entered {
    let added = 0;
    for (const event of events) {
      if (!entries.enter(event)) continue;
      added += 1;
      spendOfBudgets(event);
    }
    entries.write();
    periods.write();
    held.settle(events.map(({ requestId }) => requestId));
    held.sweep(now);
    return { added, known: events.length - added };
  }

  function closeLetter(id: string, as: "retried" | "kept-aside", now: EpochMs): boolean {
    const closed = letters.close(id, as, now);
    if (closed?.requestId !== undefined) held.settle([closed.requestId]);
    return closed !== undefined;
  }

  function spendOfBudgets({ subjects, startedAt, cost }: SpendEvent): void {
    // What does not say when it started is counted in no period's row, and in every period that is asked about.
    if (startedAt === undefined || cost === "unpriced") return;
    for (const subject of subjects) {
      const kept = rows.snapshot.get(subjectName(subject));
      if (kept !== undefined && kept !== "damaged") periods.raise(kept, startedAt, { spent: BigInt(cost) });
    }
  }

  async function read<Result>(look: () => Result): Promise<Result> {
    writes.refuseWhenClosed();
    return await orStoreError(file, () => patiently(look, lockWaitMs));
  }
}

interface Entered {
  readonly added: number;
  readonly known: number;
}
